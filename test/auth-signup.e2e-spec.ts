import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TestApp, startTestApp } from './support/app.js';
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
  patch,
  post,
  signedIn,
  signUp,
} from './support/calls.js';
import { dump, sql } from './support/rows.js';
import { anEmail, aUser } from './support/users.js';
import { rounds } from './support/long.js';

describe('sign-up, verification and log-in in open mode', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(async () => {
    await app.close();
  });

  it('specification.md 4.1 answers an open-mode sign-up with message and user_id, and verification uses that id', async () => {
    const email = anEmail();
    const answer = await signUp(app, email);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      message: expect.any(String),
      user_id: expect.stringMatching(/^usr_[0-9A-HJKMNP-TV-Z]{26}$/),
    });
    expect(cookieOf(answer)).toBe('');
    const [mail] = await waitForMails(app, email, 1);
    const verified = await post(app, '/auth/verify-email', { token: tokenIn(mail, 'verify-email') });
    expect(verified.status).toBe(200);
    expect(verified.body).toEqual({
      access_token: expect.any(String),
      user: {
        id: (answer.body as { user_id: string }).user_id,
        email,
        name: 'Test Person',
        avatar_url: null,
        role: 'user',
      },
    });
  });

  it('specification.md 4.2 answers a log-in with access_token and user, and S-19 sets exactly this cookie', async () => {
    const { email } = await aUser(app);
    const answer = await logIn(app, email.toUpperCase());
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body as object)).toEqual(['access_token', 'user']);
    expect(cookieOf(answer)).toMatch(
      /^refresh_token=[\w-]{43}; Max-Age=2592000; Path=\/auth; HttpOnly; Secure; SameSite=Strict$/,
    );
  });

  it('specification.md 2.2 shows the profile, and contract.md 4 changes only what is given', async () => {
    const person = await aUser(app);
    const profile = await get(app, '/account/profile', person.token);
    expect(profile.body).toEqual({
      id: person.id,
      email: person.email,
      name: 'Test Person',
      avatar_url: null,
      email_verified: true,
      providers: ['email'],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const change = async (body: object) => (await patch(app, '/account/profile', person.token, body)).body as object;
    const before = profile.body as object;
    expect(await change({})).toEqual(before);
    expect(await change({ display_name: 'Zoë' })).toEqual({ ...before, name: 'Zoë' });
    expect(await change({ avatar_url: 'https://x.y/z?a=1' })).toMatchObject({
      name: 'Zoë',
      avatar_url: 'https://x.y/z?a=1',
    });
    expect(await change({ avatar_url: null })).toEqual({ ...before, name: 'Zoë' });
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'http://127.0.0.1/x.png',
    'https://user@x.y/z',
    'https:x.y',
    '//x.y/z',
    `https://x.y/${'z'.repeat(2040)}`,
    '',
    7,
  ])('S-47 refuses the avatar address %j', async (avatarUrl) => {
    const person = await aUser(app);
    const answer = await patch(app, '/account/profile', person.token, { avatar_url: avatarUrl });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'bad_request']);
  });

  it.each(['role', 'email', 'id', 'name', 'email_verified', '__proto__'])(
    'S-33 refuses %s in a change of profile',
    async (field) => {
      const person = await aUser(app);
      const body: unknown = JSON.parse(`{"${field}": "x"}`);
      expect((await patch(app, '/account/profile', person.token, Object(body) as object)).status).toBe(400);
    },
  );

  it.each([
    ['11 code points', 'a1b2c3d4e5f', ['too_short']],
    ['11 emoji, which are 22 UTF-16 units', '🦜'.repeat(11), ['too_short']],
    ['129 code points', 'ab'.repeat(64) + 'c', ['too_long']],
    ['a common one', 'Administrator', ['common']],
    ['a common one with a tail', 'Password1234!', ['common']],
    ['the name of the service', 'Trading Proxy 2026', ['common']],
    ['a short common one', 'qwerty', ['too_short', 'common']],
  ])('S-1, S-3 refuse %s with 422 weak_password', async (_, password, reasons) => {
    const answer = await signUp(app, anEmail(), { password });
    expect([answer.status, codeOf(answer), detailsOf(answer)]).toEqual([422, 'weak_password', { reasons }]);
  });

  it('S-3 refuses the address itself and its local part, with or without a tail', async () => {
    const email = `some.longer.person.${anEmail()}`;
    for (const password of [email, email.split('@')[0] ?? '', `${email.toUpperCase()}123!`]) {
      expect(detailsOf(await signUp(app, email, { password }))).toEqual({ reasons: ['personal'] });
    }
  });

  it('S-1 takes 12 and 128 code points, and 64 emoji that then sign in', async () => {
    expect((await signUp(app, anEmail(), { password: 'a1b2c3d4e5fg' })).status).toBe(201);
    expect((await signUp(app, anEmail(), { password: 'ab'.repeat(64) })).status).toBe(201);
    expect((await signUp(app, anEmail(), { password: '🦜'.repeat(128) })).status).toBe(201);
    const email = anEmail();
    const password = '🦜'.repeat(64);
    await signUp(app, email, { password });
    const [mail] = await waitForMails(app, email, 1);
    await post(app, '/auth/verify-email', { token: tokenIn(mail, 'verify-email') });
    expect((await logIn(app, email, password)).status).toBe(200);
    expect((await logIn(app, email, '🦜'.repeat(63))).status).toBe(401);
  });

  it('S-2 counts every byte of a password', async () => {
    const email = anEmail();
    await signUp(app, email, { password: `${'a'.repeat(80)}X` });
    const [mail] = await waitForMails(app, email, 1);
    await post(app, '/auth/verify-email', { token: tokenIn(mail, 'verify-email') });
    expect((await logIn(app, email, `${'a'.repeat(80)}X`)).status).toBe(200);
    for (const wrong of [`${'a'.repeat(80)}Y`, 'a'.repeat(80), `${'a'.repeat(80)}X `, `${'a'.repeat(80)}x`]) {
      expect((await logIn(app, email, wrong)).status).toBe(401);
    }
  });

  it('a password that is no text is 400, and S-35 refuses NUL and half a surrogate pair', async () => {
    for (const password of [
      12345678901234,
      null,
      ['plum carousel nine'],
      `plum carousel\0nine`,
      'plum carousel \ud800',
    ]) {
      const answer = await post(app, '/auth/signup', { email: anEmail(), password, name: 'A' });
      expect([answer.status, codeOf(answer)]).toEqual([400, 'bad_request']);
    }
  });

  it.each([
    'a@b.c,d@e.f',
    '"a@b"@c.d',
    'a＠b.c',
    '\u212aim@b.c',
    'd\u0131m@b.c',
    'a@b.c\r\nBcc: x@y.z',
    'a\0@b.c',
    'a@b@c.d',
    'a(x)@b.c',
    '<a@b.c>',
    ' a@b.c',
    'a@b',
    'a@-b.c',
    'a..b@c.d',
    `${'a'.repeat(250)}@b.cd`,
  ])('S-8, S-46 refuses the address %j', async (email) => {
    const answer = await signUp(app, email);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'bad_request']);
  });

  it.each(['', 'x'.repeat(101), 'a\nb', 'a\u202eb', 'a\u0007'])('S-47 refuses the name %j', async (name) => {
    expect((await signUp(app, anEmail(), { name })).status).toBe(400);
  });

  it('S-33 refuses fields that are not listed', async () => {
    const person = await aUser(app);
    for (const field of ['role', 'email_verified', 'id', 'user_id', 'constructor']) {
      const body = { email: anEmail(), password: PASSWORD, name: 'A', [field]: 'admin' };
      expect((await post(app, '/auth/signup', body)).status).toBe(400);
      expect((await post(app, '/auth/login', { email: person.email, password: PASSWORD, [field]: 'x' })).status).toBe(
        400,
      );
    }
  });

  it('S-5 answers an unknown address, a wrong password and an unverified sign-up with a wrong one alike', async () => {
    const { email } = await aUser(app);
    const waiting = anEmail();
    await signUp(app, waiting);
    const answers = await Promise.all([
      logIn(app, anEmail(), OTHER_PASSWORD),
      logIn(app, email, OTHER_PASSWORD),
      logIn(app, waiting, OTHER_PASSWORD),
    ]);
    const seen = answers.map(({ status, body, headers }) => {
      const { error } = body as { error: Record<string, unknown> };
      return [status, { ...error, request_id: '' }, Object.keys(headers).sort()];
    });
    expect(seen[0]?.[0]).toBe(401);
    expect(new Set(seen.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });

  it('contract.md 3 answers the right password of a waiting sign-up with email_not_verified and another mail', async () => {
    const email = anEmail();
    await signUp(app, email);
    await waitForMails(app, email, 1);
    const answer = await logIn(app, email);
    expect([answer.status, codeOf(answer)]).toEqual([403, 'email_not_verified']);
    const [, second] = await waitForMails(app, email, 2);
    expect((await post(app, '/auth/verify-email', { token: tokenIn(second, 'verify-email') })).status).toBe(200);
  });

  it('S-6 writes the same rows for every address, known or not', async () => {
    const { email } = await aUser(app);
    // The sign-up of a known address is removed as soon as its mail is written: hence a trigger that counts.
    await sql(
      app,
      `CREATE TABLE seen_signups (id text, email text, hash text);
       CREATE FUNCTION see_signup() RETURNS trigger LANGUAGE plpgsql AS
         'BEGIN INSERT INTO seen_signups VALUES (NEW.id, NEW.email, NEW.password_hash); RETURN NEW; END';
       CREATE TRIGGER see_signup AFTER INSERT ON pending_signups FOR EACH ROW EXECUTE FUNCTION see_signup()`,
    );
    for (const address of [email, anEmail()]) {
      const mails = `SELECT 1 FROM mail_outbox WHERE recipient = $1 AND kind = 'sign_up'`;
      const before = (await sql(app, mails, [address])).length;
      const { user_id: id } = (await signUp(app, address)).body as { user_id: string };
      expect(await sql(app, 'SELECT id, hash FROM seen_signups WHERE email = $1', [address])).toEqual([
        { id, hash: expect.stringMatching(/^v1\$/) },
      ]);
      expect(await sql(app, `SELECT type FROM security_events WHERE user_id = $1`, [id])).toEqual([{ type: 'signup' }]);
      expect((await sql(app, mails, [address])).length).toBe(before + 1);
    }
    await sql(app, 'DROP TABLE seen_signups; DROP FUNCTION see_signup CASCADE');
  });

  it('S-7 a sign-up with a known address changes nothing, answers alike and mails the owner', async () => {
    const owner = await aUser(app);
    const answer = await signUp(app, owner.email.toUpperCase(), { password: OTHER_PASSWORD, name: 'Mallory' });
    expect(answer.status).toBe(201);
    expect((answer.body as { user_id: string }).user_id).not.toBe(owner.id);
    const [, notice] = await waitForMails(app, owner.email, 2);
    expect(notice?.text).toContain('You have an account already');
    expect(notice?.text).not.toMatch(/Mallory|token=/);
    expect((await logIn(app, owner.email)).status).toBe(200);
    expect((await logIn(app, owner.email, OTHER_PASSWORD)).status).toBe(401);
    expect((await get(app, '/account/profile', owner.token)).body).toMatchObject({ name: 'Test Person' });
    expect(await sql(app, 'SELECT 1 FROM pending_signups WHERE email = $1', [owner.email])).toEqual([]);
  });

  it('S-9 of 20 parallel uses of a verification token exactly one succeeds', async () => {
    const email = anEmail();
    await signUp(app, email);
    const [mail] = await waitForMails(app, email, 1);
    const token = tokenIn(mail, 'verify-email');
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(app, '/auth/verify-email', { token })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 400)]);
  });

  it('S-9 a verification token is no reset token, unknown and expired ones answer alike', async () => {
    const email = anEmail();
    await signUp(app, email);
    const [mail] = await waitForMails(app, email, 1);
    const token = tokenIn(mail, 'verify-email');
    const asReset = await post(app, '/auth/reset-password', { token, new_password: OTHER_PASSWORD });
    const unknown = await post(app, '/auth/verify-email', { token: 'x'.repeat(43) });
    await sql(app, `UPDATE account_tokens SET expires_at = now() WHERE email = $1`, [email]);
    const expired = await post(app, '/auth/verify-email', { token });
    const seen = [asReset, unknown, expired].map(({ status, body }) => {
      const { error } = body as { error: Record<string, unknown> };
      return JSON.stringify([status, { ...error, request_id: '' }]);
    });
    expect(seen[0]).toContain('invalid_token');
    expect(new Set(seen).size).toBe(1);
  });

  it('S-9, S-21 the database holds no token, no password and no refresh token in the clear', async () => {
    const email = anEmail();
    await signUp(app, email);
    const [mail] = await waitForMails(app, email, 1);
    const token = tokenIn(mail, 'verify-email');
    const unused = await dump(app);
    const person = signedIn(await post(app, '/auth/verify-email', { token }));
    const text = `${unused}\n${await dump(app)}`;
    for (const secret of [token, person.refresh, person.token, PASSWORD]) expect(text).not.toContain(secret);
    const log = app.logLines.join('');
    for (const secret of [token, person.refresh, person.token, PASSWORD]) expect(log).not.toContain(secret);
  });

  it('S-46 a mail to an unverified address holds nothing chosen at sign-up, and links to PUBLIC_URL only', async () => {
    const email = anEmail();
    await post(app, '/auth/signup', { email, password: PASSWORD, name: '<img src=x> https://evil.example' })
      .set('X-Forwarded-Host', 'evil.example')
      .set('User-Agent', 'evil.example/1');
    const [mail] = await waitForMails(app, email, 1);
    expect(mail?.raw).not.toMatch(/evil|<img/);
    expect(mail?.text).toContain(`${app.settings.publicUrl}/dashboard/verify-email#token=`);
  });

  it('S-46 the link stands whole on a line of the raw text part', async () => {
    const email = anEmail();
    await signUp(app, email);
    const [mail] = await waitForMails(app, email, 1);
    expect(mail?.raw).toMatch(/\r\nhttp:\/\/\S+\/dashboard\/verify-email#token=[\w-]{43}\r\n/);
  });

  it('S-8, R-8 twenty parallel sign-ups over two instances, in different case, give one account', async () => {
    const other = await startInstance(app);
    for (let round = 0; round < rounds(5, 50); round += 1) {
      const email = anEmail();
      const forms = Array.from({ length: 20 }, (_, index) => (index % 4 < 2 ? email : email.toUpperCase()));
      const answers = await Promise.all(forms.map((form, index) => signUp(index % 2 === 0 ? app : other, form)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
      const mails = await waitForMails(app, email, 3);
      const tokens = mails.map((mail) => tokenIn(mail, 'verify-email'));
      const used = await Promise.all(
        tokens.flatMap((token) => [app, other].map((to) => post(to, '/auth/verify-email', { token }))),
      );
      expect(used.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
      expect(await sql(app, 'SELECT id FROM users WHERE email = $1', [email])).toHaveLength(1);
    }
    await other.close();
  });

  it('contract.md 4 sends at most 3 mails an hour that strangers can cause', async () => {
    const email = anEmail();
    for (let index = 0; index < 5; index += 1) await signUp(app, email);
    await waitForMails(app, email, 3);
    const pending = () => sql(app, 'SELECT 1 FROM mail_outbox WHERE recipient = $1 AND done_at IS NULL', [email]);
    while ((await pending()).length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await mailsTo(app, email)).toHaveLength(3);
  });
});
