import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startTestApp, type TestApp } from './support/app.js';
import { createTestDatabase } from './support/database.js';
import { mailsTo, type ReadMail, tokenIn, waitForMails } from './support/mail.js';
import { logIn, post, type SignedIn, signedIn, signUp } from './support/calls.js';
import { sql } from './support/rows.js';
import { anEmail, aUser, WALLET } from './support/users.js';

/** Of Firefox on different systems. */
const AGENTS = ['X11; Linux', 'Windows NT 10.0', 'Android 16', 'Macintosh'].map(
  (system) => `Mozilla/5.0 (${system}) Firefox/145.0`,
);
const STORED = 'Exchange credentials were stored';

async function store(app: Pick<TestApp, 'url'>, { token }: SignedIn, agent = 'Bot 1.0'): Promise<void> {
  const put = request(app.url).put('/account/credentials/polymarket').auth(token, { type: 'bearer' });
  await put.set('User-Agent', agent).send(WALLET).expect(200);
}

async function settled(app: TestApp, email: string): Promise<void> {
  const waiting = 'SELECT 1 FROM mail_outbox WHERE recipient = $1 AND done_at IS NULL';
  while ((await sql(app, waiting, [email])).length > 0) await delay(50);
}

async function notices(app: TestApp, email: string, subject = STORED): Promise<ReadMail[]> {
  return (await mailsTo(app, email)).filter((mail) => mail.subject === subject);
}

const events = (mail: ReadMail | undefined): number => (mail?.text.match(/^When: /gm) ?? []).length;

describe('notices to an address that is proved (S-55)', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app.close());

  async function untilHeld(email: string): Promise<void> {
    const held = `SELECT 1 FROM mail_outbox WHERE recipient = $1 AND done_at IS NULL AND next_attempt_at > now() + interval '5 seconds'`;
    while ((await sql(app, held, [email])).length === 0) await delay(50);
  }

  it('S-55 notices of one kind within a minute are one mail, which tells of each event', async () => {
    const person = await aUser(app);
    const clients = ['Firefox on Linux', 'Firefox on Windows', 'Firefox on Android', 'Firefox on macOS'];
    for (const agent of AGENTS) await store(app, person, agent);
    await settled(app, person.email);
    const mails = await notices(app, person.email);
    expect(mails.map(events)).toEqual([4]);
    for (const client of clients) {
      expect(mails[0]?.text).toContain(`Client: ${client}`);
      expect(mails[0]?.html).toContain(client);
    }
    expect(mails[0]?.text).toContain('This happened 4 times');
  });

  it('S-55 notices of different kinds, and to different people, are mails of their own', async () => {
    const [one, two] = [await aUser(app), await aUser(app)];
    await Promise.all([store(app, one), store(app, two)]);
    await post(app, '/account/api-keys', {}, one.token).expect(201);
    for (const { email } of [one, two]) await settled(app, email);
    expect((await notices(app, one.email)).map(events)).toEqual([1]);
    expect((await notices(app, one.email, 'An API key was created')).map(events)).toEqual([1]);
    expect((await notices(app, two.email)).map(events)).toEqual([1]);
  });

  it('S-55 what happens within a minute after a notice is told in one mail when the minute is over', async () => {
    const person = await aUser(app);
    await store(app, person);
    await settled(app, person.email);
    await store(app, person, AGENTS[0]);
    await store(app, person, AGENTS[1]);
    await untilHeld(person.email);
    expect((await notices(app, person.email)).map(events)).toEqual([1]);
    await sql(
      app,
      `UPDATE mail_outbox SET done_at = done_at - interval '61 seconds' WHERE recipient = $1 AND kind = 'notice'`,
      [person.email],
    );
    await sql(app, `UPDATE mail_outbox SET next_attempt_at = now() WHERE recipient = $1 AND done_at IS NULL`, [
      person.email,
    ]);
    await settled(app, person.email);
    const mails = await notices(app, person.email);
    expect(mails.map(events)).toEqual([1, 2]);
    expect(mails[1]?.text).toMatch(/on Linux[^]*on Windows/);
  });

  it('S-55 a notice that could not be sent yet tells of what came after it too', async () => {
    const person = await aUser(app);
    await store(app, person, AGENTS[0]);
    await sql(
      app,
      `UPDATE mail_outbox SET attempts = 1, next_attempt_at = now() + interval '1 hour'
       WHERE recipient = $1 AND done_at IS NULL`,
      [person.email],
    );
    await store(app, person, AGENTS[1]);
    await delay(3_000);
    expect(await notices(app, person.email)).toEqual([]);
    await sql(
      app,
      `UPDATE mail_outbox SET next_attempt_at = now() WHERE recipient = $1 AND done_at IS NULL AND attempts = 1`,
      [person.email],
    );
    await settled(app, person.email);
    const mails = await notices(app, person.email);
    expect(mails.map(events)).toEqual([2]);
    expect(mails[0]?.text).toMatch(/on Linux[^]*on Windows/);
  });

  it('S-55 a mail of very many events lists the newest twenty and says so', async () => {
    const person = await aUser(app);
    await store(app, person, 'Old');
    await settled(app, person.email);
    await sql(
      app,
      `INSERT INTO mail_outbox (id, kind, recipient, data, topic)
       SELECT 'mail_zz' || lpad(n::text, 4, '0'), kind, recipient, data || jsonb_build_object('ip', 'Place ' || n || '.'),
         'many' FROM mail_outbox, generate_series(1, 50) n WHERE recipient = $1 AND kind = 'notice'`,
      [person.email],
    );
    await settled(app, person.email);
    const mails = await notices(app, person.email);
    expect(mails.map(events)).toEqual([1, 20]);
    expect(mails[1]?.text).toContain('This happened 50 times');
    expect(mails[1]?.text).toMatch(/Place 31\.[^]*Place 50\./);
    expect(mails[1]?.text).not.toContain('Place 30.');
  });
});

