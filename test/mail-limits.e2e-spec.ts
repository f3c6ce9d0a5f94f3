import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startTestApp, type TestApp } from './support/app.js';
import { mailsTo, type ReadMail, tokenIn, waitForMails } from './support/mail.js';
import { codeOf, logIn, OTHER_PASSWORD, post, signedIn, signUp } from './support/calls.js';
import { sql } from './support/rows.js';
import { selectedFrom, seriesIn } from './support/scrape.js';
import { anEmail, aUser } from './support/users.js';

const OWNER = '198.51.100.7';

/** An answer about an address takes 50 ms at least (S-6): so many are waited for at once. */
const AT_ONCE = 5;

function from(ip: string, call: request.Test): request.Test {
  return call.set('X-Forwarded-For', ip);
}

/** Does this for each, a few at once. */
async function forEach<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  const left = all.values();
  const lane = async (): Promise<void> => {
    for (const one of left) await work(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

describe('mails that strangers can cause (S-55)', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ TRUST_PROXY: '1' });
  });

  afterAll(() => app.close());

  // All of these tests together cause more.
  beforeEach(async () => {
    await sql(app, `DELETE FROM rate_limits WHERE key = 'mail:strangers:all'`);
  });

  async function settled(email: string): Promise<void> {
    const waiting = 'SELECT 1 FROM mail_outbox WHERE recipient = $1 AND done_at IS NULL';
    while ((await sql(app, waiting, [email])).length > 0) await delay(50);
  }

  async function sentTo(email: string): Promise<ReadMail[]> {
    await settled(email);
    return mailsTo(app, email);
  }

  const withLink = (mails: readonly ReadMail[], page: string): ReadMail[] =>
    mails.filter(({ text }) => text.includes(`/dashboard/${page}#token=`));

  async function signUps(email: string, ips: readonly string[]): Promise<void> {
    await forEach(ips, (ip) => from(ip, signUp(app, email, { password: OTHER_PASSWORD })).expect(201));
  }

  async function resets(email: string, ips: readonly string[]): Promise<void> {
    await forEach(ips, (ip) => from(ip, post(app, '/auth/forgot-password', { email })).expect(200));
  }

  /** So many networks of IPv4 or IPv6. */
  const networks = (count: number): string[] =>
    Array.from({ length: count }, (_, index) =>
      index % 2 === 0 ? `203.0.113.${index + 1}` : `2001:db8:${index.toString(16)}::1`,
    );

  const times = (count: number, ip: string): string[] => Array.from({ length: count }, () => ip);

  it('S-55 sign-ups by strangers do not use up the owner’s reset mail, also from one network', async () => {
    const { email } = await aUser(app);
    await signUps(email, times(6, OWNER));
    await resets(email, [OWNER]);
    const mails = await sentTo(email);
    expect(withLink(mails, 'reset-password')).toHaveLength(1);
  });

  it('S-55 sign-ups by strangers do not use up the mail of the owner’s own sign-up', async () => {
    const email = anEmail();
    await signUps(email, [...times(4, '203.0.113.1'), ...networks(24)]);
    await settled(email);
    const before = (await mailsTo(app, email)).length;
    const answer = await from(OWNER, signUp(app, email));
    const mails = await sentTo(email);
    expect(mails).toHaveLength(before + 1);
    const verified = signedIn(await post(app, '/auth/verify-email', { token: tokenIn(mails.at(-1), 'verify-email') }));
    expect(verified.id).toBe((answer.body as { user_id: string }).user_id);
  });

  it('S-55 requests for a reset by strangers do not use up the owner’s', async () => {
    const { email } = await aUser(app);
    await resets(email, [...times(5, '203.0.113.1'), ...networks(20)]);
    await settled(email);
    const before = withLink(await mailsTo(app, email), 'reset-password').length;
    await resets(email, [OWNER]);
    const mails = withLink(await sentTo(email), 'reset-password');
    expect(mails).toHaveLength(before + 1);
    const fresh = { token: tokenIn(mails.at(-1), 'reset-password'), new_password: OTHER_PASSWORD };
    expect((await post(app, '/auth/reset-password', fresh)).status).toBe(200);
  });

  it('S-55 a reset always reaches the owner of a sign-up that waits', async () => {
    const email = anEmail();
    await signUps(email, times(5, OWNER));
    await resets(email, [OWNER]);
    const [reset] = withLink(await sentTo(email), 'reset-password');
    const fresh = { token: tokenIn(reset, 'reset-password'), new_password: 'nine quiet rivers of glass' };
    expect((await post(app, '/auth/reset-password', fresh)).status).toBe(200);
    expect((await logIn(app, email, fresh.new_password)).status).toBe(200);
    expect(codeOf(await logIn(app, email, OTHER_PASSWORD))).toBe('invalid_credentials');
  });

  it('contract.md 4 each network causes 3 mails an hour of a kind, an IPv6 /64 counting as one', async () => {
    const email = anEmail();
    const ips = [...times(5, '203.0.113.1'), ...[1, 2, 3, 4, 5].map((index) => `2001:db8:0:7::${index}`)];
    await signUps(email, [...ips, '::ffff:203.0.113.1', '203.0.113.2']);
    expect(await sentTo(email)).toHaveLength(7);
  });

  it('contract.md 4 each network causes 10 mails a day of a kind', async () => {
    const { email } = await aUser(app);
    for (let hour = 0; hour < 5; hour += 1) {
      await resets(email, times(3, OWNER));
      await settled(email);
      await sql(app, `DELETE FROM rate_limits WHERE key LIKE 'mail:hour:%'`);
    }
    expect(withLink(await mailsTo(app, email), 'reset-password')).toHaveLength(10);
  });

  it('S-55 no number of networks causes mails to one address without end, and each new quarter of an hour brings one', async () => {
    const { email } = await aUser(app);
    const strangers = Array.from({ length: 130 }, (_, index) => `203.0.${index}.9`);
    await resets(email, strangers);
    await settled(email);
    const resetMails = async () => withLink(await mailsTo(app, email), 'reset-password').length;
    expect(await resetMails()).toBe(101);
    await resets(email, ['192.0.2.1']);
    await settled(email);
    expect(await resetMails()).toBe(101);
    await sql(app, `UPDATE rate_limits SET expire = 1000 WHERE key LIKE 'mail:steady:%'`);
    await resets(email, ['192.0.2.2', '192.0.2.3']);
    await settled(email);
    expect(await resetMails()).toBe(102);
  });

  it('S-55 whoever has signed in from a network gets his mail there, whatever strangers asked for', async () => {
    const { email } = await aUser(app);
    await from(OWNER, logIn(app, email)).expect(200);
    await sql(
      app,
      `INSERT INTO rate_limits (key, points, expire)
       SELECT policy || ':reset:' || $1, 1000, $2 FROM unnest(ARRAY['mail:steady', 'mail:burst']) AS policy`,
      [await keyOf(email), Date.now() + 900_000],
    );
    await resets(email, ['203.0.113.77']);
    await settled(email);
    expect(withLink(await mailsTo(app, email), 'reset-password')).toEqual([]);
    await resets(email, [OWNER]);
    await settled(email);
    expect(withLink(await mailsTo(app, email), 'reset-password')).toHaveLength(1);
  });

  /** How an address stands in the keys of the limits. */
  async function keyOf(email: string): Promise<string> {
    const rows = await sql<{ key: string }>(
      app,
      `SELECT rtrim(translate(encode(sha256($1::bytea), 'base64'), '+/', '-_'), '=') AS key`,
      [email],
    );
    return rows[0]?.key ?? '';
  }

  it('S-55 mails that waited when the service was replaced are still sent', async () => {
    const { email, id } = await aUser(app);
    await sql(
      app,
      `INSERT INTO mail_outbox (id, kind, recipient, data) VALUES ('mail_old_reset', 'reset', $1, '{"origin": null}'),
         ('mail_old_sign_up', 'sign_up', $1, jsonb_build_object('sign_up_id', 'usr_gone'))`,
      [email],
    );
    await settled(email);
    expect(await mailsTo(app, email)).toHaveLength(3);
    expect(id).toMatch(/^usr_/);
  });

  /** A sign-up of a new address from each of these; how many of the addresses got a mail. */
  async function mailed(ips: readonly string[], to: TestApp = app): Promise<number> {
    const emails = ips.map(() => anEmail());
    const faces = new Set<string>();
    await forEach([...ips.entries()], async ([index, ip]) => {
      const answer = await from(ip, signUp(to, emails[index] ?? ''));
      faces.add([answer.status, ...Object.keys(answer.body as object)].join(' '));
    });
    expect(faces.size).toBe(1);
    const waiting = 'SELECT 1 FROM mail_outbox WHERE recipient = ANY ($1) AND done_at IS NULL';
    while ((await sql(to, waiting, [emails])).length > 0) await delay(50);
    const mails = await Promise.all(emails.map((email) => mailsTo(to, email)));
    return mails.filter(({ length }) => length > 0).length;
  }

  it('S-55 31 sign-ups for 31 strangers from one network cause 10 mails, and another network gets its own', async () => {
    expect(await mailed(times(31, '192.88.99.1'))).toBe(10);
    expect(await mailed(['192.89.99.1'])).toBe(1);
    await sql(app, `DELETE FROM rate_limits WHERE key LIKE 'mail:%:hour:%'`);
    expect(await mailed(times(11, '192.88.99.1'))).toBe(10);
    await sql(app, `DELETE FROM rate_limits WHERE key LIKE 'mail:%:hour:%'`);
    expect(await mailed(times(12, '192.88.99.1'))).toBe(10);
    await sql(app, `DELETE FROM rate_limits WHERE key LIKE 'mail:%:hour:%'`);
    expect(await mailed(['192.88.99.1'])).toBe(0);
  });

  it.each([
    ['/56', (network: number) => `2001:db9:0:${network.toString(16)}::1`, 40],
    ['/48', (network: number) => `2001:dba:0:${(network * 256).toString(16)}::1`, 80],
    ['/24', (network: number) => `198.18.7.${network}`, 40],
  ])('S-55 the networks of a %s share a limit of mails to strangers', async (_name, ipOf, most) => {
    const networks = most / 10 + 1;
    expect(await mailed(Array.from({ length: networks * 10 }, (_, index) => ipOf(index % networks)))).toBe(most);
  });

  it('S-55 networks whose share is used up use up nothing of an address', async () => {
    const ipOf = (network: number): string => `2001:dbb:0:${network.toString(16)}::1`;
    expect(await mailed(Array.from({ length: 45 }, (_, index) => ipOf(index % 5)))).toBe(40);
    const victim = anEmail();
    const askers = Array.from({ length: 35 }, (_, index) => ipOf(10 + index));
    await signUps(victim, [...askers, ...askers, ...askers]);
    expect(await sentTo(victim)).toEqual([]);
    await from(OWNER, signUp(app, victim)).expect(201);
    expect(await sentTo(victim)).toHaveLength(1);
  });

  it('S-55 a reset of an owner leaves first, however many mails to strangers wait', async () => {
    const { email } = await aUser(app);
    const before = (await mailsTo(app, email)).length;
    await sql(
      app,
      `INSERT INTO mail_outbox (id, kind, recipient, data, next_attempt_at)
       SELECT 'mail_flood_' || n, CASE WHEN n % 2 = 0 THEN 'sign_up' ELSE 'reset' END, 'flood' || n || '@example.com',
              '{"sign_up_id": "usr_none", "origin": null}', now() - interval '1 hour' FROM generate_series(1, 5000) AS n`,
    );
    await resets(email, [OWNER]);
    await waitForMails(app, email, before + 1);
    const waiting = await sql(app, `SELECT 1 FROM mail_outbox WHERE id LIKE 'mail_flood_%' AND done_at IS NULL`);
    expect(waiting.length).toBeGreaterThan(1_000);
    await sql(app, `DELETE FROM mail_outbox WHERE id LIKE 'mail_flood_%'`);
  });

  it('S-55 RATE_LIMIT_STRANGER_MAILS bounds them over all networks; owners and approved addresses get theirs', async () => {
    const approved = anEmail();
    const tight = await startTestApp({ TRUST_PROXY: '1', RATE_LIMIT_STRANGER_MAILS: '5/1h' });
    const whitelist = { ACCESS_MODE: 'whitelist', WHITELIST_EMAILS: approved, RATE_LIMIT_STRANGER_MAILS: '5/1h' };
    const owner = await aUser(tight);
    expect(await mailed([...times(3, '192.0.2.1'), ...networks(6)], tight)).toBe(4);
    const { text } = await request(tight.url).get('/metrics');
    const [hits] = selectedFrom(seriesIn(text), 'trading_proxy_limit_hits_total', { limit: 'mail:strangers' });
    expect(hits?.value).toBe(5);
    await from('192.0.2.1', post(tight, '/auth/forgot-password', { email: owner.email })).expect(200);
    const mails = await waitForMails(tight, owner.email, 2);
    expect(withLink(mails, 'reset-password')).toHaveLength(1);
    const beside = await startTestApp(whitelist, tight.database);
    await signUp(beside, approved).expect(201);
    await eventuallyMailed(tight, beside, approved);
    await beside.close();
    await tight.close();
  });

  /** Either of two services on one database sends it. */
  async function eventuallyMailed(one: TestApp, other: TestApp, email: string): Promise<void> {
    while ((await mailsTo(one, email)).length + (await mailsTo(other, email)).length === 0) await delay(50);
  }
});
