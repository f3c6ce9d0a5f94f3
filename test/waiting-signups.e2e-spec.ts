import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from './support/app.js';
import { mailsTo, tokenIn, waitForMails } from './support/mail.js';
import {
  codeOf,
  cookieOf,
  get,
  logIn,
  OTHER_PASSWORD,
  PASSWORD,
  post,
  refresh,
  signedIn,
  signUp,
} from './support/calls.js';
import { sql } from './support/rows.js';
import { anEmail } from './support/users.js';

describe('several sign-ups that wait for one address (S-55)', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app.close());

  async function settled(email: string): Promise<void> {
    const waiting = 'SELECT 1 FROM mail_outbox WHERE recipient = $1 AND done_at IS NULL';
    while ((await sql(app, waiting, [email])).length > 0) await delay(50);
  }

  const verify = (token: string) => post(app, '/auth/verify-email', { token });

  /** Two sign-ups, the second once the mail of the first has left; their ids and tokens. */
  async function two(email: string): Promise<{ ids: string[]; tokens: string[] }> {
    const ids: string[] = [];
    const tokens: string[] = [];
    for (const [index, password] of [PASSWORD, OTHER_PASSWORD].entries()) {
      const answer = await signUp(app, email, { password, name: ['One', 'Two'][index] ?? '' });
      ids.push((answer.body as { user_id: string }).user_id);
      const mails = await waitForMails(app, email, index + 1);
      tokens.push(tokenIn(mails.at(-1), 'verify-email'));
    }
    return { ids, tokens };
  }

  it('S-55 the link of the newest activates the account without any password and name, and signs in', async () => {
    const email = anEmail();
    const { ids, tokens } = await two(email);
    const answer = await verify(tokens[1] ?? '');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      user: { id: ids[1], email, name: email.split('@')[0], avatar_url: null, role: 'user' },
    });
    expect(cookieOf(answer)).toContain('HttpOnly');
    const person = signedIn(answer);
    expect((await get(app, '/account/profile', person.token)).body).toMatchObject({
      name: email.split('@')[0],
      email_verified: true,
      providers: [],
    });
    expect((await refresh(app, person.refresh)).status).toBe(200);
    for (const password of [PASSWORD, OTHER_PASSWORD]) {
      expect(codeOf(await logIn(app, email, password))).toBe('invalid_credentials');
    }
    expect(await sql(app, 'SELECT 1 FROM pending_signups WHERE email = $1', [email])).toEqual([]);
  });

  it('S-55 a newer sign-up ends the link of an older one', async () => {
    const email = anEmail();
    const { tokens } = await two(email);
    const old = await verify(tokens[0] ?? '');
    expect([old.status, codeOf(old)]).toEqual([400, 'invalid_token']);
    expect(await sql(app, 'SELECT 1 FROM users WHERE email = $1', [email])).toEqual([]);
    expect((await verify(tokens[1] ?? '')).status).toBe(200);
    expect(codeOf(await verify(tokens[0] ?? ''))).toBe('invalid_token');
  });

  it('S-55 whoever has followed the link sets a password by a reset', async () => {
    const email = anEmail();
    const { tokens } = await two(email);
    const person = signedIn(await verify(tokens[1] ?? ''));
    const change = { current_password: OTHER_PASSWORD, new_password: 'nine quiet rivers of glass' };
    expect(codeOf(await post(app, '/account/password', change, person.token))).toBe('invalid_credentials');
    await post(app, '/auth/forgot-password', { email });
    const mails = await waitForMails(app, email, 3);
    const fresh = { token: tokenIn(mails.at(-1), 'reset-password'), new_password: change.new_password };
    expect((await post(app, '/auth/reset-password', fresh)).status).toBe(200);
    expect(signedIn(await logIn(app, email, fresh.new_password)).id).toBe(person.id);
  });

  it('S-55 a reset that finds several waiting takes over no name and no password of theirs', async () => {
    const email = anEmail();
    await two(email);
    await post(app, '/auth/forgot-password', { email });
    const mails = await waitForMails(app, email, 3);
    const fresh = { token: tokenIn(mails.at(-1), 'reset-password'), new_password: 'nine quiet rivers of glass' };
    expect((await post(app, '/auth/reset-password', fresh)).status).toBe(200);
    const answer = await logIn(app, email, fresh.new_password);
    expect(answer.body).toMatchObject({ user: { name: email.split('@')[0] } });
    expect(codeOf(await logIn(app, email, OTHER_PASSWORD))).toBe('invalid_credentials');
  });

  it('S-55 a sign-up whose mail was one too many ends no link, and its password does not count either', async () => {
    const email = anEmail();
    for (let index = 0; index < 3; index += 1) await signUp(app, email);
    await settled(email);
    await signUp(app, email, { password: OTHER_PASSWORD, name: 'Mallory' });
    await settled(email);
    const mails = await mailsTo(app, email);
    expect(mails).toHaveLength(3);
    const answer = await verify(tokenIn(mails.at(-1), 'verify-email'));
    expect(answer.body).toMatchObject({ user: { name: email.split('@')[0] } });
    expect((await logIn(app, email, OTHER_PASSWORD)).status).toBe(401);
    expect((await logIn(app, email)).status).toBe(401);
  });

  it('S-10 a single sign-up keeps its password and name, also after a second mail of it', async () => {
    const email = anEmail();
    await signUp(app, email, { name: 'Only One' });
    const [first] = await waitForMails(app, email, 1);
    expect(codeOf(await logIn(app, email))).toBe('email_not_verified');
    await waitForMails(app, email, 2);
    const answer = await verify(tokenIn(first, 'verify-email'));
    expect(answer.body).toMatchObject({ user: { name: 'Only One' } });
    expect((await logIn(app, email)).status).toBe(200);
  });

  it('S-55 a mail of an older sign-up that is tried again late does not end the link of a newer one', async () => {
    const email = anEmail();
    const { ids, tokens } = await two(email);
    await settled(email);
    await sql(
      app,
      `INSERT INTO mail_outbox (id, kind, recipient, data, attempts)
       VALUES ($3, 'sign_up', $1, jsonb_build_object('sign_up_id', $2::text), 1)`,
      [email, ids[0], `mail_00${ids[0] ?? ''}`],
    );
    await settled(email);
    expect(await mailsTo(app, email)).toHaveLength(2);
    expect((await verify(tokens[1] ?? '')).status).toBe(200);
  });

  it('S-55 the mail says that a password is set after the link, where another sign-up waits already', async () => {
    const email = anEmail();
    await two(email);
    const mails = await mailsTo(app, email);
    expect(mails.map(({ text }) => text.includes('none of their passwords will count'))).toEqual([false, true]);
    expect(mails[1]?.raw).not.toMatch(/One|Two/);
  });
});
