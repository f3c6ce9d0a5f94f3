import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DatabaseFacts, readFacts } from '../src/commands/doctor/database.repository.js';
import { parseDatabaseUrl } from '../src/platform/database/database-connection.js';
import { Secret } from '../src/platform/secrets/secret.js';
import { PostgresServer } from './chaos/postgres-server.js';

type Replication = Pick<DatabaseFacts, 'standbys' | 'isCopied'>;

const LIMIT_MS = 20_000;
const WATCHER = 'watcher';

describe('what npm run doctor sees of standbys', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;

  beforeAll(async () => {
    primary = await PostgresServer.make();
    standby = await PostgresServer.make(primary);
    await primary.start();
    await primary.query(`CREATE ROLE ${WATCHER} LOGIN`);
  });

  afterAll(async () => {
    await standby.close();
    await primary.close();
  });

  async function seenBy(role?: string): Promise<Replication> {
    const url = new URL(primary.database.url);
    if (role !== undefined) url.searchParams.set('user', role);
    const { standbys, isCopied } = await readFacts(await parseDatabaseUrl(new Secret(url.href)));
    return { standbys, isCopied };
  }

  /** What both a superuser and an ordinary role see, once that is so. */
  async function becomes(expected: Replication): Promise<unknown> {
    const deadline = Date.now() + LIMIT_MS;
    for (;;) {
      const seen = [await seenBy(), await seenBy(WATCHER)];
      const isThere = JSON.stringify(seen) === JSON.stringify([expected, expected]);
      if (isThere || Date.now() > deadline) return seen;
      await delay(50);
    }
  }

  async function set(name: string, value: string): Promise<void> {
    await primary.query(`ALTER SYSTEM SET ${name} = '${value}'`);
    await primary.query('SELECT pg_reload_conf()');
  }

  it('R-6 sees who copies the data, and whether commits wait for them', async () => {
    const states: readonly [work: () => Promise<void>, expected: Replication][] = [
      [() => Promise.resolve(), { standbys: 0, isCopied: false }],
      [async () => standby.start(await standby.follow(primary)), { standbys: 1, isCopied: false }],
      [() => set('synchronous_standby_names', '*'), { standbys: 1, isCopied: true }],
      [() => set('synchronous_standby_names', 'ANY 1 (*)'), { standbys: 1, isCopied: true }],
      [() => set('synchronous_commit', 'local'), { standbys: 1, isCopied: false }],
    ];
    for (const [work, expected] of states) {
      await work();
      expect(await becomes(expected)).toEqual([expected, expected]);
    }
  });
});
