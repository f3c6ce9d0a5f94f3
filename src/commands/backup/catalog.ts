import type pg from 'pg';
import type { BackupHeader, BackupTable } from './backup.wire.js';

/** TypeORM's own table, which the header of a backup stands for. */
const MIGRATIONS_TABLE = 'migrations';

/** A name as SQL takes it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** All tables with their columns but that of the migrations, those that others refer to first. */
export async function listTables(client: pg.Client): Promise<BackupTable[]> {
  const { rows } = await client.query<BackupTable>(
    `WITH RECURSIVE own AS (
       SELECT oid, relname FROM pg_class
        WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = current_schema()::regnamespace AND relname <> $1
     ), depth AS (
       SELECT oid, 0 AS steps FROM own
        UNION
       SELECT conrelid, steps + 1 FROM depth JOIN pg_constraint ON confrelid = depth.oid
        WHERE contype = 'f' AND conrelid <> confrelid AND steps < 100
     )
     SELECT relname AS "table",
            (SELECT json_agg(attname ORDER BY attnum) FROM pg_attribute
              WHERE attrelid = own.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns
       FROM own ORDER BY (SELECT max(steps) FROM depth WHERE depth.oid = own.oid), relname`,
    [MIGRATIONS_TABLE],
  );
  return rows;
}

/** Sequences that have given a value, and the last one. */
export async function listSequences(client: pg.Client): Promise<BackupHeader['sequences']> {
  const { rows } = await client.query<BackupHeader['sequences'][number]>(
    `SELECT sequencename AS name, last_value::text FROM pg_sequences
      WHERE schemaname = current_schema() AND last_value IS NOT NULL AND sequencename <> $1 ORDER BY 1`,
    [`${MIGRATIONS_TABLE}_id_seq`],
  );
  return rows;
}

/** Names of the migrations that have run here, oldest first. */
export async function listMigrations(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY timestamp');
  return rows.map(({ name }) => name);
}
