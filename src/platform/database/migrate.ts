import { setTimeout as delay } from 'node:timers/promises';
import { isNativeError } from 'node:util/types';
import { Logger } from '@nestjs/common';
import { AbstractLogger, DataSource, MigrationExecutor, type MigrationInterface, type QueryRunner } from 'typeorm';
import { migrationOptions } from './data-source-options.js';
import type { DatabaseConnection } from './database-connection.js';

/** The number of the advisory lock; nothing else in this database locks by it. */
const LOCK_KEY = '7237165001446913';
const LOCK_WAIT_MS = 60_000;
const LOCK_POLL_MS = 100;

const logger = new Logger('Migrations');

/** Keeps what TypeORM says about a migration that failed: the error itself does not name it. */
class FailureLog extends AbstractLogger {
  failure: string | undefined;

  override logMigration(message: string): void {
    this.failure = message;
  }

  protected override writeLog(): void {
    // The service has a log of its own.
  }
}

/** What is done before and after, under the same lock; where `begin` throws, nothing is changed. */
export interface AroundMigrations {
  readonly begin?: (runner: QueryRunner) => Promise<void>;
  readonly finish?: (runner: QueryRunner) => Promise<void>;
}

/**
 * Brings the schema up to date: each missing migration in a transaction of its own, one process at a time. The lock
 * is held by the connection that does the work, so that a killed process lets go of both together. It is polled for,
 * since a waiting statement would hold up `CREATE INDEX CONCURRENTLY`. Throws when the lock is not free in time. A role that may not change the schema changes nothing: throws where a migration is missing.
 */
export async function migrate(
  connection: DatabaseConnection,
  migrations: readonly (new () => MigrationInterface)[],
  lockWaitMs = LOCK_WAIT_MS,
  { begin, finish }: AroundMigrations = {},
): Promise<void> {
  const log = new FailureLog(false);
  const dataSource = new DataSource({ ...migrationOptions(connection, migrations), logger: log });
  await open(dataSource, connection);
  try {
    const runner = dataSource.createQueryRunner();
    if (!(await mayChangeSchema(runner))) {
      await requireAll(runner, migrations);
      return;
    }
    await lock(runner, lockWaitMs);
    await begin?.(runner);
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'each';
    for (const { name } of await executor.executePendingMigrations()) logger.log(`Applied ${name}`);
    await finish?.(runner);
  } catch (cause) {
    throw log.failure === undefined ? cause : new Error(log.failure, { cause });
  } finally {
    await dataSource.destroy();
  }
}

async function open(dataSource: DataSource, { host }: DatabaseConnection): Promise<void> {
  try {
    await dataSource.initialize();
  } catch (cause) {
    throw new Error(`The database at ${host} cannot be used: ${reasonOf(cause)}. Check DATABASE_URL.`, { cause });
  }
}

async function mayChangeSchema(runner: QueryRunner): Promise<boolean> {
  const rows: unknown = await runner.query(
    `SELECT 1 WHERE has_schema_privilege(current_schema(), 'CREATE') IS DISTINCT FROM false`,
  );
  return Array.isArray(rows) && rows.length === 1;
}

/** Throws where one of the migrations is not in the schema. */
async function requireAll(runner: QueryRunner, migrations: readonly (new () => MigrationInterface)[]): Promise<void> {
  const [{ isThere = false } = {}] = (await runner.query(
    `SELECT to_regclass('migrations') IS NOT NULL AS "isThere"`,
  )) as { isThere?: boolean }[];
  const rows = isThere ? ((await runner.query('SELECT name FROM migrations')) as { name: string }[]) : [];
  const applied = new Set(rows.map(({ name }) => name));
  const missing = migrations.filter(({ name }) => !applied.has(name)).length;
  if (missing === 0) return;
  throw new Error(
    `The database lacks ${missing} schema changes of this version, and the role of DATABASE_URL may make none: ` +
      'run npm run migrate with MIGRATION_DATABASE_URL, then start again.',
  );
}

/** Let go of when the connection closes. */
async function lock(runner: QueryRunner, waitMs: number): Promise<void> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const rows: unknown = await runner.query('SELECT 1 WHERE pg_try_advisory_lock($1)', [LOCK_KEY]);
    if (Array.isArray(rows) && rows.length === 1) return;
    if (Date.now() >= deadline) break;
    await delay(LOCK_POLL_MS);
  }
  throw new Error(
    `Another instance has been changing the database schema for more than ${Math.round(waitMs / 1000)} s: ` +
      'wait until it is done, or end it, then start again.',
  );
}

function reasonOf(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
