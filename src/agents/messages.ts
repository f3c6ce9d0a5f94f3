import { AppError, badField } from '../platform/errors/app-error.js';
import { CLIENT_INFO_META_KEY } from '@modelcontextprotocol/server';
import { cleanForeign } from './answers/foreign-text.js';

const MOST_ID_CHARACTERS = 128;
/** Of what a client calls itself. */
const MOST_NAME_CHARACTERS = 64;

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

/** Throws `bad_request` unless a body is one message, whose id an answer can repeat. */
export function assertOneMessage(body: unknown): asserts body is Members {
  if (Array.isArray(body)) throw new AppError('bad_request', 'Send one message a request, not an array of them.');
  if (typeof body !== 'object' || body === null)
    throw new AppError('bad_request', 'Send a JSON-RPC message as the body.');
  const { id } = body as Members;
  const isShort = typeof id === 'string' ? id.length <= MOST_ID_CHARACTERS : true;
  if (!isShort) throw badField('id', `must be at most ${MOST_ID_CHARACTERS} characters`);
}

/** The name of the tool that a body calls; null where it calls none. */
export function calledTool(body: unknown): string | null {
  const { method, params } = membersOf(body);
  const { name } = membersOf(params);
  return method === 'tools/call' && typeof name === 'string' ? name : null;
}

/**
 * What a client calls itself, which anybody may claim: in the body, where its revision has that, else in its `User-Agent`. Null where it
 * says nothing.
 */
export function claimedClient(body: unknown, userAgent = ''): string | null {
  const { name, version } = membersOf(membersOf(membersOf(membersOf(body).params)._meta)[CLIENT_INFO_META_KEY]);
  const said =
    typeof name === 'string' ? [name, version].filter((part) => typeof part === 'string').join(' ') : userAgent;
  const text = cleanForeign(said, MOST_NAME_CHARACTERS);
  return text === '' ? null : text;
}