describe('notices to an address that nobody has proved (S-55)', () => {
  it('S-55 none goes there, whatever happens to the account, and they begin with the proof', async () => {
    const email = anEmail();
    const app = await startTestApp({ ACCESS_MODE: 'whitelist', WHITELIST_EMAILS: email });
    const person = signedIn(await signUp(app, email));
    const [verification] = await waitForMails(app, email, 1);
    await store(app, person);
    await post(app, '/account/api-keys', {}, person.token).expect(201);
    await logIn(app, email).set('User-Agent', 'Another/1').expect(200);
    await settled(app, email);
    expect((await mailsTo(app, email)).map(({ subject }) => subject)).toEqual(['Verify your e-mail address']);
    const link = { token: tokenIn(verification, 'verify-email') };
    await post(app, '/auth/verify-email', link, person.token).expect(200);
    await store(app, person);
    await settled(app, email);
    expect((await notices(app, email)).map(events)).toEqual([1]);
    await app.close();
  });

  it('S-55 a sign-up with the address of an account that was never proved tells nobody of it', async () => {
    const email = anEmail();
    const database = await createTestDatabase();
    const closed = await startTestApp({ ACCESS_MODE: 'whitelist', WHITELIST_EMAILS: email }, database);
    await signUp(closed, email).expect(201);
    await settled(closed, email);
    await closed.close();
    const app = await startTestApp({}, database);
    await signUp(app, email).expect(201);
    await settled(app, email);
    expect(await mailsTo(app, email)).toEqual([]);
    await app.close();
    await database.drop();
  });

  it('S-55 a notice that was asked for by an older version is not sent there either', async () => {
    const email = anEmail();
    const app = await startTestApp({ ACCESS_MODE: 'whitelist', WHITELIST_EMAILS: email });
    const { id } = signedIn(await signUp(app, email));
    const data = {
      type: 'login',
      userId: id,
      ip: '203.0.113.1',
      userAgent: 'x',
      keyPrefix: null,
      exchange: null,
      details: { new_device: true },
    };
    await sql(app, `INSERT INTO mail_outbox (id, kind, recipient, data) VALUES ('mail_old', 'notice', $1, $2)`, [
      email,
      data,
    ]);
    await settled(app, email);
    expect((await mailsTo(app, email)).map(({ subject }) => subject)).toEqual(['Verify your e-mail address']);
    await app.close();
  });
});
