import { isNativeError } from 'node:util/types';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { DataSourceOptions, MigrationInterface } from 'typeorm';
import { clientConfig, type DatabaseConnection } from './database-connection.js';
import { ServicePool } from './service-pool.js';

/** Every wait has a limit (R-10, rules.md 1). */
const STATEMENT_TIMEOUT_MS = 5_000;
const LOCK_TIMEOUT_MS = 3_000;
const IDLE_IN_TRANSACTION_MS = 10_000;
const POOL_WAIT_MS = 2_000;
/** Above the server's own limit: it counts only when the server has stopped answering. */
const READ_TIMEOUT_MS = 5_500;
const IDLE_CONNECTION_MS = 30_000;
/** Connections are renewed now and then, which frees what the server keeps per connection. */
const QUERIES_PER_CONNECTION = 5_000;

const MIGRATION_STATEMENT_MS = 600_000;
/** A schema change that waits for a lock holds up all statements that come after it. */
const MIGRATION_LOCK_MS = 10_000;
const MIGRATION_CONNECT_MS = 5_000;

const logger = new Logger('Database');

const COMMON = {
  type: 'postgres',
  driver: pg,
  installExtensions: false,
  logging: false,
  poolErrorHandler: (error: unknown) => {
    logger.warn(`A database connection was lost: ${isNativeError(error) ? error.message : String(error)}`);
  },
} as const;

/** The pool of the service; `isReader`: it changes nothing, so that a server that only reads will do. */
export function serviceOptions(connection: DatabaseConnection, poolMax: number, isReader = false): DataSourceOptions {
  return {
    ...COMMON,
    driver: { ...pg, Pool: ServicePool },
    poolSize: poolMax,
    extra: {
      ...clientConfig(connection),
      isReader,
      keepAlive: true,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      query_timeout: READ_TIMEOUT_MS,
      connectionTimeoutMillis: POOL_WAIT_MS,
      idleTimeoutMillis: IDLE_CONNECTION_MS,
      maxUses: QUERIES_PER_CONNECTION,
    },
  };
}

/** One connection for schema changes, which may take longer than requests. */
export function migrationOptions(
  connection: DatabaseConnection,
  migrations: readonly (new () => MigrationInterface)[],
): DataSourceOptions {
  return {
    ...COMMON,
    poolSize: 1,
    migrations: [...migrations],
    extra: {
      ...clientConfig(connection),
      statement_timeout: MIGRATION_STATEMENT_MS,
      lock_timeout: MIGRATION_LOCK_MS,
      connectionTimeoutMillis: MIGRATION_CONNECT_MS,
    },
  };
}
