import { statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Settings } from '../../platform/config/settings.js';
import {
  clientConfig,
  type DatabaseConnection,
  parseDatabaseUrl,
  socketConnection,
} from '../../platform/database/database-connection.js';
import { EmbeddedPostgres } from '../../platform/embedded-postgres/embedded-postgres.js';

const CONNECT_MS = 4_000;
const STATEMENT_MS = 3_000;

/** Where the database is, and how to let go of it. */
export interface FoundServer {
  readonly connection: DatabaseConnection;
  readonly isEmbedded: boolean;
  readonly close: () => Promise<void>;
}

/** What a database says of itself. */
export interface DatabaseFacts {
  readonly version: string;
  readonly major: number;
  readonly isEncrypted: boolean;
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
  /** `synchronous_commit`, such as `on`. */
  readonly synchronousCommit: string;
  /** Whether the server writes so that a crash of its machine loses nothing that it has said is done. */
  readonly isDurable: boolean;
  /** How many servers copy what is written here, as it is written. */
  readonly standbys: number;
  /** Whether a commit waits until one of them has it. */
  readonly isCopied: boolean;
  /** Whether its role may do anything at all, change the schema, or change what happened to accounts (S-41). */
  readonly isMighty: boolean;
  /** How many connections ordinary users may have in all. */
  readonly connections: number;
  /** Since the start of the last complete walk of each exchange's markets, in seconds; null before the first. Empty where nothing walks. */
  readonly catalogue: readonly {
    readonly exchange: string;
    readonly age: number | null;
    readonly walked: number | null;
  }[];
  /** Names of the schema changes that were made; empty before the first start. */
  readonly migrations: readonly string[];
}

/** Who copies the WAL itself; a role without pg_read_all_stats sees that they are there, but not their states. */
const STANDBYS = `
  (SELECT count(*)::integer AS standbys,
          COALESCE(bool_or(sync_state IN ('sync', 'quorum')), current_setting('synchronous_standby_names') <> '')
            AND current_setting('synchronous_commit') NOT IN ('off', 'local') AS "isCopied"
     FROM pg_stat_replication AS sender
    WHERE COALESCE(state, 'streaming') IN ('streaming', 'catchup')
      AND NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_type = 'logical' AND active_pid = sender.pid))`;

const FACTS = `
  SELECT current_setting('server_version') AS version,
         current_setting('server_version_num')::integer / 10000 AS major,
         COALESCE((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS "isEncrypted",
         pg_is_in_recovery() AS "isStandby",
         current_setting('default_transaction_read_only')::boolean AS "isReadOnly",
         current_setting('synchronous_commit') AS "synchronousCommit",
         current_setting('fsync')::boolean AND current_setting('full_page_writes')::boolean AS "isDurable",
         current_setting('max_connections')::integer
           - current_setting('superuser_reserved_connections')::integer AS connections,
         to_regclass('migrations') IS NOT NULL AS "hasSchema", to_regclass('catalogue_parts') IS NOT NULL AS "hasCatalogue",
         (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
           OR COALESCE(has_table_privilege(to_regclass('security_events'), 'UPDATE, DELETE, TRUNCATE'), false)
           OR COALESCE(has_schema_privilege(current_schema(), 'CREATE'), false)
           OR COALESCE((SELECT pg_has_role(relowner, 'MEMBER') FROM pg_class
                         WHERE oid = to_regclass('security_events')), false) AS "isMighty",
         replication.*
    FROM ${STANDBYS} AS replication`;

/**
 * Finds the database of the settings: that of DATABASE_URL, else the embedded one, which is joined where the service runs it and
 * started where it does not. Null where the embedded one was never made: this makes none.
 */
export async function findServer({ databaseUrl, dataDir }: Settings): Promise<FoundServer | null> {
  if (databaseUrl !== undefined) {
    const connection = await parseDatabaseUrl(databaseUrl);
    return { connection, isEmbedded: false, close: () => Promise.resolve() };
  }
  const directory = join(dataDir, 'postgres');
  if (statSync(join(directory, 'data', 'PG_VERSION'), { throwIfNoEntry: false }) === undefined) return null;
  const server = await EmbeddedPostgres.start({ directory });
  return { connection: socketConnection(server.connection), isEmbedded: true, close: () => server.stop() };
}

/** Reads what the database says of itself, in one transaction that can change nothing. */
export async function readFacts(connection: DatabaseConnection): Promise<DatabaseFacts> {
  const client = new pg.Client({
    ...clientConfig(connection),
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: STATEMENT_MS,
  });
  // A connection that breaks while nothing is asked emits an error that has no other listener.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('BEGIN READ ONLY');
    const { rows } = await client.query<
      Omit<DatabaseFacts, 'migrations' | 'catalogue'> & { readonly hasSchema: boolean; readonly hasCatalogue: boolean }
    >(FACTS);
    const [facts] = rows;
    if (facts === undefined) throw new Error('the database says nothing of itself');
    const applied = facts.hasSchema
      ? await client.query<{ name: string }>('SELECT name FROM migrations')
      : { rows: [] };
    const catalogue = facts.hasCatalogue
      ? await client.query<DatabaseFacts['catalogue'][number]>(
          'SELECT exchange, extract(epoch FROM now() - as_of)::float8 AS age, walked_seconds AS walked FROM catalogue_parts ORDER BY exchange',
        )
      : { rows: [] };
    return { ...facts, catalogue: catalogue.rows, migrations: applied.rows.map(({ name }) => name) };
  } finally {
    client.end().catch(() => undefined);
  }
}
