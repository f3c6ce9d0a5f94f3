import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { prepared } from '../src/platform/database/prepared-statements.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { type ServiceModule, startModule } from './support/database-module.js';
import { useWorkspace } from './support/embedded-service.js';

const workspace = useWorkspace();
const READ = prepared('SELECT value FROM readings WHERE id = $1');
const USED = `SELECT count(*)::int AS count FROM pg_prepared_statements WHERE statement = $1`;

describe('a statement that each connection prepares once', () => {
  let database: TestDatabase;
  let service: ServiceModule;

  const query = (sql: string, values?: unknown[]): Promise<object[]> => service.transactions.manager.query(sql, values);

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await startModule(workspace.path, { DATABASE_URL: database.url, DATABASE_POOL_MAX: '1' });
    await query('CREATE TABLE readings (id integer, value integer)');
    await query('INSERT INTO readings VALUES (1, 7), (2, 8)');
  });

  afterAll(async () => {
    await service.app.close();
    await database.drop();
  });

  it('is prepared, and answers for each of its values', async () => {
    expect(await query(READ, [1])).toEqual([{ value: 7 }]);
    expect(await query(READ, [2])).toEqual([{ value: 8 }]);
    expect(await query(USED, [READ])).toEqual([{ count: 1 }]);
    expect(await query(USED, [USED])).toEqual([{ count: 0 }]);
  });

  it.each([
    ['a table has changed', 'ALTER TABLE readings ALTER COLUMN value TYPE text', { value: '7' }],
    ['the server has dropped it', 'DEALLOCATE ALL', { value: '7' }],
  ])('answers where %s, and its connection is not used again', async (_, change, answer) => {
    const pid = async (): Promise<unknown> => (await query('SELECT pg_backend_pid() AS pid'))[0];
    await query(READ, [1]);
    const before = await pid();
    await query(change);
    expect(await pid()).toEqual(before);
    expect(await query(READ, [1])).toEqual([answer]);
    expect(await pid()).not.toEqual(before);
    expect(await query(READ, [1])).toEqual([answer]);
  });
});
