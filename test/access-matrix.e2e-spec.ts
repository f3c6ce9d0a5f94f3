import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { type RouteFacts, RouteTable } from '../src/access/route-table.js';
import { startTestApp, type TestApp } from './support/app.js';
import { aBot } from './support/bots.js';
import { detailsOf, logIn, post, refresh, remove, signedIn } from './support/calls.js';
import { LANES } from './support/lane-stand.js';
import { anApiKey, aUser } from './support/users.js';

type Kind = 'public' | 'session' | 'any key' | 'bot' | 'admin' | 'read' | 'trade' | 'place' | 'transfer';
type Shown = (call: request.Test) => request.Test;

/** What the contract says of a path, whatever the code declares (specification.md 4, contract.md 4, 5). */
function kindOf({ method, path }: RouteFacts): Kind {
  if (path === '/account' || path.startsWith('/account/')) return 'session';
  if (`${method} ${path}` === 'POST /auth/logout') return 'session';
  if (path === '/me') return 'any key';
  if (path === '/bot' || path.startsWith('/bot/')) return 'bot';
  if (path === '/bots/halt') return 'admin';
  if (path === '/stream') return 'read';
  if (path === '/portfolio') return 'trade';
  if (path === '/markets' || path === '/events') return 'read';
  if (/^\/:exchange\/(markets|events|orderbooks|trades|candlesticks)(\/|$)/.test(path)) return 'read';
  if (`${method} ${path}` === 'POST /:exchange/transfers') return 'transfer';
  const places = ['POST /:exchange/orders', 'POST /:exchange/orders/batch', 'PATCH /:exchange/orders/:order_id'];
  if (places.includes(`${method} ${path}`)) return 'place';
  if (/^\/:exchange\/(orders|fills|positions|settlements|balance|transfers)(\.csv|\/|$)/.test(path)) return 'trade';
  return 'public';
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** The same token, of an hour ago. */
function expired(app: TestApp, token: string): string {
  const [head = '', body = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as { iat: number; exp: number };
  const text = `${head}.${part({ ...claims, iat: claims.iat - 3_600, exp: claims.exp - 3_600 })}`;
  const secret = app.settings.jwtSecrets[0]?.reveal() ?? '';
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

describe.each(LANES)('who may call what, with FAST_LANE=%s', (FAST_LANE) => {
  let app: TestApp;
  let routes: readonly RouteFacts[];
  const credentials = new Map<string, string>();
  const planted = new Map<string, Shown>();

  beforeAll(async () => {
    app = await startTestApp({ FAST_LANE });
    const keyOf = async (scopes: string[]): Promise<string> => anApiKey(app, await aUser(app), scopes);
    const person = await aUser(app);
    const admin = await keyOf(['admin']);
    const { key: revoked, prefix } = (await post(app, '/account/api-keys', { scopes: ['admin'] }, person.token))
      .body as { key: string; prefix: string };
    await remove(app, `/account/api-keys/${prefix}`, person.token);
    credentials.set('JWT', person.token);
    const away = await aUser(app);
    await post(app, '/auth/logout', undefined, away.token);
    credentials.set('ended JWT', away.token);
    credentials.set('expired JWT', expired(app, person.token));
    credentials.set('read key', await keyOf(['read']));
    credentials.set('trade key', await keyOf(['trade']));
    credentials.set('admin key', admin);
    credentials.set('revoked key', revoked);
    const ofBot = async (scopes: string[]): Promise<string> => (await aBot(app, await aUser(app), { scopes })).key;
    credentials.set('reading bot', await ofBot(['read']));
    credentials.set('trading bot', await ofBot(['trade']));
    credentials.set('refresh token', person.refresh);
    for (const [name, token] of [
      ['JWT', person.token],
      ['key', admin],
    ] as const) {
      const fields = { access_token: token, api_key: token, token, authorization: `Bearer ${token}` };
      const cookies = Object.keys(fields).map((field) => `${field}=${token}`);
      planted.set(`${name} in the query`, (call) => call.query(fields));
      planted.set(`${name} in cookies`, (call) => call.set('Cookie', cookies.join('; ')));
      planted.set(`${name} in the body`, (call) => call.send(fields));
      planted.set(`${name} in another header`, (call) => call.set({ 'X-Api-Key': token, 'X-Access-Token': token }));
    }
    routes = app.get(RouteTable).list();
  });

  afterAll(() => app.close());

  /** At an exchange that is none, which is looked at after credential and scope (contract.md 3). */
  function call({ method, path }: RouteFacts): request.Test {
    const address = path.replace(':exchange', 'nowhere').replaceAll(/:\w+/g, 'x');
    return request(app.url)[method.toLowerCase() as 'get'](address);
  }

  async function outcomeOf(test: request.Test): Promise<string> {
    const answer = await test;
    if (answer.status !== 401 && answer.status !== 403) return 'let in';
    const { reason, required_scope: scope } = detailsOf(answer);
    // The way out, at every route.
    if (reason === 'wrong_token_type')
      expect(answer.text).toMatch(/takes (an API key \(POST \/account\/api-keys\)|a session's access token \(POST)/);
    if (answer.status === 401) expect(answer.headers['www-authenticate']).toBe('Bearer');
    return `${answer.status} ${String(reason ?? scope)}`;
  }

  const WRONG = '401 wrong_token_type';
  const OF_SESSIONS: Readonly<Record<string, string>> = {
    'expired JWT': '401 token_expired',
    'ended JWT': '401 invalid',
    'read key': WRONG,
    'trade key': WRONG,
    'admin key': WRONG,
    'revoked key': WRONG,
    'reading bot': WRONG,
    'trading bot': WRONG,
    'refresh token': '401 invalid',
  };
  const OF_KEYS: Readonly<Record<string, string>> = {
    'read key': 'let in',
    'trade key': 'let in',
    'admin key': 'let in',
    'revoked key': '401 key_revoked',
    'reading bot': 'let in',
    'trading bot': 'let in',
    'refresh token': '401 invalid',
  };
  const OF_BOTH = { ...OF_KEYS, JWT: 'let in', 'expired JWT': '401 token_expired', 'ended JWT': '401 invalid' };
  const OF_TRADERS = { ...OF_BOTH, 'read key': '403 trade', 'reading bot': '403 trade' };
  const OF_ADMINS = {
    ...OF_BOTH,
    'read key': '403 admin',
    'trade key': '403 admin',
    'reading bot': '403 admin',
    'trading bot': '403 admin',
    JWT: '403 api_key_required',
  };
  const NO_BOT = '403 bot_key_required';
  const EXPECTED: Readonly<Record<Exclude<Kind, 'public'>, Readonly<Record<string, string>>>> = {
    session: OF_SESSIONS,
    'any key': { ...OF_KEYS, JWT: WRONG, 'expired JWT': WRONG, 'ended JWT': WRONG },
    read: OF_BOTH,
    trade: OF_TRADERS,
    place: { ...OF_TRADERS, JWT: '403 api_key_required' },
    bot: {
      ...OF_KEYS,
      'read key': NO_BOT,
      'trade key': NO_BOT,
      'admin key': NO_BOT,
      JWT: WRONG,
      'expired JWT': WRONG,
      'ended JWT': WRONG,
    },
    admin: OF_ADMINS,
    transfer: OF_ADMINS,
  };

  it('knows all the paths', () => {
    const count = (kind: Kind): number => routes.filter((route) => kindOf(route) === kind).length;
    expect(count('session')).toBeGreaterThan(12);
    const kinds = ['any key', 'bot', 'admin', 'read', 'trade', 'place', 'transfer'] as const;
    expect(kinds.map(count)).toEqual([1, 4, 1, 14, 19, 3, 1]);
    const open = routes.filter((route) => kindOf(route) === 'public').map(({ path }) => path);
    for (const path of open) expect(path).toMatch(/^\/(auth|health|dashboard)(\/|$)/);
  });

  it('S-18, S-31 every route takes the credentials that it is for, with its scope, and no other', async () => {
    for (const route of routes) {
      const kind = kindOf(route);
      if (kind === 'public') continue;
      for (const [name, expected] of Object.entries(EXPECTED[kind])) {
        for (const time of ['at first', 'again']) {
          const seen = await outcomeOf(call(route).auth(credentials.get(name) ?? '', { type: 'bearer' }));
          expect([route.method, route.path, name, time, seen]).toEqual([
            route.method,
            route.path,
            name,
            time,
            expected,
          ]);
        }
      }
    }
  });

  it('S-18 a token in the query, a cookie, the body or another header is none', async () => {
    for (const route of routes.filter((candidate) => kindOf(candidate) !== 'public')) {
      for (const [name, show] of planted) {
        if (name.endsWith('body') && route.method === 'GET') continue;
        const seen = await outcomeOf(show(call(route)));
        expect([route.method, route.path, name, seen]).toEqual([route.method, route.path, name, '401 missing']);
      }
    }
  });

  it('S-18 a refused call changes nothing: its owner goes on with session and refresh token', async () => {
    const person = signedIn(await logIn(app, (await aUser(app)).email));
    const out = post(app, '/auth/logout').set('Cookie', `access_token=${person.token}`);
    expect((await out.query({ access_token: person.token })).status).toBe(401);
    expect((await refresh(app, person.refresh)).status).toBe(200);
  });
});
