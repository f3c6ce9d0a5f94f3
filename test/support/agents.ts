import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import request, { type Response } from 'supertest';

interface Place {
  readonly url: string;
}

/** What a tool answered. */
export interface ToolAnswer {
  readonly isError: boolean;
  /** The text of it, read as JSON. */
  readonly answer: Readonly<Record<string, unknown>>;
  readonly structured: unknown;
  readonly text: string;
}

/** An official client of the protocol, connected. */
export interface Agent {
  list(): Promise<readonly { readonly name: string }[]>;
  call(name: string, args?: object): Promise<ToolAnswer>;
  close(): Promise<void>;
}

interface Result {
  readonly isError?: boolean | undefined;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
}

function toolAnswer(result: Result): ToolAnswer {
  const text = result.content[0]?.text ?? '';
  const answer = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return { isError: result.isError === true, answer, structured: result.structuredContent, text };
}

/** The newest client. */
export async function anAgent({ url }: Place, key: string, name = 'test agent'): Promise<Agent> {
  const client = new Client({ name, version: '1.0.0' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
  return {
    list: async () => (await client.listTools()).tools,
    call: async (tool, args = {}) =>
      toolAnswer(await client.callTool({ name: tool, arguments: args as Record<string, unknown> })),
    close: () => client.close(),
  };
}

/** A client of the generation before. */
async function anOlderAgent({ url }: Place, key: string): Promise<Agent> {
  const client = new OlderClient({ name: 'older test agent', version: '1.0.0' });
  const headers = { authorization: `Bearer ${key}` };
  const transport = new OlderTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
  await client.connect(transport);
  return {
    list: async () => (await client.listTools()).tools,
    call: async (tool, args = {}) =>
      toolAnswer((await client.callTool({ name: tool, arguments: args as Record<string, unknown> })) as Result),
    close: () => client.close(),
  };
}

/** Both, by the name of the generation. */
export const GENERATIONS = [
  ['newest', anAgent],
  ['older', anOlderAgent],
] as const;

/** One message of the older revision, without a client. */
export async function message({ url }: Place, key: string, body: object | string, headers = {}): Promise<Response> {
  return request(url)
    .post('/mcp')
    .auth(key, { type: 'bearer' })
    .set({ accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers })
    .send(body);
}

/** A call of a tool as a message. */
export function callOf(name: string, args: object = {}): object {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
}

/** The one result in a stream of events. */
export function resultIn({ text }: Response): Result {
  const line = text.split('\n').find((one) => one.startsWith('data: ')) ?? '';
  return (JSON.parse(line.slice('data: '.length)) as { result: Result }).result;
}
