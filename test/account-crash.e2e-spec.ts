import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request, { type Response } from 'supertest';
import { startTestApp, type TestApp } from './support/app.js';
import { type Instance, startInstance } from './support/instance.js';
import { get, post, refresh, refreshOf, type SignedIn, signUp } from './support/calls.js';
import { sql } from './support/rows.js';
import { anEmail, aUser } from './support/users.js';

const PEOPLE = 4;
const ROUNDS = 6;
const WALLET = {
  api_key: '7b1e2d60-6f9a-4dd7-8f3e-21b8f94c77a2',
  secret: 'Zml4ZWQtdGVzdC1zZWNyZXQtZm9yLWwyLXZlY3RvcnMtMDE=',
  passphrase: '0f2d6a4c1b3e58790f2d6a4c1b3e5879',
};

/** One answer, or null where the connection broke: then nobody knows whether it was done. */
async function outcome(call: request.Test): Promise<Response | null> {
  return call.then(
    (answer) => answer,
    () => null,
  );
}

/** What was asked of the killed process for one person, and what it answered. */
interface History {
  readonly person: SignedIn;
  readonly newEmail: string;
  readonly wallet: string;
  readonly refreshed: Response | null;
  readonly key: Response | null;
  readonly signedUp: Response | null;
  readonly stored: Response | null;
}

describe('R-6, R-7 kill -9 of a process in the middle of writes', () => {
  let app: TestApp;
  let victim: Instance;

  beforeAll(async () => {
    app = await startTestApp();
    victim = await startInstance(app);
  }, 60_000);

  afterAll(async () => {
    await victim.close();
    await app.close();
  });

  async function ask(person: SignedIn, index: number): Promise<History> {
    const newEmail = anEmail();
    const wallet = `0x${String(index).padStart(40, '0')}`;
    const put = request(victim.url).put('/account/credentials/polymarket').auth(person.token, { type: 'bearer' });
    const [refreshed, key, signedUp, stored] = await Promise.all([
      outcome(refresh(victim, person.refresh)),
      outcome(post(victim, '/account/api-keys', {}, person.token)),
      outcome(signUp(victim, newEmail)),
      outcome(put.send({ ...WALLET, wallet_address: wallet })),
    ]);
    return { person, newEmail, wallet, refreshed, key, signedUp, stored };
  }

  /** Rows of one statement about a person or an address. */
  async function count(statement: string, value: string): Promise<number> {
    return (await sql(app, statement, [value])).length;
  }

  const events = (type: string) => `SELECT 1 FROM security_events WHERE type = '${type}' AND user_id = $1`;

  async function checkRefresh({ person, refreshed }: History): Promise<void> {
    const rotations = `SELECT 1 FROM refresh_rotations r JOIN sessions s ON s.id = r.session_id WHERE s.user_id = $1`;
    const before = await count(rotations, person.id);
    expect(before).toBeLessThanOrEqual(1);
    const again = await refresh(app, person.refresh);
    expect(again.status).toBe(200);
    if (refreshed !== null) expect([refreshed.status, refreshOf(refreshed)]).toEqual([200, refreshOf(again)]);
    expect(await count(rotations, person.id)).toBe(1);
  }

  async function checkKey({ person, key }: History): Promise<void> {
    const keys = await count('SELECT 1 FROM api_keys WHERE user_id = $1 AND revoked_at IS NULL', person.id);
    expect(keys).toBeLessThanOrEqual(1);
    expect(await count(events('api_key_created'), person.id)).toBe(keys);
    if (key === null) return;
    expect([key.status, (await get(app, '/me', (key.body as { key: string }).key)).status]).toEqual([201, 200]);
  }

  async function checkSignUp({ newEmail, signedUp }: History): Promise<void> {
    const waiting = await sql<{ id: string }>(app, 'SELECT id FROM pending_signups WHERE email = $1', [newEmail]);
    expect(waiting.length).toBeLessThanOrEqual(1);
    expect(await count('SELECT 1 FROM mail_outbox WHERE recipient = $1', newEmail)).toBe(waiting.length);
    if (waiting[0] !== undefined) expect(await count(events('signup'), waiting[0].id)).toBe(1);
    if (signedUp === null) return;
    expect([signedUp.status, signedUp.body]).toEqual([201, expect.objectContaining({ user_id: waiting[0]?.id })]);
  }

  async function checkCredentials({ person, wallet, stored }: History): Promise<void> {
    const rows = await count('SELECT 1 FROM exchange_credentials WHERE user_id = $1', person.id);
    expect(await count(events('credentials_stored'), person.id)).toBe(rows);
    const body: unknown = (await get(app, '/account/credentials', person.token)).body;
    const whole = rows === 1 ? { configured: true, wallet_address: wallet } : { configured: false };
    expect(body).toMatchObject({ exchanges: { polymarket: whole } });
    if (stored !== null) expect([stored.status, rows]).toEqual([200, 1]);
  }

  it('leaves nothing of changes that were cut off before their event was written (S-41)', async () => {
    const person = await aUser(app);
    const client = new pg.Client({ connectionString: app.database.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query('LOCK TABLE security_events IN SHARE MODE');
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    const asked = ask(person, 1);
    while ((await sql(app, waiting)).length < 3) await delay(2);
    await victim.kill();
    const history = await asked;
    await client.query('COMMIT');
    await client.end();
    while ((await sql(app, waiting)).length > 0) await delay(2);
    await sql(app, `UPDATE refresh_rotations SET rotated_at = now() + interval '1 hour'`);
    victim = await startInstance(app);
    expect([history.key, history.signedUp, history.stored]).toEqual([null, null, null]);
    for (const check of [checkRefresh, checkKey, checkSignUp, checkCredentials]) await check(history);
    expect(await count('SELECT 1 FROM pending_signups WHERE email = $1', history.newEmail)).toBe(0);
    expect((await post(app, '/account/api-keys', {}, person.token)).status).toBe(201);
  }, 60_000);

  it('loses nothing that was acknowledged, and leaves nothing by half', async () => {
    let broken = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const people = await Promise.all(Array.from({ length: PEOPLE }, () => aUser(app)));
      const asked = people.map((person, index) => ask(person, index + 1));
      await delay(8 + round * 12);
      await victim.kill();
      const histories = await Promise.all(asked);
      // However long the next start takes, the grace window is not over.
      await sql(app, `UPDATE refresh_rotations SET rotated_at = now() + interval '1 hour'`);
      victim = await startInstance(app);
      for (const history of histories) {
        broken += Object.values(history).filter((value) => value === null).length;
        await checkRefresh(history);
        await checkKey(history);
        await checkSignUp(history);
        await checkCredentials(history);
      }
    }
    const twice = 'SELECT email FROM users GROUP BY email HAVING count(*) > 1';
    const orphans = 'SELECT 1 FROM exchange_credentials c LEFT JOIN users u ON u.id = c.user_id WHERE u.id IS NULL';
    expect([await sql(app, twice), await sql(app, orphans)]).toEqual([[], []]);
    expect(broken).toBeGreaterThan(0);
  }, 180_000);
});
