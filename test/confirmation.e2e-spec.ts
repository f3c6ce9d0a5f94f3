import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { startTestApp, type TestApp } from './support/app.js';
import {
  codeOf,
  detailsOf,
  get,
  logIn,
  OTHER_PASSWORD,
  PASSWORD,
  post,
  refresh,
  remove,
  signedIn,
} from './support/calls.js';
import { type GitHubPerson, startGitHub, type TestGitHub } from './support/github.js';
import { CLIENT_ID, CLIENT_SECRET, REDIRECT_URI, VERIFIER } from './support/google.js';
import { startInstance } from './support/instance.js';
import { dump, sql } from './support/rows.js';
import { anEmail, aUser, type TestUser, WALLET } from './support/users.js';

const BOUND = { verifier: VERIFIER, redirectUri: REDIRECT_URI };
const KEYS = '/account/api-keys';
const SESSION_KEY = '/account/credentials/polymarket/session-key';

type Url = Pick<TestApp, 'url'>;
type Token = Pick<TestUser, 'token'>;
type Call = (to: Url, user: Token) => request.Test;

const put = (to: Url, { token }: Token, exchange: string, body: object, query = ''): request.Test =>
  request(to.url).put(`/account/credentials/${exchange}${query}`).auth(token, { type: 'bearer' }).send(body);

const aKey =
  (...scopes: unknown[]): Call =>
  (to, { token }) =>
    post(to, KEYS, { scopes }, token);

const confirm = (to: Url, { token }: Token, password = PASSWORD): request.Test =>
  post(to, '/account/confirm', { password }, token);

/** What makes power to trade, also where the body is not what it should be: that is not looked at before. */
const SENSITIVE: readonly (readonly [string, Call])[] = [
  ['a key with trade', aKey('trade')],
  ['a key with admin', aKey('read', 'admin')],
  ['a key with a scope that is none', aKey('everything')],
  ['a key with a list in the list', aKey(['trade'])],
  ['a key with scopes that are no list', (to, { token }) => post(to, KEYS, { scopes: 'trade' }, token)],
  ['Polymarket credentials', (to, user) => put(to, user, 'polymarket', WALLET)],
  ['Polymarket credentials, tried first', (to, user) => put(to, user, 'polymarket', WALLET, '?verify=true')],
  ['Kalshi credentials that are none', (to, user) => put(to, user, 'kalshi', { access_key: 1 })],
  ['a session key', (to, { token }) => post(to, SESSION_KEY, { wallet_address: WALLET.wallet_address }, token)],
  ['taking a session key into use', (to, { token }) => post(to, `${SESSION_KEY}/activate`, {}, token)],
];

function person(id: number, email: string): GitHubPerson {
  return { id, login: `octo${id}`, emails: [{ email, primary: true, verified: true }] };
}

