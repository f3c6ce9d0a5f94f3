import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { startTestApp, type TestApp } from './support/app.js';
import { codeOf, logIn } from './support/calls.js';
import { aUser } from './support/users.js';

describe('R-5 a database that lets nobody in', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app.close());

  async function allowConnections(allowed: boolean): Promise<void> {
    const url = new URL(app.database.url);
    const name = url.pathname.slice(1);
    url.pathname = '/postgres';
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${allowed}`);
    await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    await client.end();
  }

  it('is 503 with Retry-After, and all is well again when it does', async () => {
    const { email } = await aUser(app);
    await allowConnections(false);
    const away = await logIn(app, email);
    await allowConnections(true);
    expect([away.status, codeOf(away)]).toEqual([503, 'service_unavailable']);
    expect(Number(away.headers['retry-after'])).toBeGreaterThan(0);
    expect((await logIn(app, email)).status).toBe(200);
  });
});
