import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestingModule } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { isDatabaseUnavailable, isUniqueViolation } from '../src/platform/database/database-errors.js';
import type { Transactions } from '../src/platform/database/transactions.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { logged, reasonOf, startModule } from './support/database-module.js';
import { isRunning, query, serverPid, socketOf, useWorkspace } from './support/embedded-service.js';

const workspace = useWorkspace();

describe('DatabaseModule', () => {
  let database: TestDatabase;
  let app: TestingModule;
  let transactions: Transactions;

  beforeAll(async () => {
    database = await createTestDatabase();
    ({ app, transactions } = await startModule(workspace.path, { DATABASE_URL: database.url, DATABASE_POOL_MAX: '4' }));
    await transactions.manager.query('CREATE TABLE notes (id int CONSTRAINT notes_pk PRIMARY KEY)');
  });

  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  const insert = async (id: number): Promise<void> => {
    await transactions.manager.query('INSERT INTO notes VALUES ($1)', [id]);
  };

  const isStored = async (id: number): Promise<boolean> => {
    const rows: unknown[] = await app.get(DataSource).query('SELECT 1 FROM notes WHERE id = $1', [id]);
    return rows.length === 1;
  };

  it('R-6 runs on the embedded server without DATABASE_URL, and stops it when it closes', async () => {
    const dataDir = join(workspace.path, 'module');
    const service = await startModule(workspace.path, { DATA_DIR: dataDir });
    expect(await service.transactions.manager.query('SHOW fsync')).toEqual([{ fsync: 'on' }]);
    expect(await service.transactions.manager.query('SHOW synchronous_commit')).toEqual([{ synchronous_commit: 'on' }]);
    const pid = await serverPid(join(dataDir, 'postgres'));
    await service.app.close();
    expect(isRunning(pid)).toBe(false);
  });

  it('limits every wait on the server (R-10)', async () => {
    const rows: unknown = await transactions.manager.query(
      `SELECT name, setting FROM pg_settings WHERE name IN
       ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'application_name') ORDER BY name`,
    );
    expect(rows).toEqual([
      { name: 'application_name', setting: 'trading-proxy' },
      { name: 'idle_in_transaction_session_timeout', setting: '10000' },
      { name: 'lock_timeout', setting: '3000' },
      { name: 'statement_timeout', setting: '5000' },
    ]);
  });

  it('R-6 commits what a transaction wrote, and shows it to nobody before', async () => {
    await transactions.run(async () => {
      await insert(1);
      expect(await isStored(1)).toBe(false);
    });
    expect(await isStored(1)).toBe(true);
  });

  it('rolls everything back when the function rejects', async () => {
    const failure = new Error('no');
    const attempt = transactions.run(async () => {
      await insert(2);
      throw failure;
    });
    await expect(attempt).rejects.toBe(failure);
    expect(await isStored(2)).toBe(false);
  });

  it('joins the transaction around it', async () => {
    const attempt = transactions.run(async () => {
      await transactions.run(() => insert(3));
      expect(await isStored(3)).toBe(false);
      throw new Error('no');
    });
    await expect(attempt).rejects.toThrow('no');
    expect(await isStored(3)).toBe(false);
  });

  it('rolls the whole back when a run within failed, even if its error was caught', async () => {
    const attempt = transactions.run(async () => {
      await insert(4);
      await transactions
        .run(async () => {
          await insert(5);
          throw new Error('inner');
        })
        .catch(() => undefined);
    });
    await expect(attempt).rejects.toThrow('inner');
    expect([await isStored(4), await isStored(5)]).toEqual([false, false]);
  });

  it('R-6 does not resolve when a caught statement error has undone the transaction', async () => {
    const attempt = transactions.run(async () => {
      await insert(6);
      await insert(6).catch(() => undefined);
    });
    await expect(attempt).rejects.toThrow(/rolled back/);
    expect(await isStored(6)).toBe(false);
  });

  it('keeps transactions that run at once apart', async () => {
    const results = await Promise.allSettled(
      [7, 8, 9].map((id) =>
        transactions.run(async () => {
          await insert(id);
          await delay(10);
          if (id === 8) throw new Error('no');
        }),
      ),
    );
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect([await isStored(7), await isStored(8), await isStored(9)]).toEqual([true, false, true]);
  });

  it('calls afterCommit hooks once the outermost transaction is committed, and outside of it', async () => {
    const calls: string[] = [];
    await transactions.run(async () => {
      await transactions.run(async () => {
        await insert(10);
        transactions.afterCommit(() => {
          calls.push('inner');
          transactions.afterCommit(() => calls.push('outside'));
        });
      });
      transactions.afterCommit(() => {
        throw new Error('This error is only logged.');
      });
      transactions.afterCommit(() => calls.push('outer'));
      calls.push('body');
    });
    expect(calls).toEqual(['body', 'inner', 'outside', 'outer']);
    expect(logged).toContain('A callback after commit failed');
  });

  it('never calls afterCommit hooks of a transaction that is rolled back', async () => {
    const calls: string[] = [];
    const attempt = transactions.run(async () => {
      transactions.afterCommit(() => calls.push('rolled back'));
      await insert(11);
      await insert(11);
    });
    await expect(attempt).rejects.toThrow(/duplicate key/);
    expect(calls).toEqual([]);
  });

  it('refuses work that a transaction left behind', async () => {
    let late: Promise<void> | undefined;
    let end = (): void => undefined;
    const isOver = new Promise<void>((resolve) => (end = resolve));
    await transactions.run(async () => {
      late = isOver.then(() => insert(12));
      late.catch(() => undefined);
      await insert(13);
    });
    end();
    await expect(late).rejects.toThrow(/This transaction has ended/);
  });

  it('tells a unique violation by its constraint', async () => {
    await insert(14);
    const error = await reasonOf(() => insert(14));
    expect(isUniqueViolation(error, 'notes_pk')).toBe(true);
    expect(isUniqueViolation(error, 'other')).toBe(false);
    expect(isDatabaseUnavailable(error)).toBe(false);
  });

  it('returns of a statement that stands alone what it returns in a transaction', async () => {
    const statements = async (): Promise<unknown[]> => [
      await transactions.manager.query<unknown[]>('INSERT INTO notes VALUES ($1), ($2) RETURNING id', [20, 21]),
      await transactions.manager.query<unknown[]>('UPDATE notes SET id = id + 2 WHERE id = ANY($1) RETURNING id', [
        [20, 21],
      ]),
      await transactions.manager.query<unknown[]>('SELECT id FROM notes WHERE id > 19 ORDER BY id'),
      await transactions.manager.query<unknown[]>(
        'WITH gone AS (DELETE FROM notes WHERE id = 23 RETURNING id) SELECT id FROM gone',
      ),
      await transactions.manager.query<unknown[]>('DELETE FROM notes WHERE id > 19'),
    ];
    const alone = await statements();
    expect(alone).toEqual([
      [{ id: 20 }, { id: 21 }],
      [[{ id: 22 }, { id: 23 }], 2],
      [{ id: 22 }, { id: 23 }],
      [{ id: 23 }],
      [[], 1],
    ]);
    expect(await transactions.run(statements)).toEqual(alone);
  });

  /** The server processes behind the pool's connections, all of which are used at once. */
  const pids = async (): Promise<Set<number | undefined>> => {
    const pidOf = async (): Promise<number | undefined> => {
      const rows = await transactions.manager.query<{ pid: number }[]>(
        'SELECT pg_backend_pid() AS pid FROM pg_sleep(0.01)',
      );
      return rows[0]?.pid;
    };
    return new Set(await Promise.all(Array.from({ length: 12 }, pidOf)));
  };

  it('uses the same few connections for all statements that stand alone, also after one fails', async () => {
    const before = await pids();
    expect(before.size).toBe(4);
    await insert(24);
    const failures = Array.from({ length: 8 }, () => reasonOf(() => insert(24)));
    expect((await Promise.all(failures)).every((error) => isUniqueViolation(error, 'notes_pk'))).toBe(true);
    expect(await pids()).toEqual(before);
  });

  it('R-5 hands out no connection again of which the server says that it ends, though its socket still stands', async () => {
    const before = await pids();
    const ending = `DO $$ BEGIN PERFORM pg_sleep(0.1); RAISE EXCEPTION 'ending' USING ERRCODE = '57P01'; END $$`;
    const failures = Array.from({ length: 4 }, () => reasonOf(() => transactions.manager.query<unknown[]>(ending)));
    expect((await Promise.all(failures)).map(isDatabaseUnavailable)).toEqual([true, true, true, true]);
    const after = await pids();
    expect([...after].filter((pid) => before.has(pid))).toEqual([]);
  });

  it('R-5 survives the loss of a connection under a statement that stands alone', async () => {
    const slow = Array.from({ length: 4 }, () =>
      reasonOf(() => transactions.manager.query<unknown[]>('SELECT pg_sleep(4)')),
    );
    await delay(300);
    const terminate = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()';
    await query(socketOf(database), `${terminate} AND pid <> pg_backend_pid()`);
    expect((await Promise.all(slow)).map(isDatabaseUnavailable)).toEqual([true, true, true, true]);
    await Promise.all(Array.from({ length: 8 }, (_, index) => insert(30 + index)));
    expect([await isStored(30), await isStored(37)]).toEqual([true, true]);
  });

  it('R-5 survives the loss of its connections, in a transaction and between requests', async () => {
    const terminate = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()';
    const error = await reasonOf(() =>
      transactions.run(async () => {
        await insert(15);
        await query(socketOf(database), `${terminate} AND pid <> pg_backend_pid()`);
        await delay(50);
        await insert(16);
      }),
    );
    expect(isDatabaseUnavailable(error)).toBe(true);
    await insert(17);
    expect([await isStored(15), await isStored(17)]).toEqual([false, true]);
  });
});

describe('createTestDatabase', () => {
  it('gives databases apart from each other, by a URL that TypeORM takes too', async () => {
    const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    const dataSource = await new DataSource({ type: 'postgres', url: one.url }).initialize();
    await dataSource.query('CREATE TABLE mine (id int)');
    expect(await dataSource.query('SELECT current_database() AS name')).toEqual([{ name: socketOf(one).database }]);
    await expect(query(socketOf(two), 'SELECT * FROM mine')).rejects.toThrow(/does not exist/);
    await dataSource.destroy();
    await Promise.all([one.drop(), two.drop()]);
    await expect(query(socketOf(one), 'SELECT 1')).rejects.toThrow(/does not exist/);
  });
});