describe('a session of more than 30 minutes confirms who it is (S-59)', () => {
  let github: TestGitHub;
  let app: TestApp;
  let settings: Record<string, string>;

  beforeAll(async () => {
    github = await startGitHub();
    settings = {
      GITHUB_CLIENT_ID: CLIENT_ID,
      GITHUB_CLIENT_SECRET: CLIENT_SECRET,
      GITHUB_URL: github.url,
      GITHUB_API_URL: github.url,
      OAUTH_REDIRECT_URIS: REDIRECT_URI,
      RATE_LIMIT_ENABLED: 'true',
      RATE_LIMIT_AUTH: '100000/1m',
    };
    app = await startTestApp(settings);
  });

  afterAll(async () => {
    await app.close();
    await github.close();
  });

  /** Makes the sessions of a user so old, in minutes since the sign-in. */
  const age = async ({ id }: Pick<TestUser, 'id'>, minutes: number): Promise<void> => {
    await app.query(`UPDATE sessions SET created_at = now() - make_interval(secs => $2) WHERE user_id = $1`, [
      id,
      minutes * 60,
    ]);
  };

  /** Moves the last confirmation so far back, in minutes. */
  const ageConfirmation = async ({ id }: Pick<TestUser, 'id'>, minutes: number): Promise<void> => {
    await app.query(`UPDATE sessions SET confirmed_at = confirmed_at - make_interval(secs => $2) WHERE user_id = $1`, [
      id,
      minutes * 60,
    ]);
  };

  const anOldUser = async (): Promise<TestUser> => {
    // More people than one network may have mailed in an hour.
    await app.query(`DELETE FROM rate_limits WHERE key LIKE 'mail:%'`);
    const user = await aUser(app);
    await age(user, 30.1);
    return user;
  };

  const expectRefused = (answer: Response): void => {
    expect([answer.status, codeOf(answer), detailsOf(answer)]).toEqual([
      403,
      'forbidden',
      { reason: 'confirmation_required' },
    ]);
  };

  it('S-59 refuses whatever makes power to trade, before it looks at the body, and changes nothing', async () => {
    const user = await anOldUser();
    const before = await dump(app);
    for (const [what, call] of SENSITIVE) {
      const answer = await call(app, user);
      expect([what, answer.status, detailsOf(answer)]).toEqual([what, 403, { reason: 'confirmation_required' }]);
    }
    const withoutLimits = (text: string): string[] => text.split('\n').filter((row) => !row.includes('last_used'));
    expect(withoutLimits(await dump(app))).toEqual(withoutLimits(before));
  });

  it('S-59 lets through what makes none: a key that reads, removals, a fresh sign-in beside the old session', async () => {
    const user = await anOldUser();
    const first = await post(app, KEYS, undefined, user.token);
    expect(first.status).toBe(201);
    const { prefix } = first.body as { prefix: string };
    expect((await remove(app, `${KEYS}/${prefix}`, user.token)).status).toBe(200);
    const second = await aKey('read')(app, user);
    expect(second.status).toBe(201);
    expect((await remove(app, '/account/credentials/polymarket', user.token)).status).toBe(200);
    expect((await remove(app, SESSION_KEY, user.token)).status).toBe(200);
    const fresh = signedIn(await logIn(app, user.email));
    expect((await put(app, fresh, 'polymarket', WALLET)).status).toBe(200);
    expectRefused(await put(app, user, 'polymarket', WALLET));
    expect((await get(app, '/account/credentials', user.token)).status).toBe(200);
  });

  it('S-59 counts from the sign-in, not from the last refresh: 29 minutes are no 31', async () => {
    const user = await aUser(app);
    await age(user, 29);
    expect((await put(app, user, 'polymarket', WALLET)).status).toBe(200);
    await age(user, 31);
    const renewed = signedIn(await refresh(app, user.refresh));
    expectRefused(await put(app, renewed, 'polymarket', WALLET));
  });

  it('S-59 the password is good for 5 minutes, on every instance, for its own session alone', async () => {
    const user = await anOldUser();
    const other = signedIn(await logIn(app, user.email));
    await age(user, 31);
    const instance = await startInstance(app, settings);
    try {
      const answer = await confirm(app, user);
      expect([answer.status, answer.body]).toEqual([200, { message: expect.any(String) }]);
      expect((await aKey('trade')(instance, user)).status).toBe(201);
      expectRefused(await put(instance, other, 'polymarket', WALLET));
      const renewed = signedIn(await refresh(app, user.refresh));
      expect((await put(instance, renewed, 'polymarket', WALLET)).status).toBe(200);
      await ageConfirmation(user, 4.9);
      expect((await put(app, user, 'polymarket', WALLET)).status).toBe(200);
      await ageConfirmation(user, 0.2);
      expectRefused(await put(app, user, 'polymarket', WALLET));
      expect((await confirm(instance, user)).status).toBe(200);
      expect((await put(app, user, 'polymarket', WALLET)).status).toBe(200);
    } finally {
      await instance.close();
    }
  });

  it('S-59 a wrong password confirms nothing, is noted, and after 10 in 15 minutes the right one is too late', async () => {
    const user = await anOldUser();
    for (let guess = 1; guess <= 10; guess += 1) {
      expect(codeOf(await confirm(app, user, `${OTHER_PASSWORD}${guess}`))).toBe('invalid_credentials');
    }
    const late = await confirm(app, user);
    expect([late.status, codeOf(late)]).toEqual([429, 'rate_limited']);
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(600);
    expectRefused(await aKey('trade')(app, user));
    const events = await sql(app, `SELECT details FROM security_events WHERE user_id = $1 AND type = 'login_failed'`, [
      user.id,
    ]);
    expect(events).toEqual(Array.from({ length: 10 }, () => ({ details: { confirmation: true } })));
    const own = signedIn(await logIn(app, user.email));
    expect((await confirm(app, own)).status).toBe(200);
  });

  it.each([
    ['nothing', {}],
    ['no object', ['x']],
    ['a password that is no text', { password: 1 }],
    ['a password that is too long', { password: 'x'.repeat(257) }],
    ['a provider without a code', { provider: 'github' }],
    ['a code without a provider', { code: 'x', code_verifier: VERIFIER, redirect_uri: REDIRECT_URI }],
    ['a provider that is none', { provider: 'x', code: 'x', code_verifier: VERIFIER, redirect_uri: REDIRECT_URI }],
    [
      'both at once',
      { password: PASSWORD, provider: 'github', code: 'x', code_verifier: VERIFIER, redirect_uri: REDIRECT_URI },
    ],
  ])('S-59 %s is 400, and no attempt', async (_what, body) => {
    const user = await anOldUser();
    const answer = await post(app, '/account/confirm', body, user.token);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'bad_request']);
    expectRefused(await aKey('trade')(app, user));
    const [, sid = ''] = user.token.split('.');
    const session = (JSON.parse(Buffer.from(sid, 'base64url').toString()) as { sid: string }).sid;
    expect(await sql(app, 'SELECT 1 FROM rate_limits WHERE key LIKE $1', [`%${session}%`])).toEqual([]);
  });

  describe('by a provider', () => {
    let next = 1;

    /** Somebody who has no password, and signed in a while ago. */
    const byGitHub = async (): Promise<{ user: Token & { id: string }; who: GitHubPerson }> => {
      next += 1;
      const who = person(next, anEmail());
      const body = { code: github.code(who, BOUND), code_verifier: VERIFIER, redirect_uri: REDIRECT_URI };
      const user = signedIn(await post(app, '/auth/github/callback', body));
      await age(user, 31);
      return { user, who };
    };

    const confirmBy = (user: Token, code: string, overrides: object = {}): request.Test => {
      const body = { provider: 'github', code, code_verifier: VERIFIER, redirect_uri: REDIRECT_URI, ...overrides };
      return post(app, '/account/confirm', body, user.token);
    };

    it('S-59 who has no password confirms by the provider, which signs nobody in', async () => {
      const { user, who } = await byGitHub();
      const sessions = () => sql(app, 'SELECT 1 FROM sessions WHERE user_id = $1', [user.id]);
      expectRefused(await put(app, user, 'polymarket', WALLET));
      expect(codeOf(await confirm(app, user))).toBe('invalid_credentials');
      const answer = await confirmBy(user, github.code(who, BOUND));
      expect([answer.status, answer.headers['set-cookie']]).toEqual([200, undefined]);
      expect((await put(app, user, 'polymarket', WALLET)).status).toBe(200);
      expect(await sessions()).toHaveLength(1);
    });

    it('S-59 somebody else’s provider account confirms nothing, and makes and links none', async () => {
      const { user } = await byGitHub();
      const other = await byGitHub();
      const nobody = person(90_000, anEmail());
      const people = () => dump(app).then((text) => text.split('\n').filter((row) => /octo|github/.test(row)).length);
      const before = await people();
      for (const who of [other.who, nobody, { ...person(90_001, ''), emails: [] }]) {
        const answer = await confirmBy(user, github.code(who, BOUND));
        expect([answer.status, codeOf(answer), detailsOf(answer)]).toEqual([
          403,
          'oauth_failed',
          { reason: 'other_account' },
        ]);
      }
      const rejected = await confirmBy(user, 'made-up');
      expect([rejected.status, detailsOf(rejected)]).toEqual([400, { reason: 'code_rejected' }]);
      expectRefused(await put(app, user, 'polymarket', WALLET));
      const events = await sql<{ details: object }>(
        app,
        `SELECT details FROM security_events WHERE user_id = $1 AND type = 'login_failed'`,
        [user.id],
      );
      expect(events).toEqual(
        Array.from({ length: 4 }, () => ({ details: { confirmation: true, provider: 'github' } })),
      );
      // The four notes name the provider; nothing else was written.
      expect(await people()).toBe(before + 4);
    });

    it('S-59 an address that is not on the list, and a provider that is off, are refused before any call', async () => {
      const { user, who } = await byGitHub();
      const calls = github.requests.length;
      const foreign = await confirmBy(user, github.code(who, BOUND), { redirect_uri: 'https://evil.example/' });
      expect(codeOf(foreign)).toBe('redirect_uri_not_allowed');
      expect(codeOf(await confirmBy(user, 'x', { provider: 'google' }))).toBe('provider_not_configured');
      expect(github.requests).toHaveLength(calls);
    });
  });

  it('S-59 CONFIRM_SENSITIVE=false asks nobody', async () => {
    const user = await anOldUser();
    const instance = await startInstance(app, { ...settings, CONFIRM_SENSITIVE: 'false' });
    try {
      expect((await put(instance, user, 'polymarket', WALLET)).status).toBe(200);
      expectRefused(await put(app, user, 'polymarket', WALLET));
    } finally {
      await instance.close();
    }
  });
});
