import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ActivityService } from '../src/activity/activity.service.js';
import { Transactions } from '../src/platform/database/transactions.js';
import { Retention } from '../src/platform/retention/retention.js';
import { startTestApp, type TestApp } from './support/app.js';
import { waitForMails } from './support/mail.js';
import { codeOf, get, logIn, OTHER_PASSWORD, post, type SignedIn, signedIn, signUp } from './support/calls.js';
import { sql } from './support/rows.js';
import { anEmail, aUser } from './support/users.js';
import { usersAdmin } from './support/users-admin.js';

const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0.0.0 Safari/537.36';

interface Page {
  readonly data: { id: string; type: string; created_at: string }[];
  readonly next_cursor: string | null;
}

describe('activity', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ TRUST_PROXY: '1' });
  });

  afterAll(() => app.close());

  async function pageOf(person: SignedIn, query = ''): Promise<Page> {
    return (await get(app, `/account/activity${query}`, person.token)).body as Page;
  }

  it('S-41, contract.md 4 shows events newest first, each with its members', async () => {
    const person = await aUser(app);
    await logIn(app, person.email, OTHER_PASSWORD).set('User-Agent', 'stranger/1');
    await logIn(app, person.email);
    const { data, next_cursor: next } = await pageOf(person);
    expect(next).toBeNull();
    expect(data.map(({ type }) => type)).toEqual(['login', 'login_failed', 'email_verified', 'signup']);
    expect(data[1]).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'login_failed',
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      ip: expect.stringContaining('127.0.0.1'),
      user_agent: 'stranger/1',
      key_prefix: null,
      session_id: null,
      bot_id: null,
      exchange: null,
      request_id: expect.stringMatching(/^req_/),
      details: {},
    });
  });

  it('S-32, contract.md 4 pages by a cursor that gives every event once, and belongs to its user', async () => {
    const person = await aUser(app);
    for (let index = 0; index < 7; index += 1) await logIn(app, person.email);
    const seen: string[] = [];
    let page = await pageOf(person, '?limit=2');
    const first = page.next_cursor;
    while (page.next_cursor !== null) {
      seen.push(...page.data.map(({ id }) => id));
      page = await pageOf(person, `?limit=2&cursor=${page.next_cursor}`);
    }
    seen.push(...page.data.map(({ id }) => id));
    expect(seen).toEqual((await pageOf(person)).data.map(({ id }) => id));
    expect(new Set(seen).size).toBe(9);
    const stranger = await aUser(app);
    for (const cursor of [first ?? '', `${first ?? ''}A`, 'made-up']) {
      const answer = await get(app, `/account/activity?cursor=${cursor}`, stranger.token);
      expect([answer.status, codeOf(answer)]).toEqual([400, 'bad_request']);
    }
    for (const query of ['?limit=0', '?limit=101', '?limit=x', '?type=login']) {
      expect((await get(app, `/account/activity${query}`, person.token)).status).toBe(400);
    }
  });

  it('S-32, contract.md 4 shows what was done to one order of its owner after it was made', async () => {
    const [person, stranger] = [await aUser(app), await aUser(app)];
    const note = (
      userId: string,
      type: 'order_created' | 'order_amended' | 'order_cancelled',
      id: string,
    ): Promise<void> =>
      app.get(ActivityService).record({ type, userId, exchange: 'kalshi', details: { order_id: id } });
    for (const type of ['order_created', 'order_amended', 'order_cancelled'] as const) await note(person.id, type, 'a');
    await note(person.id, 'order_cancelled', 'b');
    await note(stranger.id, 'order_cancelled', 'a');
    const first = await pageOf(person, '?order_id=a&limit=1');
    const second = await pageOf(person, `?order_id=a&cursor=${first.next_cursor ?? ''}`);
    expect([...first.data, ...second.data].map(({ type }) => type)).toEqual(['order_cancelled', 'order_amended']);
    expect(second.next_cursor).toBeNull();
    for (const query of [
      `?cursor=${first.next_cursor ?? ''}`,
      `?order_id=b&cursor=${first.next_cursor ?? ''}`,
      '?order_id=',
    ]) {
      expect((await get(app, `/account/activity${query}`, person.token)).status).toBe(400);
    }
  });

  it('S-41 nobody can change or remove an event that is younger than 400 days', async () => {
    const person = await aUser(app);
    await expect(sql(app, `UPDATE security_events SET type = 'x' WHERE user_id = $1`, [person.id])).rejects.toThrow();
    await expect(sql(app, `DELETE FROM security_events WHERE user_id = $1`, [person.id])).rejects.toThrow();
    await expect(sql(app, `TRUNCATE security_events`)).rejects.toThrow();
  });

  it('S-41 an event is written with its change or not at all', async () => {
    const person = await aUser(app);
    const transactions = app.get(Transactions);
    const activity = app.get(ActivityService);
    const failing = transactions.run(async () => {
      await activity.record({ type: 'login', userId: person.id });
      throw new Error('the change failed');
    });
    await expect(failing).rejects.toThrow('the change failed');
    expect((await pageOf(person)).data.map(({ type }) => type)).not.toContain('login');
  });

  it('a sign-in from a new device is told to the owner, one from a known device is not', async () => {
    const email = anEmail();
    const person = await aUser(app, { email });
    await logIn(app, email);
    await logIn(app, email).set('User-Agent', 'Mozilla/5.0 (X11; Linux) <b>call us</b> Firefox/140.0');
    await logIn(app, email).set('User-Agent', 'Mozilla/5.0 (X11; Linux) <b>call us</b> Firefox/141.2');
    await post(app, '/auth/logout', undefined, person.token);
    const mails = await waitForMails(app, email, 2);
    expect(mails).toHaveLength(2);
    const notice = mails.find(({ subject }) => subject === 'Sign-in from a new device');
    expect(notice?.text).toContain('Client: Firefox on Linux');
    expect(`${notice?.html ?? ''}${notice?.text ?? ''}`).not.toContain('call us');
  });

  it('S-17, S-41 the sign-in of a thief after the operator ended the sessions is told to the owner', async () => {
    const { id, email } = await aUser(app);
    const users = usersAdmin(app);
    const user = await users.find(id);
    if (user !== null) await users.endSessions(user);
    await logIn(app, email).set('User-Agent', 'Thief/1').set('X-Forwarded-For', '203.0.113.9').expect(200);
    const newest = `SELECT details FROM security_events WHERE user_id = $1 AND type = 'login' ORDER BY id DESC LIMIT 1`;
    expect(await sql(app, newest, [id])).toMatchObject([{ details: { new_device: true } }]);
  });

  it('S-41 a network that was not seen in 30 days is as new as a device, and the first of an account is neither', async () => {
    const email = anEmail();
    await aUser(app, { email });
    await sql(app, 'DELETE FROM known_devices WHERE user_id = (SELECT id FROM users WHERE email = $1)', [email]);
    const from = async (ip: string, agent = CHROME): Promise<unknown> => {
      const { id } = signedIn(await logIn(app, email).set('User-Agent', agent).set('X-Forwarded-For', ip));
      const newest = `SELECT details FROM security_events WHERE user_id = $1 AND type = 'login' ORDER BY id DESC LIMIT 1`;
      const [event] = await sql<{ details: { new_device: boolean } }>(app, newest, [id]);
      return event?.details.new_device;
    };
    const age = (days: number) =>
      sql(app, 'UPDATE known_devices SET last_login_at = last_login_at - make_interval(days => $1)', [days]);
    expect(await from('198.51.100.7')).toBe(false);
    expect(await from('198.51.77.200', CHROME.replace('142', '143'))).toBe(false);
    expect(await from('203.0.113.5')).toBe(true);
    expect(await from('203.0.9.9')).toBe(false);
    expect(await from('198.5.1.1')).toBe(true);
    expect(await from('2001:db8:1:2::1')).toBe(true);
    expect(await from('2001:db8:ffff::9')).toBe(false);
    expect(await from('2001:db9::9')).toBe(true);
    expect(await from('203.0.113.5', 'curl/8')).toBe(true);
    await age(29);
    expect(await from('203.0.113.5')).toBe(false);
    await age(2);
    expect(await from('198.51.100.7')).toBe(true);
    await age(31);
    expect(await from('198.51.100.7')).toBe(true);
    const told = (await waitForMails(app, email, 2)).filter(({ subject }) => subject === 'Sign-in from a new device');
    expect(told).toHaveLength(1);
    expect(told[0]?.text).toContain('Address: 203.0.113.5');
    expect(told[0]?.text).toContain('Client: Chrome on Windows');
  });
});

