import createClient, { type Client } from 'openapi-fetch';
import { Failure } from './failure.js';
import type { components, paths } from './schema.js';

export type Schemas = components['schemas'];
export type Market = Schemas['MarketDto'];
export type Api = Client<paths>;
export type ExchangeId = paths['/{exchange}/balance']['get']['parameters']['path']['exchange'];
export type SessionKeyExchangeId =
  paths['/account/credentials/{exchange}/session-key']['post']['parameters']['path']['exchange'];

const baseUrl = location.origin;

/** The API as somebody without a credential sees it. */
export const publicApi: Api = createClient<paths>({ baseUrl });

/** The API through a way of sending requests. */
export function apiThrough(fetch: (request: Request) => Promise<Response>): Api {
  return createClient<paths>({ baseUrl, fetch });
}

interface Result<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** The body of a good answer; throws Failure for any other, and where none came. */
export async function take<T>(call: Promise<Result<T>>): Promise<T> {
  let result: Result<T>;
  try {
    result = await call;
  } catch (error) {
    throw error instanceof Failure ? error : Failure.unreachable();
  }
  if (result.data === undefined) throw Failure.of(result.error, result.response);
  return result.data;
}
