import { afterEach, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { RouteTable } from '../src/access/route-table.js';
import { startTestApp, type TestApp } from './support/app.js';
import { startInstance } from './support/instance.js';
import { codeOf, get, logIn, post, remove, type SignedIn, signedIn } from './support/calls.js';
import { itWithRedis, TestRedis } from './support/redis.js';
import { sql } from './support/rows.js';
import { anApiKey, aUser, WALLET } from './support/users.js';

/** No exchange is there. */
const NOBODY = 'http://127.0.0.1:1';
const ON = { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_AUTH: '100000/1m', POLYMARKET_CLOB_URL: NOBODY };
const TIGHT = { ...ON, RATE_LIMIT_API: '3/10m' };

type Call = (to: { url: string }, token: string) => request.Test;

const SESSION_KEY = '/account/credentials/polymarket/session-key';
const sessionKey: Call = (to, token) => post(to, SESSION_KEY, { wallet_address: WALLET.wallet_address }, token);
const activation: Call = (to, token) => post(to, `${SESSION_KEY}/activate`, { valid_until: 'soon' }, token);
const verify: Call = (to, token) => post(to, '/account/credentials/polymarket/verify', undefined, token);

function put(query: string): Call {
  return (to, token) =>
    request(to.url).put(`/account/credentials/polymarket${query}`).auth(token, { type: 'bearer' }).send(WALLET);
}

function callTo(to: { url: string }, method: string, path: string, token: string): request.Test {
  const place = path.replace(':exchange', 'kalshi').replace(/:\w+/, 'unknown');
  const call = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const;
  return request(to.url)[call[method as keyof typeof call]](place).auth(token, { type: 'bearer' });
}

async function inTurn(count: number, call: (index: number) => PromiseLike<Response>): Promise<Response[]> {
  const answers: Response[] = [];
  for (let index = 0; index < count; index += 1) answers.push(await call(index));
  return answers;
}

const statuses = (answers: readonly Response[]): number[] => answers.map(({ status }) => status);
const refusals = (answers: readonly Response[]): boolean[] => answers.map(({ status }) => status === 429);
const header = (answer: Response | undefined, name: string): string => String(answer?.headers[name]);

/** What a call without credentials for the exchange is told behind all limits. */
const LET_IN = 'credentials_not_configured';

const TEN_THEN_REFUSED = [...Array.from({ length: 10 }, () => false), true, true];

describe('request limits on session paths (S-56)', () => {
  const open: { close(): Promise<void> }[] = [];

  async function start(overrides: Record<string, string>): Promise<TestApp> {
    const app = await startTestApp(overrides);
    open.push(app);
    return app;
  }

  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  it('S-56 limits the calls of a user, over all sessions, and says how one stands', async () => {
    const app = await start(TIGHT);
    const person = await aUser(app);
    const again = signedIn(await logIn(app, person.email));
    const answers = await inTurn(5, (index) =>
      get(app, '/account/profile', index % 2 === 0 ? person.token : again.token),
    );
    expect(statuses(answers)).toEqual([200, 200, 200, 429, 429]);
    expect(answers.slice(3).map(codeOf)).toEqual(['rate_limited', 'rate_limited']);
    expect(Number(header(answers[3], 'retry-after'))).toBeGreaterThan(500);
    for (const answer of answers) expect(header(answer, 'ratelimit-policy')).toBe('"api";q=3;w=600');
    expect(answers.map((answer) => header(answer, 'ratelimit').replace(/t=\d+/, 't=…'))).toEqual([
      '"api";r=2;t=…',
      '"api";r=1;t=…',
      '"api";r=0;t=…',
      '"api";r=0;t=…',
      '"api";r=0;t=…',
    ]);
    const stranger = await aUser(app);
    expect((await get(app, '/account/profile', stranger.token)).status).toBe(200);
    expect(await sql(app, `SELECT 1 FROM security_events WHERE type = 'limit_hit'`)).toHaveLength(1);
  });

  it('S-56 every path that takes an access token is limited, and says so', async () => {
    const app = await start(ON);
    const person = await aUser(app);
    const routes = app
      .get(RouteTable)
      .list()
      .filter(({ access }) => access?.kind === 'session');
    expect(routes.length).toBeGreaterThan(10);
    const ending = ({ path, method }: { path: string; method: string }): boolean =>
      path === '/auth/logout' || `${method} ${path}` === 'DELETE /account';
    for (const { method, path } of [...routes.filter((route) => !ending(route)), ...routes.filter(ending)]) {
      const answer = await callTo(app, method, path, person.token);
      // Halts count as cancels.
      const [name, quota] = path.endsWith('/halt') ? ['cancel', 600] : ['api', 1_200];
      expect([method, path, header(answer, 'ratelimit-policy')]).toEqual([
        method,
        path,
        expect.stringContaining(`"${name}";q=${quota};w=60`),
      ]);
      expect(header(answer, 'ratelimit').startsWith(`"${name}";r=`)).toBe(true);
    }
  });

  it('contract.md 3 the limit comes after the credential and before exchange, parameters and body', async () => {
    const app = await start(TIGHT);
    const { token } = await aUser(app);
    await inTurn(3, () => get(app, '/account/profile', token));
    expect((await get(app, '/account/profile', `${token}x`)).status).toBe(401);
    const late = [
      await get(app, '/account/activity?limit=x', token),
      await post(app, '/account/api-keys', { nonsense: true }, token),
      await post(app, '/account/credentials/nowhere/verify', undefined, token),
    ];
    expect(statuses(late)).toEqual([429, 429, 429]);
    expect((await get(app, '/account/nowhere', token)).status).toBe(404);
  });

  it('S-56 a program that has used up its limit does not keep its owner from his account', async () => {
    const app = await start(TIGHT);
    const { token } = await aUser(app);
    const { key, prefix } = (await post(app, '/account/api-keys', {}, token)).body as { key: string; prefix: string };
    expect(statuses(await inTurn(5, () => get(app, '/me', key)))).toEqual([200, 200, 200, 429, 429]);
    const revoked = await request(app.url).delete(`/account/api-keys/${prefix}`).auth(token, { type: 'bearer' });
    expect(revoked.status).toBe(200);
  });

  const CANCEL_ALL = '/kalshi/orders';
  const CANCELS = [CANCEL_ALL, `${CANCEL_ALL}?market_id=KXA`, `${CANCEL_ALL}/9b51d2a0-babb-4ed0-8c3f-000000000001`];

  it('S-56 who has used up the limit of requests still cancels, and cancels use up no requests', async () => {
    const app = await start(TIGHT);
    const person = await aUser(app);
    const key = await anApiKey(app, person);
    const { token } = signedIn(await logIn(app, person.email));
    for (const sender of [key, token]) {
      const read = (): request.Test => get(app, '/kalshi/positions', sender);
      // Beyond the limit there are no credentials: the call was let in.
      for (const path of CANCELS) expect([path, codeOf(await remove(app, path, sender))]).toEqual([path, LET_IN]);
      expect((await inTurn(8, read)).filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(5);
      const answers = await inTurn(5, (index) => remove(app, CANCELS[index % 3] ?? '', sender));
      expect(answers.map(codeOf)).toEqual(answers.map(() => LET_IN));
      expect(header(answers[0], 'ratelimit-policy')).toBe('"cancel";q=600;w=60');
      expect(header(answers[0], 'ratelimit')).toMatch(/^"cancel";r=596;t=\d+$/);
      expect((await read()).status).toBe(429);
    }
  });

  it('S-56 600 cancels a minute for an API key and for each session', async () => {
    const app = await start(ON);
    const person = await aUser(app);
    const [key, again] = [await anApiKey(app, person), signedIn(await logIn(app, person.email))];
    const answers: Response[] = [];
    for (let round = 0; round < 14; round += 1)
      answers.push(...(await Promise.all(Array.from({ length: 43 }, () => remove(app, CANCEL_ALL, key)))));
    const refused = answers.filter(({ status }) => status === 429);
    expect([answers.length, refused.map(codeOf)]).toEqual([602, ['rate_limited', 'rate_limited']]);
    expect(header(refused[0], 'ratelimit-policy')).toBe('"cancel";q=600;w=60');
    expect(Number(header(refused[0], 'retry-after'))).toBeGreaterThan(0);
    expect((await get(app, '/me', key)).status).toBe(200);
    for (const sender of [person.token, again.token]) {
      expect(header(await remove(app, CANCEL_ALL, sender), 'ratelimit')).toMatch(/^"cancel";r=599;/);
    }
  });

  it.each<[string, readonly Call[]]>([
    ['POST …/verify', [verify]],
    ['PUT …?verify=true', [put('?verify=true')]],
    ['PUT … without verify', [put('')]],
    ['all of them together', [verify, put('?verify=true'), put(''), put('?verify=false')]],
    ['session keys', [verify, sessionKey, activation]],
    ['spellings that are refused', [put('?verify=TRUE'), put('?verify=true&verify=true'), put('?verify=1'), verify]],
    ['other exchanges', [verify, (to, token) => post(to, '/account/credentials/kalshi/verify', undefined, token)]],
    ['an unknown exchange', [(to, token) => post(to, '/account/credentials/nowhere/verify', undefined, token), verify]],
  ])('S-56 10 a minute and user for credentials: %s', async (_, calls) => {
    const app = await start(ON);
    const person = await aUser(app);
    const again = signedIn(await logIn(app, person.email));
    const answers = await inTurn(12, (index) => {
      const call = calls[index % calls.length] ?? verify;
      return call(app, index % 2 === 0 ? person.token : again.token);
    });
    expect(refusals(answers)).toEqual(TEN_THEN_REFUSED);
    expect(answers.slice(10).map(codeOf)).toEqual(['rate_limited', 'rate_limited']);
    const wait = Number(header(answers[10], 'retry-after'));
    expect(wait > 0 && wait <= 60).toBe(true);
    expect(header(answers[10], 'ratelimit-policy')).toBe('"api";q=1200;w=60, "verify";q=10;w=60');
    expect(header(answers[0], 'ratelimit')).toMatch(/^"api";r=\d+;t=\d+, "verify";r=9;t=\d+$/);
    expect((await get(app, '/account/credentials', person.token)).status).toBe(200);
    const stranger = await aUser(app);
    expect((await verify(app, stranger.token)).status).not.toBe(429);
  });

  it('S-56 storing without asking for a check is counted as the check is', async () => {
    const app = await start(ON);
    const { token } = await aUser(app);
    await inTurn(10, () => put('')(app, token));
    expect((await verify(app, token)).status).toBe(429);
  });

  it('contract.md 2 RATE_LIMIT_ENABLED=false turns all of them off', async () => {
    const app = await start({ RATE_LIMIT_ENABLED: 'false', RATE_LIMIT_API: '1/1m' });
    const { token } = await aUser(app);
    const answers = await inTurn(12, () => verify(app, token));
    expect(refusals(answers)).not.toContain(true);
    expect(answers[0]?.headers.ratelimit).toBeUndefined();
    const cancel = await remove(app, CANCEL_ALL, token);
    expect([codeOf(cancel), cancel.headers.ratelimit]).toEqual([LET_IN, undefined]);
  });

  async function shareOneCount(): Promise<void> {
    const redis = await TestRedis.start();
    open.push({ close: () => redis.stop() });
    const settings = { ...ON, RATE_LIMIT_API: '16/10m', REDIS_URL: redis.url };
    const app = await start(settings);
    const other = await startInstance(app, settings);
    open.push(other);
    const at = (index: number): { url: string } => (index % 2 === 0 ? app : other);
    const person: SignedIn = await aUser(app);
    expect(refusals(await inTurn(12, (index) => verify(at(index), person.token)))).toEqual(TEN_THEN_REFUSED);
    const rest = await inTurn(6, (index) => get(at(index), '/account/profile', person.token));
    expect(statuses(rest)).toEqual([200, 200, 200, 200, 429, 429]);
    const cancels = await inTurn(4, (index) => remove(at(index), CANCEL_ALL, person.token));
    expect(cancels.map((answer) => header(answer, 'ratelimit').replace(/t=\d+/, 't=…'))).toEqual(
      [599, 598, 597, 596].map((left) => `"cancel";r=${left};t=…`),
    );
  }

  itWithRedis('S-56 two instances share all counts', shareOneCount, 120_000);
});
