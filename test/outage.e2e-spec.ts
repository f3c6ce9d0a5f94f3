import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request, { type Response } from 'supertest';
import { EmbeddedPostgres } from '../src/platform/database/embedded-postgres.js';
import { startTestApp, type TestApp } from './support/app.js';
import { type Instance, startInstance } from './support/instance.js';
import { codeOf, get, logIn, post, type SignedIn } from './support/calls.js';
import { sql } from './support/rows.js';
import { aUser } from './support/users.js';

/** What a busy machine adds to the limits of R-5; a wait without a limit of its own is far above both. */
const GRACE_MS = 1_500;

async function within<T>(limitMs: number, work: () => PromiseLike<T>): Promise<T> {
  const isOver = new AbortController();
  const late = delay(limitMs + GRACE_MS, undefined, { signal: isOver.signal }).then(() => {
    throw new Error(`it took longer than ${limitMs} ms`);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    late.catch(() => undefined);
    isOver.abort();
  }
}

type Url = Pick<TestApp, 'url'>;

const statusOf = async (app: Url, path: string): Promise<number> => (await request(app.url).get(path)).status;

async function untilReadyIs(app: Url, status: number): Promise<void> {
  while ((await statusOf(app, '/health/ready')) !== status) await delay(50);
}

function expectUnavailable(answers: readonly Response[]): void {
  expect(answers.map((answer) => [answer.status, codeOf(answer)])).toEqual(
    answers.map(() => [503, 'service_unavailable']),
  );
  for (const { headers } of answers) expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
}

describe('when the database is away (R-3, R-5)', () => {
  let directory: string;
  let server: EmbeddedPostgres;
  let app: Instance;
  let person: SignedIn;
  let key: string;

  const start = (): Promise<EmbeddedPostgres> =>
    EmbeddedPostgres.start({ directory: join(directory, 'postgres'), fast: true });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'trading-proxy-outage-'));
    await chmod(directory, 0o755);
    server = await start();
    const { host, port, username, database } = server.connection;
    const parameters = new URLSearchParams({ host, port: String(port), user: username });
    const url = `postgresql:///${database}?${parameters.toString()}`;
    // API_KEY_CACHE_TTL is 0: nothing that was known before may be trusted.
    app = await startInstance({ database: { url, drop: () => Promise.resolve() }, dataDir: directory });
    person = await aUser(app);
    key = ((await post(app, '/account/api-keys', {}, person.token)).body as { key: string }).key;
  });

  afterAll(async () => {
    await app.close();
    await server.stop();
    await rm(await realpath(join(directory, 'postgres')), { recursive: true, force: true });
    await rm(directory, { recursive: true, force: true });
  });

  const callAll = (): Promise<Response[]> =>
    Promise.all([
      logIn(app, person.email),
      get(app, '/account/profile', person.token),
      get(app, '/me', key),
      post(app, '/auth/forgot-password', { email: person.email }),
    ]);

  async function expectWell(): Promise<void> {
    await within(10_000, () => untilReadyIs(app, 200));
    expect((await callAll()).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  }

  it('R-3, R-5 where it refuses, ready is 503 within 5 s and calls within 3 s, live stays 200, and all is well again', async () => {
    await expectWell();
    await server.stop();
    await within(5_000, () => untilReadyIs(app, 503));
    expect((await request(app.url).get('/health/ready')).body).toEqual({ status: 'unavailable' });
    expect(await statusOf(app, '/health/live')).toBe(200);
    expectUnavailable(await within(3_000, callAll));
    server = await start();
    await expectWell();
  });

  it('R-3, R-5 where it hangs, ready is 503 within 5 s and calls within 8 s, live stays 200, and all is well again', async () => {
    await expectWell();
    const others = await sql<{ pid: number }>(app, `SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()`);
    const first = await readFile(join(directory, 'postgres', 'data', 'postmaster.pid'), 'utf8');
    const pids = [Number.parseInt(first, 10), ...others.map(({ pid }) => pid)];
    const signal = (name: NodeJS.Signals): void => {
      for (const pid of pids) process.kill(pid, name);
    };
    signal('SIGSTOP');
    try {
      const calls = within(8_000, callAll);
      await within(5_000, () => untilReadyIs(app, 503));
      expect(await statusOf(app, '/health/live')).toBe(200);
      expectUnavailable(await calls);
    } finally {
      signal('SIGCONT');
    }
    await expectWell();
  });
});

describe('when all connections to the database are taken (R-10)', () => {
  let app: TestApp;
  let holder: pg.Client | undefined;

  beforeAll(async () => {
    app = await startTestApp({ DATABASE_POOL_MAX: '2' });
  });

  afterEach(async () => {
    await holder?.end();
  });

  afterAll(() => app.close());

  it('R-10 with a pool of 2 and locks held, those who wait for one are 503 in time, and none waits without end', async () => {
    const { email } = await aUser(app);
    holder = new pg.Client({ connectionString: app.database.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE users');
    const answers = await within(8_000, () => Promise.all(Array.from({ length: 6 }, () => logIn(app, email))));
    expectUnavailable(answers);
    expect(await statusOf(app, '/health/live')).toBe(200);
    await holder.query('COMMIT');
    expect((await logIn(app, email)).status).toBe(200);
  });
});
