import { afterEach, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { startTestApp, type TestApp } from './support/app.js';
import { type Instance, startInstance } from './support/instance.js';
import { mailsTo, tokenIn, waitForMails } from './support/mail.js';
import {
  codeOf,
  get,
  logIn,
  OTHER_PASSWORD,
  PASSWORD,
  post,
  refresh,
  remove,
  signedIn,
  signUp,
} from './support/calls.js';
import { sql } from './support/rows.js';
import { anEmail, aUser } from './support/users.js';

const LOOSE = { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_AUTH: '100000/1m', TRUST_PROXY: '1' };

function from(ip: string, call: request.Test): request.Test {
  return call.set('X-Forwarded-For', ip);
}

function statuses(answers: readonly Response[]): number[] {
  return answers.map(({ status }) => status);
}

async function inTurn(count: number, call: (index: number) => PromiseLike<Response>): Promise<Response[]> {
  const answers: Response[] = [];
  for (let index = 0; index < count; index += 1) answers.push(await call(index));
  return answers;
}

const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status);

describe('limits', () => {
  const apps: { close(): Promise<void> }[] = [];

  async function start(overrides: Record<string, string>): Promise<TestApp> {
    const app = await startTestApp(overrides);
    apps.push(app);
    return app;
  }

  async function startBeside(app: TestApp, overrides: Record<string, string>): Promise<Instance> {
    const instance = await startInstance(app, overrides);
    apps.push(instance);
    return instance;
  }

  afterEach(async () => {
    for (const app of apps.splice(0).reverse()) await app.close();
  });

  it('S-25 refuses the 11th failure of an account from one address, spread over two instances, with Retry-After, and after a restart', async () => {
    const app = await start(LOOSE);
    const { email } = await aUser(app);
    const other = await startBeside(app, LOOSE);
    const answers = await inTurn(12, (index) =>
      from('203.0.113.1', logIn(index % 2 === 0 ? app : other, email, OTHER_PASSWORD)),
    );
    expect(statuses(answers)).toEqual([...times(10, 401), 429, 429]);
    expect(answers.slice(10).map(codeOf)).toEqual(['rate_limited', 'rate_limited']);
    expect(Number(answers[10]?.headers['retry-after'])).toBeGreaterThan(600);
    expect((await from('203.0.113.1', logIn(app, email))).status).toBe(429);
    expect((await from('203.0.113.2', logIn(app, email))).status).toBe(200);
    await other.kill();
    const again = await startBeside(app, LOOSE);
    expect((await from('203.0.113.1', logIn(again, email))).status).toBe(429);
  });

  it('S-25 is the same for an unknown account, and IPv6 addresses of one /64 count as one', async () => {
    const app = await start(LOOSE);
    const email = anEmail();
    const answers = await inTurn(11, (index) => from(`2001:db8:0:1::${index + 1}`, logIn(app, email, OTHER_PASSWORD)));
    expect(statuses(answers)).toEqual([...times(10, 401), 429]);
    expect((await from('2001:db8:0:2::1', logIn(app, email, OTHER_PASSWORD))).status).toBe(401);
  });

  it('S-25 successes do not count', async () => {
    const app = await start(LOOSE);
    const { email } = await aUser(app);
    expect(statuses(await inTurn(14, () => logIn(app, email)))).toEqual(times(14, 200));
  });

  it('S-25 refuses the 31st failure from one address whatever the accounts', async () => {
    const app = await start(LOOSE);
    const answers = await inTurn(31, () => from('203.0.113.9', logIn(app, anEmail(), OTHER_PASSWORD)));
    expect(statuses(answers)).toEqual([...times(30, 401), 429]);
  });

  it('S-25 an attack from 50 addresses does not lock the owner out of a known address', async () => {
    const app = await start(LOOSE);
    const { email } = await aUser(app);
    expect((await from('198.51.100.7', logIn(app, email))).status).toBe(200);
    await sql(app, `UPDATE known_devices SET last_login_at = now() - interval '60 days'`);
    const attack = await inTurn(104, (index) =>
      from(`203.0.113.${(index % 50) + 1}`, logIn(app, email, OTHER_PASSWORD)),
    );
    expect(statuses(attack)).toEqual([...times(100, 401), ...times(4, 429)]);
    expect((await from('192.0.2.200', logIn(app, email))).status).toBe(429);
    expect((await from('198.51.100.7', logIn(app, email))).status).toBe(200);
    const events = await sql(app, `SELECT 1 FROM security_events WHERE type = 'limit_hit'`);
    expect(events).toHaveLength(1);
  });

  it('S-25 whoever resets the password by a mail during an attack signs in from where he did it', async () => {
    const app = await start(LOOSE);
    const { email } = await aUser(app);
    await inTurn(101, (index) => from(`203.0.113.${(index % 50) + 1}`, logIn(app, email, OTHER_PASSWORD)));
    expect((await from('192.0.2.200', logIn(app, email))).status).toBe(429);
    await from('192.0.2.201', post(app, '/auth/forgot-password', { email }));
    const mails = await waitForMails(app, email, 2);
    const token = tokenIn(
      mails.find(({ text }) => text.includes('/reset-password#')),
      'reset-password',
    );
    const fresh = { token, new_password: 'nine quiet rivers of glass' };
    expect((await from('192.0.2.200', post(app, '/auth/reset-password', fresh))).status).toBe(200);
    expect((await from('192.0.2.200', logIn(app, email, fresh.new_password))).status).toBe(200);
    expect((await from('192.0.2.201', logIn(app, email, fresh.new_password))).status).toBe(429);
  }, 60_000);

  it('S-25 sign-ups and one-time tokens share one limit over two instances, and a restart does not end it', async () => {
    const tight = { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_AUTH: '8/10m', TRUST_PROXY: '1' };
    const app = await start(tight);
    const other = await startBeside(app, tight);
    const signUpAt = (to: { url: string }) => signUp(to, anEmail());
    const calls = [
      signUpAt,
      (to: { url: string }) => post(to, '/auth/verify-email', { token: 'x' }),
      (to: { url: string }) => post(to, '/auth/reset-password', { token: 'x', new_password: PASSWORD }),
      (to: { url: string }) => signUp(to, 'no address'),
    ];
    const call = (to: { url: string }, index: number) => from('203.0.113.1', (calls[index % 4] ?? signUpAt)(to));
    const answers = await inTurn(8, (index) => call(index % 2 === 0 ? app : other, index));
    expect(statuses(answers)).toEqual([201, 400, 400, 400, 201, 400, 400, 400]);
    expect(String(answers[7]?.headers['ratelimit-policy'])).toBe('"auth";q=8;w=600');
    expect(String(answers[7]?.headers.ratelimit)).toMatch(/^"auth";r=0;t=\d+$/);
    const late = await inTurn(4, (index) => call(index % 2 === 0 ? app : other, index));
    expect(late.map(codeOf)).toEqual(Array.from({ length: 4 }, () => 'rate_limited'));
    expect(Number(late[0]?.headers['retry-after'])).toBeGreaterThan(300);
    expect((await from('203.0.113.2', signUp(other, anEmail()))).status).toBe(201);
    await other.kill();
    const again = await startBeside(app, tight);
    expect((await call(again, 1)).status).toBe(429);
    expect((await from('203.0.113.1', logIn(again, anEmail()))).status).toBe(401);
    expect((await from('203.0.113.1', refresh(again, 'x'))).status).toBe(401);
    expect(await sql(app, `SELECT 1 FROM security_events WHERE type = 'limit_hit'`)).toHaveLength(1);
  });

  it('S-25 10 guesses of the current password a session, on two instances and over a restart, and no log-in is counted', async () => {
    const app = await start(LOOSE);
    const { email, token } = await aUser(app);
    const other = await startBeside(app, LOOSE);
    const guess = (to: { url: string }) =>
      post(to, '/account/password', { current_password: OTHER_PASSWORD, new_password: PASSWORD }, token);
    const answers = await inTurn(11, (index) => guess(index % 2 === 0 ? app : other));
    expect(statuses(answers)).toEqual([...times(10, 401), 429]);
    expect(Number(answers[10]?.headers['retry-after'])).toBeGreaterThan(600);
    expect(codeOf(await remove(app, '/account', token, { password: PASSWORD }))).toBe('rate_limited');
    await other.kill();
    expect((await guess(await startBeside(app, LOOSE))).status).toBe(429);
    const second = signedIn(await logIn(app, email));
    expect((await remove(app, '/account', second.token, { password: OTHER_PASSWORD })).status).toBe(401);
    const failures = await sql(app, `SELECT details FROM security_events WHERE type = 'login_failed'`);
    expect(failures).toEqual(Array.from({ length: 11 }, () => ({ details: { confirmation: true } })));
  });

  it('S-25 strangers who use up the log-ins of an account keep no signed-in owner from its password, wherever he is', async () => {
    const app = await start(LOOSE);
    const { email, token } = await aUser(app);
    const networks = Array.from({ length: 12 }, (_, index) => `203.0.113.${index + 1}`);
    const attack: Response[] = [];
    while (attack.length < 108) {
      attack.push(...(await Promise.all(networks.map((ip) => from(ip, logIn(app, email, OTHER_PASSWORD))))));
    }
    expect(statuses(attack).sort()).toEqual([...times(100, 401), ...times(8, 429)]);
    expect((await from('192.0.2.200', logIn(app, email))).status).toBe(429);
    const change = { current_password: PASSWORD, new_password: OTHER_PASSWORD };
    expect((await from('192.0.2.200', post(app, '/account/password', change, token))).status).toBe(200);
    const deleted = await from('192.0.2.201', remove(app, '/account', token, { password: OTHER_PASSWORD }));
    expect(deleted.status).toBe(200);
  });

  it('contract.md 2, 3 limits the public POST /auth/* per address and says how one stands', async () => {
    const app = await start({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_AUTH: '3/10m', TRUST_PROXY: '1' });
    const answers = await inTurn(4, () => from('203.0.113.1', logIn(app, anEmail(), PASSWORD)));
    expect(statuses(answers)).toEqual([401, 401, 401, 429]);
    expect(answers.map(({ headers }) => String(headers['ratelimit-policy']))).toEqual(
      Array.from({ length: 4 }, () => '"auth";q=3;w=600'),
    );
    expect(answers.map(({ headers }) => String(headers.ratelimit).replace(/t=\d+/, 't=…'))).toEqual([
      '"auth";r=2;t=…',
      '"auth";r=1;t=…',
      '"auth";r=0;t=…',
      '"auth";r=0;t=…',
    ]);
    expect(Number(answers[3]?.headers['retry-after'])).toBeGreaterThan(500);
    expect((await from('203.0.113.2', logIn(app, anEmail()))).status).toBe(401);
    expect(statuses(await inTurn(30, () => from('203.0.113.1', refresh(app, 'x'))))).toEqual(times(30, 401));
    expect((await from('203.0.113.1', refresh(app, 'x'))).status).toBe(429);
  });

  it.each(['//auth/login', '/AUTH/login', '/auth/login/', '/auth/login?x=1'])(
    'S-26 %s gives no new bucket',
    async (path) => {
      const app = await start({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_AUTH: '2/1m' });
      await inTurn(2, (index) => logIn(app, anEmail()).set('X-Forwarded-For', `203.0.113.${index}`));
      const answer = await request(app.url).post(path).send({ email: anEmail(), password: PASSWORD });
      expect([404, 429]).toContain(answer.status);
      expect((await logIn(app, anEmail()).set('X-Forwarded-For', '203.0.113.77')).status).toBe(429);
    },
  );

  it('contract.md 4 forgot-password has no 429: past the limit it answers alike and sends nothing', async () => {
    const app = await start({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_AUTH: '4/1m' });
    const { email } = await aUser(app);
    const answers = await inTurn(6, () => post(app, '/auth/forgot-password', { email }));
    expect(statuses(answers)).toEqual(times(6, 200));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await sql(app, `SELECT 1 FROM mail_outbox WHERE kind = 'reset'`)).toHaveLength(2);
  });

  it('S-26, contract.md 2 limits API-key paths per user, after the credential and before everything else', async () => {
    const app = await start({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_API: '2/1m' });
    const person = await aUser(app);
    const { key } = (await post(app, '/account/api-keys', {}, person.token)).body as { key: string };
    const answers = await inTurn(3, () => get(app, '/me', key));
    expect(statuses(answers)).toEqual([200, 200, 429]);
    expect(String(answers[0]?.headers['ratelimit-policy'])).toBe('"api";q=2;w=60');
    expect(String(answers[0]?.headers.ratelimit)).toMatch(/^"api";r=1;t=\d+$/);
    expect((await get(app, '/me', 'svc_sk_live_wrong')).status).toBe(401);
  });

  it('contract.md 2 RATE_LIMIT_ENABLED=false turns these limits off, and mail limits stay', async () => {
    const app = await start({ RATE_LIMIT_ENABLED: 'false', RATE_LIMIT_AUTH: '1/1m' });
    const { email } = await aUser(app);
    expect(statuses(await inTurn(12, () => logIn(app, email, OTHER_PASSWORD)))).toEqual(times(12, 401));
    expect(statuses(await inTurn(3, () => signUp(app, anEmail())))).toEqual(times(3, 201));
    await inTurn(5, () => post(app, '/auth/forgot-password', { email }));
    const waiting = () => sql(app, 'SELECT 1 FROM mail_outbox WHERE done_at IS NULL');
    while ((await waiting()).length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    const resets = (await mailsTo(app, email)).filter(({ text }) => text.includes('/reset-password#'));
    expect(resets).toHaveLength(3);
  });
});
