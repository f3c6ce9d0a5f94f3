import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { DatabaseConnection } from '../../platform/database/database-connection.js';
import { migrate } from '../../platform/database/migrate.js';
import { BackupDamagedError, type BackupEnd, type BackupHeader, type BackupTable } from './backup.wire.js';
import { BackupReader, verifyBackup } from './backup-reader.js';
import { listMigrations, listTables, quoted } from './catalog.js';
import { type BackupReport, withBackupClient } from './write-backup.js';

type Migrations = Parameters<typeof migrate>[1];

/** Row versions drawn after the backup was made must not be drawn again: what was sealed under them would open (S-36). */
const SEQUENCE_GAP = 1_000_000;

/** What is restored, and into what. */
export interface Restore {
  readonly connection: DatabaseConnection;
  readonly path: string;
  /** All that this version knows, oldest first. */
  readonly migrations: Migrations;
  /** Runs in the transaction, when all rows are there: what it throws undoes all. */
  readonly finish: (client: pg.Client) => Promise<void>;
}

/** The migrations up to those of the backup; throws where this version does not know one. */
function upTo(backup: BackupHeader, migrations: Migrations): Migrations {
  const known = migrations.slice(0, backup.migrations.length);
  if (backup.migrations.every((name, at) => known[at]?.name === name)) return known;
  throw new Error(
    'The backup was made by another version of the service that has other migrations: restore it with that one.',
  );
}

/** Nobody writes from here on; throws where a row is there. */
async function claimEmpty(client: pg.Client, header: BackupHeader): Promise<BackupTable[]> {
  const tables = await listTables(client);
  const lock = `LOCK TABLE ${tables.map(({ table }) => quoted(table)).join(', ')} IN ACCESS EXCLUSIVE MODE`;
  // eslint-disable-next-line own/constant-sql -- quoted names of the catalogue
  await client.query(lock);
  if ((await listMigrations(client)).join() !== header.migrations.join()) {
    throw new Error('The database has been migrated further than the backup: give the restore a new, empty one.');
  }
  const filled: string[] = [];
  for (const { table } of tables) {
    const oneRow = `SELECT 1 FROM ${quoted(table)} LIMIT 1`;
    // eslint-disable-next-line own/constant-sql -- quoted names of the catalogue
    const { rowCount } = await client.query(oneRow);
    if (rowCount !== 0) filled.push(table);
  }
  if (filled.length === 0) return tables;
  throw new Error(
    `The database is not empty (${filled.join(', ')}): stop every instance and give the restore a new, empty one.`,
  );
}

async function copyIn(
  client: pg.Client,
  { table, columns }: BackupTable,
  rows: AsyncIterable<Buffer>,
): Promise<number> {
  // eslint-disable-next-line own/constant-sql -- quoted names of the catalogue
  const copy = client.query(copyFrom(`COPY ${quoted(table)} (${columns.map(quoted).join(', ')}) FROM STDIN`));
  await pipeline(Readable.from(rows, { objectMode: false }), copy);
  return copy.rowCount;
}

async function fill(
  client: pg.Client,
  backup: BackupReader,
  tables: readonly BackupTable[],
): Promise<BackupEnd['rows']> {
  const rows: Record<string, number> = {};
  for (;;) {
    const part = await backup.next();
    if (!('table' in part)) {
      const isWhole = tables.every(({ table }) => part.rows[table] !== undefined && part.rows[table] === rows[table]);
      if (!isWhole) throw new BackupDamagedError('it has not as many rows as were written');
      return rows;
    }
    if (!tables.some(({ table }) => table === part.table)) {
      throw new BackupDamagedError('it has a table that this schema does not have');
    }
    rows[part.table] = await copyIn(client, part, backup.rows());
  }
}

async function setSequences(client: pg.Client, { sequences }: BackupHeader): Promise<void> {
  for (const { name, last_value } of sequences) {
    await client.query('SELECT setval($1::text::regclass, $2::bigint + $3::bigint)', [
      quoted(name),
      last_value,
      SEQUENCE_GAP,
    ]);
  }
}

async function restoreInto(client: pg.Client, { path, finish }: Restore): Promise<BackupReport> {
  const backup = await BackupReader.open(path);
  try {
    await client.query('BEGIN');
    const tables = await claimEmpty(client, backup.header);
    const rows = await fill(client, backup, tables);
    await setSequences(client, backup.header);
    await finish(client);
    await client.query('COMMIT');
    return { madeAt: backup.header.made_at, rows };
  } finally {
    await backup.close();
  }
}

/**
 * Fills an empty database from a backup, in one transaction: wholly or not at all. All of the file is checked first. The schema is
 * brought to the state of the backup before, and to that of this version afterwards. Throws an Error that says what to do.
 */
export async function readBackup(restore: Restore): Promise<BackupReport> {
  const { connection, path, migrations } = restore;
  const header = await verifyBackup(path);
  await migrate(connection, upTo(header, migrations));
  const report = await withBackupClient(connection, (client) => restoreInto(client, restore));
  await migrate(connection, migrations);
  return report;
}
