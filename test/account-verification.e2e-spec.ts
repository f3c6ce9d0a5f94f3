import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request, { type Response } from 'supertest';
import { MailWorker } from '../src/platform/mail/mail-worker.js';
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
  refreshOf,
  type SignedIn,
  signedIn,
  signUp,
} from './support/calls.js';
import { type Instance, startInstance } from './support/instance.js';
import { type ReadMail, tokenIn, waitForMails } from './support/mail.js';
import { sql } from './support/rows.js';
import { anApiKey, anEmail, WALLET } from './support/users.js';

const SETTINGS = { ACCESS_MODE: 'whitelist' };

type Place = Pick<TestApp, 'url'>;

interface Presented {
  readonly cookie?: string;
  readonly token?: string;
  readonly replace?: boolean;
}

/** Follows a link, with what the browser has. */
function follow(to: Place, link: string, { cookie, token, replace }: Presented = {}): request.Test {
  const call = request(to.url).post('/auth/verify-email');
  if (cookie !== undefined) call.set('Cookie', `refresh_token=${cookie}`);
  if (token !== undefined) call.set('Authorization', `Bearer ${token}`);
  return call.send({ token: link, ...(replace === undefined ? {} : { replace_session: replace }) });
}

function store(to: Place, token: string): request.Test {
  return request(to.url).put('/account/credentials/polymarket').auth(token, { type: 'bearer' }).send(WALLET);
}

