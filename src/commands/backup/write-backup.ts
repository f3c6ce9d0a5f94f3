import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { clientConfig, type DatabaseConnection } from '../../platform/database/database-connection.js';
import { END_OF_ROWS } from './backup-reader.js';
import { BackupWriter } from './backup-writer.js';
import type { BackupTable } from './backup.wire.js';
import { listMigrations, listSequences, listTables, quoted } from './catalog.js';

const CONNECT_MS = 5_000;
const LOCK_MS = 10_000;
/** One table, however large. */
const STATEMENT_MS = 6 * 3_600_000;

/** What a backup or a restore went through. */
export interface BackupReport {
  readonly madeAt: string;
  readonly rows: Readonly<Record<string, number>>;
}

/** Works on a connection of its own, whose statements may take hours; other waits have limits. */
export async function withBackupClient<T>(
  connection: DatabaseConnection,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    ...clientConfig(connection),
    connectionTimeoutMillis: CONNECT_MS,
    lock_timeout: LOCK_MS,
    statement_timeout: STATEMENT_MS,
  });
  // What waits for an answer hears of a lost connection too.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Returns the number of rows. */
async function copyOut(client: pg.Client, { table, columns }: BackupTable, file: BackupWriter): Promise<number> {
  await file.write(`${JSON.stringify({ table, columns })}\n`);
  // eslint-disable-next-line own/constant-sql -- quoted names of the catalogue
  const rows = client.query(copyTo(`COPY ${quoted(table)} (${columns.map(quoted).join(', ')}) TO STDOUT`));
  for await (const chunk of rows as AsyncIterable<Buffer>) await file.write(chunk);
  await file.write(`${END_OF_ROWS}\n`);
  return rows.rowCount;
}

async function writeAll(client: pg.Client, file: BackupWriter): Promise<BackupReport> {
  const tables = await listTables(client);
  const migrations = await listMigrations(client);
  const madeAt = new Date().toISOString();
  const sequences = await listSequences(client);
  const header = { format: 'trading-proxy-backup', version: 1, made_at: madeAt, migrations, sequences };
  await file.write(`${JSON.stringify(header)}\n`);
  const rows: Record<string, number> = {};
  for (const each of tables) rows[each.table] = await copyOut(client, each, file);
  await file.finish(rows);
  return { madeAt, rows };
}

/**
 * Writes all rows, as they are at one moment, into a new file, while the service runs: one snapshot of the database, one COPY a
 * table. Nothing is unsealed: credentials stay under `ENCRYPTION_KEYS`, which are not in the file. A failure leaves no file.
 */
export async function writeBackup(connection: DatabaseConnection, path: string): Promise<BackupReport> {
  return withBackupClient(connection, async (client) => {
    const file = await BackupWriter.create(path);
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      return await writeAll(client, file);
    } catch (error) {
      await file.abandon();
      throw error;
    }
  });
}
