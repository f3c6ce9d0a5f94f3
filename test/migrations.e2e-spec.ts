import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../migrations/migrations.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';

/** Columns, indexes, constraints, functions, triggers and sequences, but for the record of migrations itself. */
const SCHEMA = `
  SELECT 'column' AS kind, table_name || '.' || column_name AS name,
    concat_ws(' ', data_type, is_nullable, column_default) AS definition
    FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE '%migrations%'
  UNION ALL SELECT 'index', indexname, indexdef FROM pg_indexes
    WHERE schemaname = 'public' AND tablename NOT LIKE '%migrations%'
  UNION ALL SELECT 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text NOT LIKE '%migrations%'
  UNION ALL SELECT 'function', proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL SELECT 'trigger', tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT 'sequence', sequencename, data_type::text FROM pg_sequences
    WHERE schemaname = 'public' AND sequencename NOT LIKE '%migrations%'
  ORDER BY 1, 2, 3`;

describe('migrations', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = new DataSource({ type: 'postgres', url: database.url, migrations: [...MIGRATIONS] });
    await dataSource.initialize();
  });

  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  it('CONTRIBUTING.md 1 each down() is the exact inverse of its up()', async () => {
    const schema = (): Promise<unknown[]> => dataSource.query<unknown[]>(SCHEMA);
    const states = [await schema()];
    while (states.length <= MIGRATIONS.length) {
      await dataSource.undoLastMigration({ transaction: 'each' });
      states.unshift(await schema());
    }
    expect(states[0]).toEqual([]);
    expect(states.at(-1)).not.toEqual([]);
    for (const Migration of MIGRATIONS) {
      const runner = dataSource.createQueryRunner();
      await runner.startTransaction();
      await new Migration().up(runner);
      await runner.commitTransaction();
      await runner.release();
      states.shift();
      expect(await schema()).toEqual(states[0]);
    }
  });
});
