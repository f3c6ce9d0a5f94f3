import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { MIGRATIONS } from '../../migrations/migrations.js';
import { Secret } from '../../src/platform/secrets/secret.js';
import { parseDatabaseUrl } from '../../src/platform/database/database-connection.js';
import { migrate } from '../../src/platform/database/migrate.js';

const TEMPLATE = 'template_app';
const TEMPLATE_LOCK = '7237165001446914';

/** A database of one test file's own, with the current schema and no rows. */
export interface TestDatabase {
  /** For DATABASE_URL, `pg` and the `url` of TypeORM alike. */
  readonly url: string;
  /** Disconnects whoever is still there. */
  drop(): Promise<void>;
}

/** On the server of this test run (global-setup.mjs); takes about 50 ms. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `t_${randomBytes(8).toString('hex')}`;
  await asAdministrator(async (client) => {
    await buildTemplate(client);
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY FILE_COPY`);
  });
  return {
    url: urlOf(name),
    drop: () =>
      asAdministrator(async (client) => {
        await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      }),
  };
}

/** By the first test file that asks; the others wait. Under another name until complete. */
async function buildTemplate(client: pg.Client): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [TEMPLATE]);
  if (rowCount === 0) {
    const unfinished = `${TEMPLATE}_unfinished`;
    await client.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${unfinished}`);
    await migrate(await parseDatabaseUrl(new Secret(urlOf(unfinished))), MIGRATIONS);
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${TEMPLATE}`);
  }
  await client.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
}

async function asAdministrator(work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf('postgres') });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function urlOf(database: string): string {
  const url = new URL(process.env.TEST_DATABASE_URL ?? '');
  url.pathname = `/${database}`;
  return url.href;
}