describe('retention', () => {
  it('S-41 forgets a sign-up that nobody proved after 31 days, and no other event before 400', async () => {
    const app = await startTestApp();
    const waiting = (await signUp(app, anEmail())).body as { user_id: string };
    const owner = await aUser(app);
    const noted = await sql<{ id: string }>(app, 'SELECT user_id AS id FROM unproved_signups');
    expect(noted.map(({ id }) => id).sort()).toEqual([waiting.user_id, owner.id].sort());

    const at = (days: number): string => `now() - interval '${days} days'`;
    await sql(
      app,
      `INSERT INTO security_events (id, type, user_id, ip, user_agent, created_at) VALUES
         ('nobody', 'signup', 'usr_nobody', '', '', ${at(32)}), ('young', 'signup', 'usr_young', '', '', ${at(29)}),
         ('asked', 'signup', 'usr_asked', '', '', ${at(32)}), ('reset', 'password_reset_requested', 'usr_asked', '', '', ${at(31)}),
         ('deleted-1', 'signup', 'usr_deleted', '', '', ${at(32)}), ('deleted-2', 'account_deleted', 'usr_deleted', '', '', ${at(31)}),
         ('owner', 'signup', '${owner.id}', '', '', ${at(32)}), ('login', 'login', 'usr_other', '', '', ${at(399)})`,
    );
    await sql(
      app,
      `INSERT INTO unproved_signups (user_id, created_at) SELECT id, ${at(32)} FROM unnest(ARRAY['usr_nobody', 'usr_asked', 'usr_deleted']) id
       UNION ALL SELECT 'usr_' || n, ${at(32)} FROM generate_series(1, 1200) n`,
    );
    await sql(app, `UPDATE unproved_signups SET created_at = ${at(32)} WHERE user_id = '${owner.id}'`);
    for (const id of ['young', 'owner', 'login', 'deleted-1', 'deleted-2', 'reset']) {
      await expect(sql(app, 'DELETE FROM security_events WHERE id = $1', [id])).rejects.toThrow('append-only');
    }
    await app.get(Retention).run();
    const left = await sql<{ id: string }>(app, `SELECT id FROM security_events WHERE id NOT LIKE 'evt%' ORDER BY id`);
    expect(left.map(({ id }) => id)).toEqual(['deleted-1', 'deleted-2', 'login', 'owner', 'reset', 'young']);
    expect(await sql(app, 'SELECT user_id AS id FROM unproved_signups')).toEqual([{ id: waiting.user_id }]);
    await app.close();
  });

  it('R-22 removes what is over and nothing else, in small batches', async () => {
    const app = await startTestApp();
    const kept = await aUser(app);
    const gone = await aUser(app);
    await signUp(app, anEmail());
    await sql(app, `UPDATE sessions SET expires_at = now() - interval '2 days' WHERE user_id = $1`, [gone.id]);
    await sql(app, `UPDATE pending_signups SET created_at = now() - interval '8 days'`);
    await sql(app, `UPDATE mail_outbox SET done_at = now() - interval '8 days' WHERE recipient = $1`, [gone.email]);
    await sql(
      app,
      `INSERT INTO account_tokens (token_hash, purpose, subject_id, email, expires_at)
       SELECT sha256(n::text::bytea), 'reset', 'x', 'x', now() - interval '2 days' FROM generate_series(1, 1200) n`,
    );
    await sql(
      app,
      `INSERT INTO security_events (id, type, ip, user_agent, created_at) VALUES ('old', 'login', '', '', now() - interval '402 days')`,
    );
    await sql(app, `INSERT INTO rate_limits (key, points, expire) VALUES ('old', 1, 1)`);
    await app.get(Retention).run();
    const count = async (table: string, where = 'true') =>
      (await sql<{ n: number }>(app, `SELECT count(*)::int AS n FROM ${table} WHERE ${where}`))[0]?.n;
    expect(await count('sessions', `user_id = '${gone.id}'`)).toBe(0);
    expect(await count('sessions', `user_id = '${kept.id}'`)).toBe(1);
    expect(await count('pending_signups')).toBe(0);
    expect(await count('account_tokens', `email = 'x'`)).toBe(0);
    expect(await count('mail_outbox', `recipient = '${gone.email}'`)).toBe(0);
    expect(await count('mail_outbox', `recipient = '${kept.email}'`)).toBe(1);
    expect(await count('security_events', `id = 'old'`)).toBe(0);
    expect(await count('security_events', `user_id = '${kept.id}'`)).toBeGreaterThan(0);
    expect(await count('rate_limits', `key = 'old'`)).toBe(0);
    await app.close();
  });
});
