import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { longestHoldMs, LONGEST_MS } from './support/hostile.js';
import { startTestApp, type TestApp } from './support/app.js';
import type { SignedIn } from './support/calls.js';
import { aUser } from './support/users.js';

const TAIL = `${'!'.repeat(60_000)}a`;
const members = (count: number): string => Array.from({ length: count }, (_, index) => `"m${index}":{}`).join(',');
const list = (count: number, element: string): string => `[${Array.from({ length: count }, () => element).join(',')}]`;
const EMAIL = '"email":"ada@example.com"';
const VERIFIER = `"code_verifier":"${'v'.repeat(43)}"`;
const REDIRECT = '"redirect_uri":"http://localhost:3000/dashboard/oauth/callback"';

let app: TestApp;
let person: SignedIn;

beforeAll(async () => {
  app = await startTestApp();
  person = await aUser(app);
});

afterAll(() => app.close());

async function send(method: string, path: string, body: string): Promise<{ status: number; code: string }> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${person.token}` };
  const answer = await fetch(`${app.url}${path}`, { method, headers, body });
  const { error } = (await answer.json()) as { error: { code: string } };
  return { status: answer.status, code: error.code };
}

describe('S-53 one request', () => {
  it.each([
    ['POST', '/auth/signup', `{${EMAIL},"name":"Ada","password":"${TAIL}"}`, 422, 'weak_password'],
    ['POST', '/auth/login', `{${EMAIL},"password":"${TAIL}"}`, 400, 'bad_request'],
    ['POST', '/auth/reset-password', `{"token":"x","new_password":"${TAIL}"}`, 400, 'invalid_token'],
    ['POST', '/auth/verify-email', `{"token":"${TAIL}"}`, 400, 'bad_request'],
    ['POST', '/account/password', `{"current_password":"${TAIL}","new_password":"x"}`, 400, 'bad_request'],
    ['POST', '/account/api-keys', `{"scopes":${list(9_000, '"read"')}}`, 400, 'bad_request'],
    ['POST', '/account/api-keys', `{${members(4_000)}}`, 400, 'bad_request'],
    ['POST', '/account/api-keys', `{${members(256)}}`, 400, 'bad_request'],
    ['PATCH', '/account/profile', `{"display_name":"${'\\u202e'.repeat(9_000)}"}`, 400, 'bad_request'],
    ['PUT', '/account/credentials/kalshi', `{"private_key":"${TAIL}"}`, 400, 'bad_request'],
    ['PUT', '/account/credentials/polymarket', `{"secret":"${'a'.repeat(60_000)}"}`, 400, 'bad_request'],
    ['POST', '/auth/github/callback', `{"code":"${TAIL}",${VERIFIER},${REDIRECT}}`, 400, 'bad_request'],
  ])('%s %s with the most expensive body is answered without holding the loop', async (...given) => {
    const [method, path, body, status, code] = given;
    let answer = { status: 0, code: '' };
    const heldMs = await longestHoldMs(async () => {
      answer = await send(method, path, body);
    });
    expect(answer).toEqual({ status, code });
    expect(heldMs).toBeLessThan(LONGEST_MS);
  });
});
