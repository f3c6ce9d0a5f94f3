import { Inject, Injectable } from '@nestjs/common';
import type { Tool as ListedTool, ToolAnnotations } from '@modelcontextprotocol/server';
import { answerOf } from './answers/answer.js';
import { schemaOf } from './inputs.js';
import type { Effect, Tool } from './tool.js';

/** Token of the constructed tools, in the order of the list. */
export const CONSTRUCTED_TOOLS = Symbol('constructed tools');

const ANNOTATIONS: Readonly<Record<Effect, ToolAnnotations>> = {
  none: { readOnlyHint: true, openWorldHint: true },
  cancel: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  order: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
};

function listed({ name, description, effect, input, output }: Tool): ListedTool {
  return {
    name,
    description,
    inputSchema: schemaOf(input) as ListedTool['inputSchema'],
    outputSchema: answerOf(output).schema,
    annotations: ANNOTATIONS[effect],
  };
}

/** All tools by name; their list is the same bytes for everybody, at all times. */
@Injectable()
export class Toolbox {
  readonly list: readonly ListedTool[];
  readonly #byName: ReadonlyMap<string, Tool>;

  constructor(@Inject(CONSTRUCTED_TOOLS) tools: readonly Tool[]) {
    this.list = tools.map(listed);
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
  }

  find(name: string): Tool | undefined {
    return this.#byName.get(name);
  }
}
