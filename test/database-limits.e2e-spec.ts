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
const LATE_MS = 4_000;

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
async function ownServer(name: string, poolMax = '1'): Promise<ServiceModule & { directory: string; server: Service }> {
  const directory = join(workspace.path, name, 'postgres');
  const server = await startService(directory);
  const { host, port, username } = server.connection;
  const parameters = new URLSearchParams({ host, port: String(port), user: username });
  const url = `postgresql:///postgres?${parameters.toString()}`;
  const service = await startModule(workspace.path, { DATABASE_URL: url, DATABASE_POOL_MAX: poolMax });
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

const silentServer = begunEarly(async () => {
  const { transactions, directory, server } = await ownServer('silent', '4');
  const backend = async (seconds = 0): Promise<number> => {
    const rows: unknown = await transactions.manager.query('SELECT pg_backend_pid() AS pid, pg_sleep($1)', [seconds]);
    return (rows as [{ pid: number }])[0].pid;
  };
  const four = (): Promise<number[]> => Promise.all([0.3, 0.3, 0.3, 0.3].map(backend));
  const before = await four();
  // One alone is asked, and the others idle meanwhile.
  const pids = [await serverPid(directory), ...before];
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  const silent = await waitFor(backend);
  for (const pid of pids) process.kill(pid, 'SIGCONT');
  const after = await four();
  await transactions.manager.query('ALTER DATABASE postgres SET default_transaction_read_only = on');
  // It holds for connections that begin from now on: the old ones end, the one that asks for it last.
  await transactions.manager
    .query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname IS NOT NULL ORDER BY pid = pg_backend_pid()',
    )
    .catch(() => undefined);
  // Those that have ended, as the pool learns by using them.
  await four().catch(() => undefined);
  const readOnly = await waitFor(backend);
  await server.stop();
  return { silent, before, after, readOnly };
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

  it('R-5 uses no connection again that began before a server fell silent', async () => {
    const { silent, before, after } = await silentServer();
    expect(isDatabaseUnavailable(silent.reason)).toBe(true);
    expect(new Set(before).size).toBe(4);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
  });

  it('R-5 takes a server that only reads for one that is away', async () => {
    const { readOnly } = await silentServer();
    expect(readOnly.reason).toMatchObject({ code: '25006' });
    expect(isDatabaseUnavailable(readOnly.reason)).toBe(true);
  });

  it('R-5 says at once that the server is away, and works again when it is back', async () => {
    const { away, back } = await absentServer();
    expect(isDatabaseUnavailable(away.reason)).toBe(true);
    expect(away.tookMs).toBeLessThan(3_000 + LATE_MS);
    expect(back).toEqual([{ one: 1 }]);
  });

  it('R-5 does not take errors of other kinds for an outage', async () => {
    const missingFile = await reasonOf(() => readFile(join(workspace.path, 'nothing')));
    expect(isDatabaseUnavailable(missingFile)).toBe(false);
    expect(isDatabaseUnavailable(new Error('timeout'))).toBe(false);
    expect(isDatabaseUnavailable('57P01')).toBe(false);
  });
});
