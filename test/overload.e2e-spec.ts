import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { PasswordHasher } from '../src/platform/crypto/password-hasher.js';
import { startTestApp, type TestApp } from './support/app.js';
import { codeOf, logIn, OTHER_PASSWORD, PASSWORD, post } from './support/calls.js';
import { sql } from './support/rows.js';
import { aUser } from './support/users.js';

/** One more than an account may fail from one address. */
const CALLS = 11;
/** More than may wait for one account, fewer than may fail. */
const AT_ONCE = 9;

describe('S-25 what an overloaded service turns away is no failed log-in', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_AUTH: '100000/1m', BCRYPT_COST: '12' });
  });

  afterAll(() => app.close());

  /** Calls all at once, while others wait too: more than may wait for one account. */
  async function atOnce(call: () => PromiseLike<Response>): Promise<Response[]> {
    const hasher = app.get(PasswordHasher);
    let isOver = false;
    const lane = async (): Promise<void> => {
      while (!isOver) await hasher.hash('x');
    };
    const others = Array.from({ length: 20 }, lane);
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, call));
    isOver = true;
    await Promise.all(others);
    return answers;
  }

  /** Calls one after another while a table is not there, so that the database refuses to answer. */
  async function whileMissing(table: string, call: () => PromiseLike<Response>): Promise<Response[]> {
    await sql(app, `ALTER TABLE ${table} RENAME TO away`);
    const answers: Response[] = [];
    for (let index = 0; index < CALLS; index += 1) answers.push(await call());
    await sql(app, `ALTER TABLE away RENAME TO ${table}`);
    return answers;
  }

  async function untilNothingCounts(): Promise<void> {
    const counted = () => sql(app, `SELECT 1 FROM rate_limits WHERE key LIKE 'login:%' AND points <> 0`);
    while ((await counted()).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  const statuses = (answers: readonly Response[]) => [...new Set(answers.map(({ status }) => status))];

  it('at log-in, when too many hashes wait (503 with Retry-After)', async () => {
    const { email } = await aUser(app);
    const answers = await atOnce(() => logIn(app, email));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    expect([...new Set(refused.map(codeOf))]).toEqual(['service_unavailable']);
    expect([...new Set(refused.map(({ headers }) => String(headers['retry-after'])))]).toEqual(['1']);
    expect((await logIn(app, email)).status).toBe(200);
    await untilNothingCounts();
  });

  it('at log-in, when the database fails', async () => {
    const { email } = await aUser(app);
    expect(statuses(await whileMissing('pending_signups', () => logIn(app, email)))).toEqual([500]);
    await untilNothingCounts();
    expect((await logIn(app, email)).status).toBe(200);
  });

  it('when a signed-in person confirms the password', async () => {
    const { token } = await aUser(app);
    const change = { current_password: PASSWORD, new_password: OTHER_PASSWORD };
    const answers = await atOnce(() => post(app, '/account/password', { ...change, current_password: 'x' }, token));
    const codes = answers.map(codeOf);
    expect(codes).toContain('service_unavailable');
    const [{ points } = { points: 0 }] = await sql<{ points: number }>(
      app,
      `SELECT coalesce(max(points), 0) AS points FROM rate_limits WHERE key LIKE 'confirm:session%'`,
    );
    expect(points).toBe(codes.filter((code) => code === 'invalid_credentials').length);
  });
});
