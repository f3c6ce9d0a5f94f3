import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { isDatabaseUnavailable } from '../src/platform/database/database-errors.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { reasonOf, type ServiceModule, startModule } from './support/database-module.js';
import { serverPid, type Service, startService, useWorkspace } from './support/embedded-service.js';

const workspace = useWorkspace();

/** What a busy machine adds; what has no limit takes for ever. */
const LATE_MS = 2_500;

interface Wait {
  readonly reason: unknown;
  readonly tookMs: number;
}

const closing: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const close of closing) await close();
});

/** How long something took to fail, and why it did. */
async function waitFor(work: () => Promise<unknown>): Promise<Wait> {
  const start = Date.now();
  return { reason: await reasonOf(work), tookMs: Date.now() - start };
}

async function freshModule(): Promise<ServiceModule & { database: TestDatabase }> {
  const database = await createTestDatabase();
  const service = await startModule(workspace.path, { DATABASE_URL: database.url, DATABASE_POOL_MAX: '1' });
  closing.push(
    () => service.app.close(),
    () => database.drop(),
  );
  return { ...service, database };
}

/** A module on a server of its own, which may be paused or stopped. */
async function ownServer(name: string): Promise<ServiceModule & { directory: string; server: Service }> {
  const directory = join(workspace.path, name, 'postgres');
  const server = await startService(directory);
  const { host, port, username } = server.connection;
  const parameters = new URLSearchParams({ host, port: String(port), user: username });
  const url = `postgresql:///postgres?${parameters.toString()}`;
  const service = await startModule(workspace.path, { DATABASE_URL: url, DATABASE_POOL_MAX: '1' });
  closing.push(() => service.app.close());
  return { ...service, directory, server };
}

/** What mostly waits begins with the first test of this file, and its own test awaits it. */
function begunEarly<T>(work: () => Promise<T>): () => Promise<T> {
  let outcome: Promise<T>;
  beforeAll(() => {
    outcome = work();
    outcome.catch(() => undefined);
  });
  return () => outcome;
}

const slowStatement = begunEarly(async () => {
  const { transactions } = await freshModule();
  return waitFor(() => transactions.manager.query('SELECT pg_sleep(30)'));
});

const lockAndPool = begunEarly(async () => {
  const { transactions, database } = await freshModule();
  await transactions.manager.query('CREATE TABLE locked (id int)');
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE locked');
  const lock = waitFor(() => transactions.manager.query('SELECT * FROM locked'));
  const pool = waitFor(() => transactions.run(() => Promise.resolve()));
  const waits = await Promise.all([lock, pool]);
  await holder.end();
  return waits;
});

const hangingServer = begunEarly(async () => {
  const { transactions, directory, server } = await ownServer('paused');
  const backend = async (): Promise<number> => {
    const rows: unknown = await transactions.manager.query('SELECT pg_backend_pid() AS pid');
    return (rows as [{ pid: number }])[0].pid;
  };
  const before = await backend();
  const pids = [await serverPid(directory), before];
  const inTransaction = await waitFor(() =>
    transactions.run(async () => {
      await transactions.manager.query('SELECT 1');
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      await transactions.manager.query('SELECT 2');
    }),
  );
  const next = await waitFor(backend);
  for (const pid of pids) process.kill(pid, 'SIGCONT');
  const after = await backend();
  await server.stop();
  return { inTransaction, next, before, after };
});

const absentServer = begunEarly(async () => {
  const { transactions, directory, server } = await ownServer('away');
  const ask = (): Promise<unknown> => transactions.manager.query('SELECT 1 AS one');
  await server.stop();
  const away = await waitFor(ask);
  const next = await startService(directory);
  const back = await ask();
  await next.stop();
  return { away, back };
});

describe('limits and outages', () => {
  it('R-10 ends a statement after 5 s', async () => {
    const { reason, tookMs } = await slowStatement();
    expect(reason).toMatchObject({ message: expect.stringContaining('statement timeout') as unknown });
    expect(isDatabaseUnavailable(reason)).toBe(true);
    // Without a limit it takes 30 s.
    expect(tookMs).toBeLessThan(15_000);
  });

  it('R-10 waits 3 s for a lock and 2 s for a connection, no longer', async () => {
    const waits = await lockAndPool();
    expect(waits.map(({ reason }) => isDatabaseUnavailable(reason))).toEqual([true, true]);
    const [lock, pool] = waits.map(({ reason }) => reason);
    // The limit of a lock, not that of the statement 2 s later.
    expect(lock).toMatchObject({ message: expect.stringContaining('lock timeout') as unknown });
    expect(pool).toMatchObject({ message: expect.stringContaining('timeout') as unknown });
    expect(waits.map(({ tookMs }) => tookMs < 15_000)).toEqual([true, true]);
  });

  it('R-5 gives up on a server that hangs within 8 s, and works again when that does', async () => {
    const { inTransaction, next, before, after } = await hangingServer();
    expect([inTransaction, next].map(({ reason }) => isDatabaseUnavailable(reason))).toEqual([true, true]);
    expect(inTransaction.tookMs).toBeLessThan(8_000 + LATE_MS);
    expect(next.tookMs).toBeLessThan(3_000 + LATE_MS);
    expect(after).not.toBe(before);
  });

  it('R-5 says at once that the server is away, and works again when it is back', async () => {
    const { away, back } = await absentServer();
    expect(isDatabaseUnavailable(away.reason)).toBe(true);
    expect(away.tookMs).toBeLessThan(3_000 + LATE_MS);
    expect(back).toEqual([{ one: 1 }]);
  });

  it('does not take errors of other kinds for an outage', async () => {
    const missingFile = await reasonOf(() => readFile(join(workspace.path, 'nothing')));
    expect(isDatabaseUnavailable(missingFile)).toBe(false);
    expect(isDatabaseUnavailable(new Error('timeout'))).toBe(false);
    expect(isDatabaseUnavailable('57P01')).toBe(false);
  });
});
