import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type request from 'supertest';
import { startTestApp, type TestApp } from './support/app.js';
import { aBot } from './support/bots.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { startInstance } from './support/instance.js';
import { mailsTo, tokenIn, waitForMails } from './support/mail.js';
import {
  codeOf,
  cookieOf,
  detailsOf,
  get,
  logIn,
  OTHER_PASSWORD,
  PASSWORD,
  post,
  refresh,
  remove,
  type SignedIn,
  signedIn,
  signUp,
} from './support/calls.js';
import { dump, sql } from './support/rows.js';
import { anEmail, aUser } from './support/users.js';
import { rounds } from './support/long.js';

async function statusOf(app: TestApp, token: string): Promise<number> {
  return (await get(app, '/account/profile', token)).status;
}

async function anApiKey(app: TestApp, person: SignedIn): Promise<{ key: string; prefix: string }> {
  return (await post(app, '/account/api-keys', {}, person.token)).body as { key: string; prefix: string };
}

/** The token of the newest reset mail; waits for so many mails of that kind. */
async function resetToken(app: TestApp, email: string, count = 1): Promise<string> {
  const deadline = Date.now() + 25_000;
  for (;;) {
    const resets = (await mailsTo(app, email)).filter(({ text }) => text.includes('/reset-password#'));
    if (resets.length >= count) return tokenIn(resets.at(-1), 'reset-password');
    if (Date.now() > deadline) throw new Error(`${resets.length} of ${count} reset mails to ${email}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function askForReset(app: TestApp, email: string, count = 1): Promise<string> {
  await post(app, '/auth/forgot-password', { email });
  return resetToken(app, email, count);
}

function reset(app: TestApp, token: string, password = OTHER_PASSWORD): request.Test {
  return post(app, '/auth/reset-password', { token, new_password: password });
}

async function settled(app: TestApp): Promise<void> {
  while ((await sql(app, 'SELECT 1 FROM mail_outbox WHERE done_at IS NULL')).length > 0) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('passwords', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app.close());

  it('S-6, specification.md 4.4 answers 200 alike for every well-formed address, and mails only those it knows', async () => {
    const { email } = await aUser(app);
    const unknown = anEmail();
    const answers = await Promise.all([email, unknown].map((to) => post(app, '/auth/forgot-password', { email: to })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.body).toEqual({ message: expect.any(String) });
    expect(answers[1]?.body).toEqual(answers[0]?.body);
    await resetToken(app, email);
    await settled(app);
    expect(await mailsTo(app, unknown)).toEqual([]);
    expect((await post(app, '/auth/forgot-password', { email: 'no address' })).status).toBe(400);
  });

  it('S-6 writes one row for every address, known or not', async () => {
    const { email } = await aUser(app);
    const rows = async (of: string) =>
      (await sql(app, `SELECT 1 FROM mail_outbox WHERE recipient = $1 AND kind = 'reset'`, [of])).length;
    for (const address of [email, anEmail()]) {
      await post(app, '/auth/forgot-password', { email: address });
      expect(await rows(address)).toBe(1);
    }
  });

  it('S-24 a reset sets the password, ends every session, keeps a verified API key and says so in a mail', async () => {
    const first = await aUser(app);
    const second = signedIn(await logIn(app, first.email));
    const { key, prefix } = await anApiKey(app, first);
    const answer = await reset(app, await askForReset(app, first.email));
    expect([answer.status, answer.body, cookieOf(answer)]).toEqual([200, { message: expect.any(String) }, '']);
    for (const { token, refresh: cookie } of [first, second]) {
      expect(await statusOf(app, token)).toBe(401);
      expect((await refresh(app, cookie)).status).toBe(401);
    }
    expect((await logIn(app, first.email)).status).toBe(401);
    expect((await logIn(app, first.email, OTHER_PASSWORD)).status).toBe(200);
    expect((await get(app, '/me', key)).status).toBe(200);
    await settled(app);
    const notice = (await mailsTo(app, first.email)).find(({ subject }) => subject === 'Your password was changed');
    expect(notice?.text).toContain(prefix);
  });

  it('S-9 a reset token works once, and of 20 parallel uses one', async () => {
    const { email } = await aUser(app);
    const token = await askForReset(app, email);
    const answers = await Promise.all(Array.from({ length: 20 }, () => reset(app, token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 400)]);
    expect(codeOf(await reset(app, token))).toBe('invalid_token');
  });

  it('S-9 a new reset token ends the older one, and neither is a verification token', async () => {
    const { email } = await aUser(app);
    const older = await askForReset(app, email);
    const newer = await askForReset(app, email, 2);
    expect(codeOf(await reset(app, older))).toBe('invalid_token');
    expect(codeOf(await post(app, '/auth/verify-email', { token: newer }))).toBe('invalid_token');
    expect((await reset(app, newer)).status).toBe(200);
  });

  it('S-9 of reset requests at once the newest one’s link lasts, and no other', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { email } = await aUser(app);
      await sql(app, `DELETE FROM rate_limits WHERE key LIKE 'mail:%'`);
      await Promise.all([1, 2, 3].map(() => post(app, '/auth/forgot-password', { email })));
      await resetToken(app, email, 3);
      await settled(app);
      const resets = (await mailsTo(app, email)).filter(({ text }) => text.includes('/reset-password#'));
      const codes = [];
      for (const mail of resets) codes.push(codeOf(await reset(app, tokenIn(mail, 'reset-password'), 'short')));
      expect(codes).toEqual(['invalid_token', 'invalid_token', 'weak_password']);
    }
  });

  it('S-9 a reset mail that is tried again late does not end the link of a newer one', async () => {
    const { email } = await aUser(app);
    const token = await askForReset(app, email);
    await settled(app);
    await sql(
      app,
      `INSERT INTO mail_outbox (id, kind, recipient, data, attempts) VALUES ('mail_0', 'reset', $1, '{"origin": null}', 1)`,
      [email],
    );
    await settled(app);
    expect(await sql(app, `SELECT outcome FROM mail_outbox WHERE id = 'mail_0'`)).toEqual([{ outcome: 'not_needed' }]);
    expect((await reset(app, token)).status).toBe(200);
  });

  it('S-9 a reset mail is not given up for a newer one that may turn out to be one too many', async () => {
    const { email } = await aUser(app);
    await sql(
      app,
      `INSERT INTO mail_outbox (id, kind, recipient, data, attempts, next_attempt_at)
       VALUES ('mail_01', 'reset', $1, '{"origin": null}', 1, now() + interval '1 minute'),
              ('mail_00', 'reset', $1, '{"origin": null}', 1, now())`,
      [email],
    );
    const older = () =>
      sql<{ attempts: number; outcome: string | null }>(
        app,
        `SELECT attempts, outcome FROM mail_outbox WHERE recipient = $1 AND id = 'mail_00'`,
        [email],
      );
    while ((await older())[0]?.attempts === 1) await delay(50);
    await delay(300);
    expect(await older()).toEqual([{ attempts: 2, outcome: null }]);
    await sql(app, `UPDATE mail_outbox SET done_at = now(), outcome = 'not_needed' WHERE id = 'mail_01'`);
    await sql(app, `UPDATE mail_outbox SET next_attempt_at = now() WHERE id = 'mail_00'`);
    expect((await reset(app, await resetToken(app, email))).status).toBe(200);
  });

  it('S-9 a change of the password by its owner ends mailed reset links', async () => {
    const { email, token: session } = await aUser(app);
    const token = await askForReset(app, email);
    const change = { current_password: PASSWORD, new_password: OTHER_PASSWORD };
    expect((await post(app, '/account/password', change, session)).status).toBe(200);
    expect(codeOf(await reset(app, token))).toBe('invalid_token');
  });

  it('S-9 an expired reset token is refused, and the database shows none', async () => {
    const { email } = await aUser(app);
    const token = await askForReset(app, email);
    expect(await dump(app)).not.toContain(token);
    await sql(app, `UPDATE account_tokens SET expires_at = now() WHERE email = $1`, [email]);
    expect(codeOf(await reset(app, token))).toBe('invalid_token');
  });

  it('S-3, contract.md 3 looks at the token before the password, and a refused password does not use it up', async () => {
    const { email } = await aUser(app);
    expect(codeOf(await reset(app, 'x'.repeat(43), 'short'))).toBe('invalid_token');
    const token = await askForReset(app, email);
    const weak = await reset(app, token, email);
    expect([weak.status, detailsOf(weak)]).toEqual([422, { reasons: ['personal'] }]);
    expect((await reset(app, token)).status).toBe(200);
  });

  it('contract.md 4 a reset of an address with only waiting sign-ups verifies it and drops the others', async () => {
    const email = anEmail();
    const { user_id: id } = (await signUp(app, email, { password: PASSWORD })).body as { user_id: string };
    const [mail] = await waitForMails(app, email, 1);
    expect((await reset(app, await askForReset(app, email))).status).toBe(200);
    const person = signedIn(await logIn(app, email, OTHER_PASSWORD));
    expect(person.id).toBe(id);
    expect((await get(app, '/account/profile', person.token)).body).toMatchObject({ email_verified: true });
    expect((await logIn(app, email, PASSWORD)).status).toBe(401);
    expect(codeOf(await post(app, '/auth/verify-email', { token: tokenIn(mail, 'verify-email') }))).toBe(
      'invalid_token',
    );
    expect(await sql(app, 'SELECT 1 FROM pending_signups WHERE email = $1', [email])).toEqual([]);
  });

  it('S-3, contract.md 4 changes the password, ends the other sessions and keeps this one', async () => {
    const first = await aUser(app);
    const second = signedIn(await logIn(app, first.email));
    const change = (current: string, fresh: string) =>
      post(app, '/account/password', { current_password: current, new_password: fresh }, second.token);
    expect(codeOf(await change(OTHER_PASSWORD, 'another good password 9'))).toBe('invalid_credentials');
    expect(codeOf(await change(PASSWORD, 'password1234'))).toBe('weak_password');
    expect(await statusOf(app, first.token)).toBe(200);
    expect((await change(PASSWORD, OTHER_PASSWORD)).status).toBe(200);
    expect(await statusOf(app, first.token)).toBe(401);
    expect(await statusOf(app, second.token)).toBe(200);
    expect((await logIn(app, first.email, OTHER_PASSWORD)).status).toBe(200);
    expect((await logIn(app, first.email, PASSWORD)).status).toBe(401);
  });

  it('contract.md 4 deletes the account with everything in it, and only with the password', async () => {
    const person = await aUser(app);
    const { key } = await anApiKey(app, person);
    const bot = await aBot(app, person);
    const refused = await remove(app, '/account', person.token, { password: OTHER_PASSWORD });
    expect([refused.status, codeOf(refused)]).toEqual([401, 'invalid_credentials']);
    const answer = await remove(app, '/account', person.token, { password: PASSWORD });
    expect([answer.status, answer.body]).toEqual([200, { message: expect.any(String) }]);
    expect(cookieOf(answer)).toContain('refresh_token=; Max-Age=0');
    expect(await statusOf(app, person.token)).toBe(401);
    expect((await get(app, '/me', key)).status).toBe(401);
    expect((await get(app, '/me', bot.key)).status).toBe(401);
    expect((await refresh(app, person.refresh)).status).toBe(401);
    expect((await logIn(app, person.email)).status).toBe(401);
    for (const table of [
      'sessions',
      'api_keys',
      'bots',
      'bot_keys',
      'exchange_credentials',
      'user_identities',
      'known_devices',
    ]) {
      expect(await sql(app, `SELECT 1 FROM ${table} WHERE user_id = $1`, [person.id])).toEqual([]);
    }
    expect((await signUp(app, person.email)).status).toBe(201);
  });
});

describe('accounts in whitelist mode', () => {
  let app: TestApp;
  let database: TestDatabase;
  const approved = Array.from({ length: 6 }, (_, index) => `approved-${index}@example.com`);

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await startTestApp({ ACCESS_MODE: 'whitelist', WHITELIST_EMAILS: approved.slice(1).join(',') }, database);
    await sql(app, 'INSERT INTO whitelist_emails (email) VALUES ($1)', [approved[0]]);
  });

  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  it.each([0, 1])(
    'S-13, specification.md 4.1 signs an approved address in at once (%i), not verified until proved',
    async (index) => {
      const email = approved[index] ?? '';
      const answer = await signUp(app, email.toUpperCase());
      expect(answer.status).toBe(201);
      const person = signedIn(answer);
      expect(Object.keys(answer.body as object)).toEqual(['access_token', 'user']);
      expect(cookieOf(answer)).toContain('HttpOnly');
      expect((await get(app, '/account/profile', person.token)).body).toMatchObject({ email_verified: false });
      expect((await logIn(app, email)).status).toBe(200);
      const [mail] = await waitForMails(app, email, 1);
      const link = { token: tokenIn(mail, 'verify-email') };
      const verified = await post(app, '/auth/verify-email', link, person.token);
      expect(verified.body).toMatchObject({ user: { id: person.id } });
      expect((await get(app, '/account/profile', person.token)).body).toMatchObject({ email_verified: true });
    },
  );

  it('S-7, S-13 answers alike for an address that is not approved and one that is taken, and writes nothing', async () => {
    await signUp(app, approved[2] ?? '');
    const answers = await Promise.all([signUp(app, anEmail()), signUp(app, approved[2] ?? '', { name: 'Mallory' })]);
    const seen = answers.map(({ status, body }) => {
      const { error } = body as { error: Record<string, unknown> };
      return JSON.stringify([status, { ...error, request_id: '' }]);
    });
    expect(seen[0]).toContain('signup_not_allowed');
    expect(new Set(seen).size).toBe(1);
    expect(await sql(app, `SELECT 1 FROM users WHERE name = 'Mallory'`)).toEqual([]);
  });

  it('R-8 of 20 parallel sign-ups over two instances one is 201', async () => {
    const other = await startInstance(app, { ACCESS_MODE: 'whitelist' });
    for (let round = 0; round < rounds(5, 50); round += 1) {
      const email = anEmail();
      await sql(app, 'INSERT INTO whitelist_emails (email) VALUES ($1)', [email]);
      const calls = Array.from({ length: 20 }, (_, index) => signUp(index % 2 === 0 ? app : other, email));
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      expect(statuses.sort()).toEqual([201, ...Array.from({ length: 19 }, () => 403)]);
    }
    await other.close();
  });

  it('S-24 a reset of an unverified account also removes the API key that somebody made in it', async () => {
    const email = approved[4] ?? '';
    const squatter = signedIn(await signUp(app, email));
    const { key } = await anApiKey(app, squatter);
    expect((await get(app, '/me', key)).status).toBe(200);
    expect((await reset(app, await askForReset(app, email))).status).toBe(200);
    expect((await get(app, '/me', key)).status).toBe(401);
    expect(await statusOf(app, squatter.token)).toBe(401);
    const owner = signedIn(await logIn(app, email, OTHER_PASSWORD));
    expect((await get(app, '/account/profile', owner.token)).body).toMatchObject({ email_verified: true });
  });
});