describe('the first proof of the address of a whitelist account', () => {
  let app: TestApp;
  let other: Instance;

  beforeAll(async () => {
    app = await startTestApp(SETTINGS);
    other = await startInstance(app, SETTINGS);
  }, 60_000);

  afterAll(async () => {
    await other.close();
    await app.close();
  });

  /** So many mails, without the delay that they have otherwise (S-6). */
  async function mailsNow(email: string, count: number): Promise<ReadMail[]> {
    await sql(app, 'UPDATE mail_outbox SET next_attempt_at = now() WHERE recipient = $1 AND attempts = 0', [email]);
    app.get(MailWorker).wake(0);
    return waitForMails(app, email, count);
  }

  /** Somebody who signed up with an approved address, and the token of the mail that went to its owner. */
  async function aSignUp(): Promise<SignedIn & { readonly link: string }> {
    const email = anEmail();
    await sql(app, 'INSERT INTO whitelist_emails (email) VALUES ($1)', [email]);
    const person = signedIn(await signUp(app, email, { name: 'Mallory' }));
    const [mail] = await mailsNow(email, 1);
    return { ...person, link: tokenIn(mail, 'verify-email') };
  }

  async function statusOf(answer: PromiseLike<Response>): Promise<number> {
    return (await answer).status;
  }

  const places: readonly (readonly [string, () => readonly Place[]])[] = [
    ['one instance', () => [app]],
    ['two instances', () => [other, app]],
  ];

  it.each(places)('S-12 a link that is followed from outside takes the account over: %s', async (_, placesOf) => {
    const [first = app, second = first] = placesOf();
    const squatter = await aSignUp();
    const key = await anApiKey(app, squatter, ['admin']);
    await store(app, squatter.token).expect(200);
    const identity = `INSERT INTO user_identities (provider, subject, user_id) VALUES ('github', $1, $1)`;
    await sql(app, identity, [squatter.id]);
    expect(await statusOf(get(second, '/me', key))).toBe(200);

    const owner = signedIn(await follow(first, squatter.link));
    expect(owner.id).toBe(squatter.id);
    for (const place of [second, first]) {
      expect(await statusOf(get(place, '/me', key))).toBe(401);
      expect(await statusOf(get(place, '/account/profile', squatter.token))).toBe(401);
      expect(await statusOf(refresh(place, squatter.refresh))).toBe(401);
      expect(await statusOf(logIn(place, squatter.email))).toBe(401);
      expect((await get(place, '/account/profile', owner.token)).body).toMatchObject({
        name: squatter.email.split('@')[0],
        email_verified: true,
        providers: [],
      });
      expect((await get(place, '/account/api-keys', owner.token)).body).toEqual({ keys: [] });
    }
    expect(await sql(app, 'SELECT 1 FROM exchange_credentials WHERE user_id = $1', [owner.id])).toEqual([]);
    await store(second, owner.token).expect(200);
    expect(await statusOf(get(first, '/me', key))).toBe(401);

    const { data } = (await get(first, '/account/activity', owner.token)).body as { data: { type: string }[] };
    expect(data.filter(({ type }) => type === 'account_taken_over')).toMatchObject([
      { details: { provider: 'email' } },
    ]);
    await post(first, '/auth/forgot-password', { email: owner.email });
    const mails = await mailsNow(owner.email, 4);
    const notice = mails.find(({ subject }) => subject === 'Your account was made safe');
    expect(notice?.text).toContain('Proved by: the link in a mail');
    const reset = mails.find(({ text }) => text.includes('/reset-password#'));
    const body = { token: tokenIn(reset, 'reset-password'), new_password: OTHER_PASSWORD };
    await post(first, '/auth/reset-password', body).expect(200);
    expect(await statusOf(logIn(second, owner.email, OTHER_PASSWORD))).toBe(200);
  });

  it.each<[string, (person: SignedIn) => Promise<Presented>]>([
    ['the refresh cookie alone', ({ refresh: cookie }) => Promise.resolve({ cookie })],
    ['the access token alone', ({ token }) => Promise.resolve({ token })],
    [
      'the cookie from before a refresh under way',
      async ({ refresh: cookie }) => {
        await refresh(app, cookie).expect(200);
        return { cookie };
      },
    ],
    [
      'the cookie of another sign-in to it',
      async ({ email }) => ({ cookie: signedIn(await logIn(app, email)).refresh }),
    ],
  ])('S-12 a link that is followed with %s keeps all', async (_, presentedOf) => {
    const person = await aSignUp();
    const key = await anApiKey(app, person);
    await store(app, person.token).expect(200);
    const presented = await presentedOf(person);
    const verified = signedIn(await follow(other, person.link, presented));
    expect(verified.id).toBe(person.id);
    expect((await get(app, '/account/profile', person.token)).body).toMatchObject({
      name: 'Mallory',
      email_verified: true,
      providers: ['email'],
    });
    expect(await statusOf(get(app, '/me', key))).toBe(200);
    expect(await sql(app, 'SELECT 1 FROM exchange_credentials WHERE user_id = $1', [person.id])).toHaveLength(1);
    expect(await statusOf(logIn(app, person.email, PASSWORD))).toBe(200);
    const taken = `SELECT 1 FROM security_events WHERE user_id = $1 AND type = 'account_taken_over'`;
    expect(await sql(app, taken, [person.id])).toEqual([]);
  });

  it.each<[string, (person: SignedIn) => Promise<Presented>]>([
    [
      'a session that was signed out',
      async ({ token, refresh: cookie }) => {
        await post(other, '/auth/logout', undefined, token).expect(200);
        return { token, cookie };
      },
    ],
    [
      'a session that has lasted too long',
      async ({ id, token, refresh: cookie }) => {
        await sql(app, `UPDATE sessions SET expires_at = now() WHERE user_id = $1`, [id]);
        return { token, cookie };
      },
    ],
    [
      'a cookie that was spent long ago',
      async ({ refresh: cookie }) => {
        await refresh(app, cookie).expect(200);
        await sql(app, `UPDATE refresh_rotations SET rotated_at = rotated_at - interval '11 seconds'`);
        return { cookie };
      },
    ],
    ['the API key of the account', async (person) => ({ token: await anApiKey(app, person) })],
    ['credentials that are none', () => Promise.resolve({ token: 'a.b.c', cookie: 'x'.repeat(43) })],
    ["another account's session, as it may be replaced", async () => ({ ...(await asAnother()), replace: true })],
  ])('S-12 %s counts as outside', async (_, presentedOf) => {
    const person = await aSignUp();
    const presented = await presentedOf(person);
    const owner = signedIn(await follow(app, person.link, presented));
    expect((await get(app, '/account/profile', owner.token)).body).toMatchObject({ providers: [] });
    expect(await statusOf(logIn(app, person.email))).toBe(401);
    expect(await statusOf(get(other, '/account/profile', person.token))).toBe(401);
  });

  async function asAnother(): Promise<{ cookie: string }> {
    return { cookie: (await aSignUp()).refresh };
  }

  it.each<[string, (victim: SignedIn) => Presented]>([
    ['cookie', ({ refresh: cookie }) => ({ cookie })],
    ['access token', ({ token }) => ({ token })],
    ['cookie, said not to be replaced', ({ refresh: cookie }) => ({ cookie, replace: false })],
  ])("S-20 a link does not replace the session of another account's %s unasked", async (_, presentedOf) => {
    const [attacker, victim] = [await aSignUp(), await aSignUp()];
    const before = await sql(app, 'SELECT * FROM account_tokens WHERE email = $1', [attacker.email]);
    const refused = await follow(app, attacker.link, presentedOf(victim));
    expect([refused.status, codeOf(refused), detailsOf(refused)]).toEqual([
      403,
      'forbidden',
      { reason: 'another_account' },
    ]);
    expect(refused.headers['set-cookie']).toBeUndefined();
    expect(await sql(app, 'SELECT * FROM account_tokens WHERE email = $1', [attacker.email])).toEqual(before);
    expect(await statusOf(get(app, '/account/profile', victim.token))).toBe(200);
    expect(await statusOf(get(app, '/account/profile', attacker.token))).toBe(200);
    const replaced = await follow(other, attacker.link, { ...presentedOf(victim), replace: true });
    expect(signedIn(replaced).id).toBe(attacker.id);
    expect(refreshOf(replaced)).not.toBe('');
  });

  it('S-20 a session of its own beside that of another account does not make a link replace that one', async () => {
    const [person, victim] = [await aSignUp(), await aSignUp()];
    const both = { token: person.token, cookie: victim.refresh };
    expect(codeOf(await follow(app, person.link, both))).toBe('forbidden');
    expect(codeOf(await follow(app, 'x'.repeat(43), both))).toBe('invalid_token');
    await follow(app, person.link, { ...both, replace: true }).expect(200);
    expect(await statusOf(logIn(app, person.email))).toBe(200);
  });

  it('a bad replace_session, and two cookies, are refused and use nothing up', async () => {
    const person = await aSignUp();
    const call = () => request(app.url).post('/auth/verify-email');
    const bad = await call().send({ token: person.link, replace_session: 'yes' });
    expect([bad.status, codeOf(bad)]).toEqual([400, 'bad_request']);
    const two = await call().set('Cookie', `refresh_token=a; refresh_token=b`).send({ token: person.link });
    expect([two.status, codeOf(two)]).toEqual([401, 'unauthorized']);
    await follow(app, person.link, { cookie: person.refresh }).expect(200);
  });

  it('S-12 whenever a link meets a log-out, stored credentials and itself, it ends one way or the other', async () => {
    for (let round = 0; round < 8; round += 1) {
      const person = await aSignUp();
      const [, stored, key, ...followed] = await Promise.all([
        post(other, '/auth/logout', undefined, person.token),
        store(app, person.token),
        post(other, '/account/api-keys', { scopes: ['admin'] }, person.token),
        delay(round * 2).then(() => follow(app, person.link, { cookie: person.refresh })),
        delay(round * 2).then(() => follow(other, person.link, { cookie: person.refresh })),
      ]);
      expect([200, 401]).toContain(stored.status);
      expect([201, 401]).toContain(key.status);
      expect(followed.map(({ status }) => status).sort()).toEqual([200, 400]);
      const owner = signedIn(followed.find(({ status }) => status === 200) ?? stored);
      const { providers } = (await get(app, '/account/profile', owner.token)).body as { providers: string[] };
      if (providers.length > 0) continue;
      expect(await sql(app, 'SELECT 1 FROM exchange_credentials WHERE user_id = $1', [person.id])).toEqual([]);
      const live = 'SELECT 1 FROM api_keys WHERE user_id = $1 AND revoked_at IS NULL';
      expect(await sql(app, live, [person.id])).toEqual([]);
      expect(await statusOf(logIn(app, person.email))).toBe(401);
    }
  });

  it('S-12 a log-out that is not committed yet decides whether a link came from inside', async () => {
    const person = await aSignUp();
    const client = new pg.Client({ connectionString: app.database.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query('UPDATE sessions SET revoked_at = now() WHERE user_id = $1', [person.id]);
    const followed = follow(app, person.link, { token: person.token, cookie: person.refresh }).then(signedIn);
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    while ((await sql(app, waiting)).length === 0) await delay(5);
    await client.query('COMMIT');
    await client.end();
    expect((await get(app, '/account/profile', (await followed).token)).body).toMatchObject({ providers: [] });
  });

  it('S-55 the verification mail is sent again for who is signed in, three times an hour, and its link keeps all', async () => {
    const person = await aSignUp();
    const key = await anApiKey(app, person);
    for (const [place, count] of [
      [app, 2],
      [other, 3],
      [app, 4],
    ] as const) {
      const asked = await post(place, '/account/verification', undefined, person.token);
      expect([asked.status, asked.body]).toEqual([200, { message: expect.stringContaining('on its way') }]);
      await mailsNow(person.email, count);
    }
    const refused = await post(other, '/account/verification', undefined, person.token);
    expect([refused.status, codeOf(refused), Number(refused.headers['retry-after']) > 3_000]).toEqual([
      429,
      'rate_limited',
      true,
    ]);
    const mails = await waitForMails(app, person.email, 4);
    const links = mails.map((mail) => tokenIn(mail, 'verify-email'));
    expect(new Set(links).size).toBe(4);
    await follow(app, links[2] ?? '', { cookie: person.refresh }).expect(200);
    expect(await statusOf(get(app, '/me', key))).toBe(200);
    expect(codeOf(await follow(app, links[3] ?? ''))).toBe('invalid_token');
    const done = await post(app, '/account/verification', undefined, person.token);
    expect([done.status, done.body]).toEqual([200, { message: expect.stringContaining('verified already') }]);
    expect(
      await sql(app, 'SELECT 1 FROM mail_outbox WHERE recipient = $1 AND done_at IS NULL', [person.email]),
    ).toEqual([]);
  });
});
