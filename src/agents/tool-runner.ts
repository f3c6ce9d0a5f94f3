import { Injectable, Logger } from '@nestjs/common';
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Response } from 'express';
import { exchangeNotAllowed } from '../access/bot-exchange.guard.js';
import { grantsScope } from '../access/principal.js';
import { ScopeRefusals } from '../access/scope-refusals.js';
import { BotRoomService } from '../bots/bot-room.service.js';
import { installationMode } from '../exchanges/exchange-mode.js';
import type { Mode } from '../exchanges/unified.words.js';
import { Settings } from '../platform/config/settings.js';
import { AppError } from '../platform/errors/app-error.js';
import { clientGone } from '../platform/http/client-gone.js';
import { PartErrors } from '../platform/http/part-errors.js';
import { toAppError } from '../platform/http/to-app-error.js';
import { Tally } from '../platform/metrics/tally.js';
import { currentRequest, withRequest } from '../platform/logging/current-request.js';
import { withCallContext } from '../platform/upstream/call-context.js';
import type { Priority } from '../platform/upstream/priority.js';
import { answerOf, BESIDE_ERRORS } from './answers/answer.js';
import { cutToFit } from './answers/fitted.js';
import { toldToAgents } from './answers/told-error.js';
import { argumentsOf } from './inputs.js';
import type { BotCaller, Effect, Tool } from './tool.js';
import { Toolbox } from './toolbox.js';

/** Who calls, and by which request. */
export interface ToolCall {
  readonly caller: BotCaller;
  /** What the client says that it is; null where it says nothing. */
  readonly client: string | null;
  readonly response: Response;
}

const PRIORITY: Readonly<Record<Effect, Priority | undefined>> = { none: undefined, cancel: 'cancel', order: 'order' };

/** What is said beside the answer of a tool. */
interface Beside {
  readonly mode: Mode;
  readonly limits_left: object | null;
}

/** Runs tools for bots: the checks of the routes that do the same, then the same services (contract.md 5.20). */
@Injectable()
export class ToolRunner {
  /** By tool, and whether it did what it was asked for or answered an error. */
  readonly calls = new Tally(['tool', 'outcome']);
  readonly #logger = new Logger('ToolRunner');
  readonly #errors = new PartErrors('ToolRunner');
  readonly #mode: Mode;

  constructor(
    private readonly toolbox: Toolbox,
    private readonly rooms: BotRoomService,
    private readonly refusals: ScopeRefusals,
    settings: Settings,
  ) {
    this.#mode = installationMode(settings);
  }

  /** What went wrong with the tool is a result with `isError`. Throws where there is no such tool. */
  async run(call: ToolCall, name: string, sent: unknown): Promise<CallToolResult> {
    const tool = this.toolbox.find(name);
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such tool: tools/list has all of them.');
    const { caller, response, client } = call;
    const context = {
      caller: caller.userId,
      priority: PRIORITY[tool.effect],
      fresh: false,
      signal: clientGone(response),
    };
    try {
      const answer = await asClaimed(client, () => withCallContext(context, () => this.#answer(call, tool, sent)));
      this.calls.count(tool.name, 'done');
      return answer;
    } catch (error) {
      this.calls.count(tool.name, 'refused');
      const answer = {
        ...toldToAgents(this.#errors.told(error), toAppError(error).retryAfterSeconds),
        ...BESIDE_ERRORS.take({ truncated: false, ...(await this.#beside(call)) }),
      };
      if (cutToFit(answer)) Object.assign(answer, { truncated: true });
      return { isError: true, content: [{ type: 'text', text: JSON.stringify(answer) }] };
    }
  }

  async #answer(call: ToolCall, tool: Tool, sent: unknown): Promise<CallToolResult> {
    const { caller } = call;
    if (!grantsScope(caller.scopes, tool.scope)) await this.#refuse(caller, tool);
    const args = argumentsOf(tool.input, sent);
    checkExchange(caller, tool, args);
    const whole = await tool.run(caller, args);
    const beside = await this.#beside(call);
    let answer = project(tool, whole, beside);
    let isCut = cutToFit(answer);
    // Of a list that goes on the next page must begin where this one is cut; what is shorter, but has a cursor, may be cut once more.
    for (let limit = limitIn(args); isCut && limit > 1 && 'next_cursor' in answer && Array.isArray(answer.data);) {
      limit = Math.max(1, Math.min(limit - 1, answer.data.length));
      answer = project(tool, await tool.run(caller, { ...args, limit }), beside);
      isCut = cutToFit(answer);
    }
    if (isCut) Object.assign(answer, { truncated: true });
    return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
  }

  async #beside({ caller, response }: ToolCall): Promise<Beside> {
    const requests = requestsLeft(response);
    try {
      return { mode: this.#mode, limits_left: { ...(await this.rooms.of(caller, caller.bot)), requests } };
    } catch (error) {
      // What a tool did stands, and is told, also where this cannot be read.
      this.#logger.warn({ err: error, message: 'What a bot has left of its limits could not be read' });
      return { mode: this.#mode, limits_left: null };
    }
  }

  async #refuse(caller: BotCaller, { scope, name }: Tool): Promise<never> {
    await this.refusals.report(caller, scope);
    throw new AppError(
      'forbidden',
      `This bot lacks the ${scope} scope, which ${name} needs. Only its owner can add it.`,
      {
        details: { required_scope: scope },
      },
    );
  }
}

/** Throws `exchange_not_allowed` as the routes of the exchange do. */
function checkExchange({ bot: { exchanges } }: BotCaller, { isForOwnOrders }: Tool, args: object): void {
  if (exchanges === null || isForOwnOrders === true || !('exchange' in args)) return;
  if (typeof args.exchange === 'string' && !exchanges.includes(args.exchange)) throw exchangeNotAllowed();
}

/** How many entries are asked for; none of what is no list. */
function limitIn(args: object): number {
  return 'limit' in args && typeof args.limit === 'number' ? args.limit : 0;
}

function project({ output }: Tool, answer: object, beside: Beside): Readonly<Record<string, unknown>> {
  const taken = answerOf(output).take({ truncated: false, ...answer, ...beside });
  if (taken === null) throw new Error('a tool answered nothing');
  return taken;
}

/** Runs `work` so that the activity names the client. */
function asClaimed<T>(client: string | null, work: () => Promise<T>): Promise<T> {
  const request = currentRequest();
  if (request === undefined || client === null) return work();
  return withRequest({ ...request, claimedClient: client }, work);
}

/** What our own headers say is left of the limits that counted this call: the least. */
function requestsLeft(response: Response): number | null {
  const left = [...String(response.getHeader('RateLimit') ?? '').matchAll(/;r=(\d+)/g)].map(([, count]) =>
    Number(count),
  );
  return left.length === 0 ? null : Math.min(...left);
}
