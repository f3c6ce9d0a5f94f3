import pg from 'pg';
import type { TestApp } from './app.js';

/** Runs one statement in the database of a test. */
export async function sql<Row extends pg.QueryResultRow>(
  app: Pick<TestApp, 'database'>,
  statement: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: app.database.url });
  await client.connect();
  try {
    return (await client.query<Row>(statement, values)).rows;
  } finally {
    await client.end();
  }
}

/** Every row of every table as one text: what a thief of the database would see. */
export async function dump(app: Pick<TestApp, 'database'>): Promise<string> {
  const tables = await sql<{ name: string }>(
    app,
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  const texts = await Promise.all(
    tables.map(({ name }) => sql<{ row: string }>(app, `SELECT t::text AS row FROM ${name} t`)),
  );
  return texts
    .flat()
    .map(({ row }) => row)
    .join('\n');
}
