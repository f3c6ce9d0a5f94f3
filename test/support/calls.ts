import request, { type Response } from 'supertest';
import type { TestApp } from './app.js';

/** Long and uncommon enough for everybody. */
export const PASSWORD = 'plum carousel nine harbour';
export const OTHER_PASSWORD = 'seven lanterns over a river';

type Url = Pick<TestApp, 'url'>;

export function post(app: Url, path: string, body?: object, token?: string): request.Test {
  const call = request(app.url).post(path);
  if (token !== undefined) call.set('Authorization', `Bearer ${token}`);
  return call.send(body);
}

export function get(app: Url, path: string, token: string): request.Test {
  return request(app.url).get(path).set('Authorization', `Bearer ${token}`);
}

export function patch(app: Url, path: string, token: string, body: object): request.Test {
  return request(app.url).patch(path).set('Authorization', `Bearer ${token}`).send(body);
}

export function remove(app: Url, path: string, token: string, body?: object): request.Test {
  return request(app.url).delete(path).set('Authorization', `Bearer ${token}`).send(body);
}

export function signUp(app: Url, email: string, overrides: { password?: string; name?: string } = {}): request.Test {
  return post(app, '/auth/signup', { email, password: PASSWORD, name: 'Test Person', ...overrides });
}

export function logIn(app: Url, email: string, password = PASSWORD): request.Test {
  return post(app, '/auth/login', { email, password });
}

/** What an answer says that signs somebody in. */
export interface SignedIn {
  readonly id: string;
  readonly email: string;
  readonly token: string;
  /** The refresh token of its cookie. */
  readonly refresh: string;
}

interface SignedInBody {
  readonly access_token: string;
  readonly user: { readonly id: string; readonly email: string };
}

/** The `Set-Cookie` header of an answer. */
export function cookieOf(response: Response): string {
  const header: unknown = response.headers['set-cookie'];
  return Array.isArray(header) ? String(header[0]) : '';
}

/** The refresh token that an answer sets. */
export function refreshOf(response: Response): string {
  return /^refresh_token=([^;]*)/.exec(cookieOf(response))?.[1] ?? '';
}

export function signedIn(response: Response): SignedIn {
  if (response.status !== 200 && response.status !== 201) throw new Error(`${response.status}: ${response.text}`);
  const body = response.body as SignedInBody;
  return { id: body.user.id, email: body.user.email, token: body.access_token, refresh: refreshOf(response) };
}

export function refresh(app: Url, ...tokens: string[]): request.Test {
  const cookies = tokens.map((token) => `refresh_token=${token}`).join('; ');
  return request(app.url).post('/auth/refresh').set('Cookie', cookies);
}

/** The error code of an answer. */
export function codeOf(response: Response): string {
  return (response.body as { error?: { code: string } }).error?.code ?? '';
}

/** The `details` of an error answer. */
export function detailsOf(response: Response): Record<string, unknown> {
  return (response.body as { error?: { details?: Record<string, unknown> } }).error?.details ?? {};
}

/** A call with a key or a session's token, and an `Idempotency-Key` where one is given. */
export async function callAs(
  { app, bearer }: { readonly app: Pick<TestApp, 'url'>; readonly bearer: string },
  method: 'get' | 'post' | 'put' | 'patch' | 'delete',
  path: string,
  { body, key }: { readonly body?: object; readonly key?: string } = {},
): Promise<Response> {
  const call = request(app.url)[method](path).auth(bearer, { type: 'bearer' });
  return (key === undefined ? call : call.set('Idempotency-Key', key)).send(body);
}
