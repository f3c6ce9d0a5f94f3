import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request from 'supertest';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { Secret } from '../src/platform/secrets/secret.js';
import { type DatabaseConnection, parseDatabaseUrl } from '../src/platform/database/database-connection.js';
import { migrate } from '../src/platform/database/migrate.js';
import { examine } from '../src/commands/doctor/doctor.js';
import { exchangeAddresses, exchangeCredentials } from '../sandbox/demo/environment.js';
import { testEnvironment } from './support/app.js';
import { get, logIn, patch, remove } from './support/calls.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { eventually, PLATFORM } from './support/embedded-service.js';
import { type Instance, startInstance } from './support/instance.js';
import { startTestStand, storeCredentials, type TestStand } from './support/sandbox.js';
import { anApiKey, aUser } from './support/users.js';

class CreateFirst1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE first (id int PRIMARY KEY)');
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE first');
  }
}

class CreateSecond1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE second (id int PRIMARY KEY REFERENCES first)');
    await runner.query('INSERT INTO first VALUES (1); INSERT INTO second VALUES (1); SELECT pg_sleep(0.05)');
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE second');
  }
}

class Broken1700000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE third (id int)');
    await runner.query('SELECT nothing FROM nowhere');
  }
  async down(): Promise<void> {
    await Promise.reject(new Error('It cannot be undone.'));
  }
}

const TWO = [CreateFirst1700000000001, CreateSecond1700000000002];

/** As `migrate` in a process of its own, where the second migration takes its time. */
const SLOW_MIGRATOR = `
  import { Secret } from './secrets/secret.js';
  import { parseDatabaseUrl } from './database/database-connection.js';
  import { migrate } from './database/migrate.js';
  class CreateFirst1700000000001 {
    async up(runner) { await runner.query('CREATE TABLE first (id int PRIMARY KEY)'); }
  }
  class CreateSecond1700000000002 {
    async up(runner) {
      await runner.query('CREATE TABLE second (id int)');
      await runner.query('SELECT pg_sleep(0.8)');
    }
  }
  const connection = await parseDatabaseUrl(new Secret(process.argv[1]));
  await migrate(connection, [CreateFirst1700000000001, CreateSecond1700000000002]);
`;

describe('migrations', () => {
  const databases: TestDatabase[] = [];
  const clients: pg.Client[] = [];

  async function emptyDatabase(): Promise<{ url: string; connection: DatabaseConnection; client: pg.Client }> {
    const database = await createTestDatabase();
    databases.push(database);
    const client = new pg.Client({ connectionString: database.url });
    clients.push(client);
    await client.connect();
    await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    return { url: database.url, connection: await parseDatabaseUrl(new Secret(database.url)), client };
  }

  async function schemaOf(client: pg.Client): Promise<unknown[]> {
    const columns = await client.query<object>(
      `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
       WHERE table_schema = 'public' ORDER BY 1, 2`,
    );
    const applied = await client.query<object>('SELECT name FROM migrations ORDER BY id');
    const filled = await client.query<object>('SELECT (SELECT count(*) FROM first), (SELECT count(*) FROM second)');
    return [columns, applied, filled].flatMap(({ rows }) => rows);
  }

  let clean: unknown[];

  beforeAll(async () => {
    const { connection, client } = await emptyDatabase();
    await migrate(connection, TWO);
    clean = await schemaOf(client);
  });

  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await Promise.all(databases.map((database) => database.drop()));
  });

  it('R-9 gives one clean schema when 5 instances start at once', async () => {
    const { connection, client } = await emptyDatabase();
    await Promise.all(Array.from({ length: 5 }, () => migrate(connection, TWO)));
    expect(await schemaOf(client)).toEqual(clean);
    expect(clean).toHaveLength(8);
  });

  it('R-9 goes on where an instance was killed midway, also while its last statement still runs', async () => {
    const { url, connection, client } = await emptyDatabase();
    const child = spawn(process.execPath, ['--input-type=module', '-e', SLOW_MIGRATOR, url], {
      cwd: PLATFORM,
      env: {},
      stdio: 'ignore',
    });
    await eventually(async () => {
      const { rowCount } = await client.query("SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(0.8)'");
      return rowCount === 1;
    });
    child.kill('SIGKILL');
    await Promise.all(Array.from({ length: 3 }, () => migrate(connection, TWO)));
    expect(await schemaOf(client)).toEqual(clean);
  });

  it('R-9 keeps nothing of a migration that fails, and names it', async () => {
    const { connection, client } = await emptyDatabase();
    await expect(migrate(connection, [...TWO, Broken1700000000003])).rejects.toThrow(/Broken1700000000003.*nowhere/);
    expect(await schemaOf(client)).toEqual(clean);
  });

  it('R-10 gives up on the lock after its time, and says what to do', async () => {
    const { connection, client } = await emptyDatabase();
    await client.query('SELECT pg_advisory_lock(7237165001446913)');
    await expect(migrate(connection, TWO, 200)).rejects.toThrow(/Another instance .* then start again/);
  });
});

