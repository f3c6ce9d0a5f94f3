import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DurableLimits } from '../src/platform/limits/durable-limits.repository.js';
import type { RatePolicy } from '../src/platform/limits/rate.js';
import { startTestApp, type TestApp } from './support/app.js';
import { logIn } from './support/calls.js';
import { sql } from './support/rows.js';
import { aUser } from './support/users.js';

const POLICY: RatePolicy = { name: 'test:window', limit: 3, windowMs: 600_000 };
/** In the past for every clock. */
const OVER = `expire = 1000`;

describe('limits in PostgreSQL (S-25)', () => {
  let app: TestApp;
  let limits: DurableLimits;

  beforeAll(async () => {
    app = await startTestApp({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_AUTH: '100000/1m' });
    limits = app.get(DurableLimits);
  });

  afterAll(() => app.close());

  async function pointsOf(key: string): Promise<number | undefined> {
    const rows = await sql<{ points: number }>(app, 'SELECT points FROM rate_limits WHERE key = $1', [key]);
    return rows[0]?.points;
  }

  it('takes a point back that was counted in a window that goes on', async () => {
    await limits.consume(POLICY, 'a');
    const counted = await limits.consume(POLICY, 'a');
    await limits.giveBack(POLICY, 'a', counted);
    expect(await pointsOf('test:window:a')).toBe(1);
  });

  it('no counter turns negative where the window ended before its point is taken back', async () => {
    const counted = await limits.consume(POLICY, 'b');
    await sql(app, `UPDATE rate_limits SET ${OVER} WHERE key = 'test:window:b'`);
    await limits.giveBack(POLICY, 'b', counted);
    expect(await pointsOf('test:window:b')).toBeGreaterThanOrEqual(0);
    expect(await limits.consume(POLICY, 'b')).toMatchObject({ remaining: 2 });
  });

  it('no counter turns negative where its row was tidied away before its point is taken back', async () => {
    const counted = await limits.consume(POLICY, 'c');
    await sql(app, `DELETE FROM rate_limits WHERE key = 'test:window:c'`);
    await limits.giveBack(POLICY, 'c', counted);
    expect((await pointsOf('test:window:c')) ?? 0).toBe(0);
    expect(await limits.consume(POLICY, 'c')).toMatchObject({ remaining: 2 });
  });

  it('a point of a window that is over is not taken from the next one', async () => {
    const counted = await limits.consume(POLICY, 'd');
    await sql(app, `UPDATE rate_limits SET ${OVER} WHERE key = 'test:window:d'`);
    await sql(app, `UPDATE rate_limits SET points = 1, expire = $1 WHERE key = 'test:window:d'`, [
      Date.now() + 2 * POLICY.windowMs,
    ]);
    await limits.giveBack(POLICY, 'd', counted);
    expect(await pointsOf('test:window:d')).toBe(1);
  });

  it('points that are taken back more often than they were counted stop at nothing', async () => {
    const counted = await limits.consume(POLICY, 'e');
    await Promise.all(Array.from({ length: 5 }, () => limits.giveBack(POLICY, 'e', counted)));
    expect(await pointsOf('test:window:e')).toBe(0);
  });

  it('the database refuses a negative counter, whoever writes it', async () => {
    const writing = sql(app, `INSERT INTO rate_limits (key, points, expire) VALUES ('test:window:f', -1, 1)`);
    await expect(writing).rejects.toThrow('rate_limits_points_check');
  });

  it('a log-in that lasts beyond the end of its windows leaves no negative counter', async () => {
    const { email, id } = await aUser(app);
    const client = new pg.Client({ connectionString: app.database.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [id]);
    const answering = logIn(app, email).then(({ status }) => status);
    const counted = `SELECT 1 FROM rate_limits WHERE key LIKE 'login:%' AND points > 0`;
    while ((await sql(app, counted)).length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
    await sql(app, `UPDATE rate_limits SET ${OVER} WHERE key LIKE 'login:%'`);
    await client.query('COMMIT');
    await client.end();
    expect(await answering).toBe(200);
    expect(await sql(app, 'SELECT key, points FROM rate_limits WHERE points < 0')).toEqual([]);
  });
});
