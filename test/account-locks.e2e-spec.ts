import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ApiKeysRepository } from '../src/api-keys/api-keys.repository.js';
import { SessionsRepository } from '../src/auth/sessions/sessions.repository.js';
import type { Response } from 'supertest';
import { startTestApp, type TestApp } from './support/app.js';
import { type Instance, startInstance } from './support/instance.js';
import { tokenIn, waitForMails } from './support/mail.js';
import { codeOf, logIn, post, refresh, signedIn, signUp } from './support/calls.js';
import { sql } from './support/rows.js';
import { anEmail, aUser } from './support/users.js';
import { usersAdmin } from './support/users-admin.js';

/** A transaction of somebody else, open until `end`. */
async function stranger(app: TestApp): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: app.database.url });
  await client.connect();
  await client.query('BEGIN');
  return client;
}

/** Whether the service waits for a lock now; asked by a connection of its own, as a transaction sees one moment. */
async function isWaiting(app: TestApp): Promise<boolean> {
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return (await sql(app, waiting)).length > 0;
}

describe('locks are taken in one order, so that nobody waits crosswise', () => {
  let app: TestApp;
  let other: Instance;

  beforeAll(async () => {
    app = await startTestApp();
    other = await startInstance(app);
  }, 60_000);

  afterAll(async () => {
    await other.close();
    await app.close();
  });

  it('S-9, S-10 of two verification tokens of one address used at once one is 200, the others 400', async () => {
    for (let round = 0; round < 10; round += 1) {
      const email = anEmail();
      await signUp(app, email);
      await signUp(app, email);
      const tokens = (await waitForMails(app, email, 2)).map((mail) => tokenIn(mail, 'verify-email'));
      const calls = [0, 1, 2, 3, 4, 5].map((index) =>
        post(index % 4 < 2 ? app : other, '/auth/verify-email', { token: tokens[index % 2] }),
      );
      const answers = await Promise.all(calls);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
      expect(answers.filter(({ status }) => status === 400).map(codeOf)).toEqual(
        Array.from({ length: 5 }, () => 'invalid_token'),
      );
      expect(await sql(app, 'SELECT 1 FROM users WHERE email = $1', [email])).toHaveLength(1);
      expect(await sql(app, 'SELECT 1 FROM pending_signups WHERE email = $1', [email])).toEqual([]);
    }
  }, 60_000);

  it('S-22 dropping sealed successors waits for nobody who holds one', async () => {
    const { refresh: token, email } = await aUser(app);
    const { refresh: second } = signedIn(await logIn(app, email));
    await refresh(app, token);
    const [held] = await sql<{ parent_hash: Buffer }>(app, 'SELECT parent_hash FROM refresh_rotations');
    await refresh(app, second);
    await sql(app, `UPDATE refresh_rotations SET rotated_at = rotated_at - interval '11 seconds'`);
    const client = await stranger(app);
    await client.query('SELECT 1 FROM refresh_rotations WHERE parent_hash = $1 FOR UPDATE', [held?.parent_hash]);
    await app.get(SessionsRepository).forgetSuccessors();
    const left = 'SELECT 1 FROM refresh_rotations WHERE successor IS NOT NULL AND parent_hash <> $1';
    expect(await sql(app, left, [held?.parent_hash])).toEqual([]);
    await client.query('COMMIT');
    await client.end();
    await app.get(SessionsRepository).forgetSuccessors();
    expect(await sql(app, 'SELECT 1 FROM refresh_rotations WHERE successor IS NOT NULL')).toEqual([]);
  });

  it('S-17 ending everybody’s sessions waits for nobody who holds one, and ends it too', async () => {
    const [one, two] = [await aUser(app), await aUser(app)];
    const client = await stranger(app);
    await client.query('SELECT 1 FROM sessions WHERE user_id = $1 FOR UPDATE', [one.id]);
    const ending = usersAdmin(app).endAllSessions();
    const unended = 'SELECT 1 FROM sessions WHERE user_id = $1 AND revoked_at IS NULL';
    while ((await sql(app, unended, [two.id])).length > 0) await delay(10);
    expect(await isWaiting(app)).toBe(false);
    await client.query('COMMIT');
    await client.end();
    expect(await ending).toBeGreaterThanOrEqual(2);
    expect(await sql(app, unended, [one.id])).toEqual([]);
  });

  it('R-20 last uses of many keys are written in the order of their hashes', async () => {
    for (let index = 0; index < 2; index += 1) {
      const { token } = await aUser(app);
      await post(app, '/account/api-keys', {}, token);
    }
    const rows = await sql<{ hash: Buffer }>(app, 'SELECT hash FROM api_keys ORDER BY hash');
    const [low, high] = rows.map(({ hash }) => hash);
    const client = await stranger(app);
    await client.query('SELECT 1 FROM api_keys WHERE hash = $1 FOR UPDATE', [low]);
    const uses = new Map([high, low].map((hash) => [hash?.toString('hex') ?? '', new Date()]));
    const written = app.get(ApiKeysRepository).markUsed(uses);
    while (!(await isWaiting(app))) await delay(5);
    const { rowCount } = await client.query('SELECT 1 FROM api_keys WHERE hash = $1 FOR UPDATE SKIP LOCKED', [high]);
    expect(rowCount).toBe(1);
    await client.query('COMMIT');
    await client.end();
    await written;
    expect(await sql(app, 'SELECT 1 FROM api_keys WHERE last_used_at IS NULL')).toEqual([]);
  });
});

describe('the order of locks in whitelist mode', () => {
  let app: TestApp;

  afterAll(() => app.close());

  it('R-8 a whitelist sign-up holds its address before anything else', async () => {
    app = await startTestApp({ ACCESS_MODE: 'whitelist' });
    const email = anEmail();
    await sql(app, 'INSERT INTO whitelist_emails (email) VALUES ($1)', [email]);
    const client = await stranger(app);
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [email]);
    const answers: Response[] = [];
    const answered = signUp(app, email).then((response) => answers.push(response));
    while (answers.length === 0 && !(await isWaiting(app))) await delay(5);
    expect(answers).toEqual([]);
    const held = await client.query(`SELECT 1 FROM pg_locks WHERE relation = 'users'::regclass AND mode LIKE 'Row%'`);
    expect(held.rowCount).toBe(0);
    await client.query('COMMIT');
    await client.end();
    await answered;
    expect(answers.map(({ status }) => status)).toEqual([201]);
  });
});