/** What a version to come may do to every table of this one (operations.md 3), and that it has done so. */
const LATER = `
  DO $$ DECLARE one text; BEGIN
    FOR one IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations' LOOP
      EXECUTE format('ALTER TABLE %I ADD COLUMN later_note text, ADD COLUMN later_count integer NOT NULL DEFAULT 0', one);
      EXECUTE format('CREATE INDEX ON %I (later_count)', one);
    END LOOP;
  END $$;
  CREATE TABLE later_things (id text PRIMARY KEY, user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE);
  INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'Later9999999999999')`;

describe('a schema that a newer version has changed', () => {
  let stand: TestStand;

  beforeAll(async () => {
    stand = await startTestStand();
  });

  afterAll(() => stand.close());

  /** What people and their bots do; throws or expects where the service does not. */
  async function use(place: Pick<Instance, 'url' | 'dataDir'>): Promise<void> {
    const user = await aUser(place);
    expect((await logIn(place, user.email)).status).toBe(200);
    const renamed = await patch(place, '/account/profile', user.token, { display_name: 'Later Person' });
    expect(renamed.status).toBe(200);
    for (const [exchange, body] of Object.entries(exchangeCredentials(stand.sandbox.addresses))) {
      await storeCredentials(place, user, exchange, body);
    }
    const key = await anApiKey(place, user);
    const order = { market_id: 'KXHIGHNY-TODAY-B55.5', outcome: 'yes', side: 'buy', price: '0.02', size: '1' };
    const headers = { Authorization: `Bearer ${key}`, 'Idempotency-Key': randomUUID() };
    const placed = await request(place.url).post('/kalshi/orders').set(headers).send(order);
    const repeated = await request(place.url).post('/kalshi/orders').set(headers).send(order);
    const { id } = placed.body as { id: string };
    const replay = { ...(placed.body as object), replayed: true };
    expect([placed.status, repeated.status, repeated.body]).toEqual([200, 200, replay]);
    expect((await remove(place, `/kalshi/orders/${id}`, key)).status).toBe(200);
    const seen = await get(place, '/account/activity', user.token);
    expect(seen.text).toContain(id);
    expect((await remove(place, `/account/api-keys/${key.slice(0, 16)}`, user.token)).status).toBe(200);
    expect((await request(place.url).get('/health/ready')).status).toBe(200);
  }

  it('R-9 a version that runs during an added change goes on, one that does not know it starts, and its doctor tells', async () => {
    const { app, sandbox } = stand;
    await use(app);
    await app.query(LATER);
    await use(app);
    const started = await startInstance(app, exchangeAddresses(sandbox.addresses));
    await use(started);
    await started.close();
    const settings = testEnvironment({ port: 9, dataDir: app.dataDir, database: app.database });
    const nowhere = { POLYMARKET_GEOBLOCK_URL: 'http://127.0.0.1:9/api/geoblock' };
    const results = await examine({ ...settings, ...exchangeAddresses(sandbox.addresses), ...nowhere }, null);
    expect(results.find(({ id }) => id === 'migrations')).toMatchObject({
      status: 'warn',
      message: 'The database has 1 schema changes of a newer version of the service.',
    });
  });
});
