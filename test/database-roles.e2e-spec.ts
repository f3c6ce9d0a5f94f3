import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request from 'supertest';
import { MIGRATIONS } from '../migrations/migrations.js';
import { readFacts } from '../src/commands/doctor/database.repository.js';
import { scramVerifier } from '../src/platform/secrets/scram.js';
import { parseDatabaseUrl } from '../src/platform/database/database-connection.js';
import { migrate } from '../src/platform/database/migrate.js';
import { prepareSchema } from '../src/platform/database/prepare-schema.js';
import { Retention } from '../src/platform/retention/retention.js';
import { Secret } from '../src/platform/secrets/secret.js';
import { type TestApp } from './support/app.js';
import { PASSWORD, remove } from './support/calls.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { EXCHANGE } from './support/exchanges.js';
import { reasonOf } from './support/database-module.js';
import { sql } from './support/rows.js';
import { aTrader, startTestStand, type TestStand } from './support/sandbox.js';

const ROLE = `svc_${randomBytes(6).toString('hex')}`;

function asRole(url: string, role: string, password?: string): string {
  const changed = new URL(url);
  changed.searchParams.set('user', role);
  if (password !== undefined) changed.searchParams.set('password', password);
  return changed.href;
}

describe('the role of the service in the database (S-41)', () => {
  let database: TestDatabase;
  let empty: TestDatabase;
  let stand: TestStand;
  let app: TestApp;

  beforeAll(async () => {
    [database, empty] = [await createTestDatabase(), await createTestDatabase()];
    stand = await startTestStand({
      DATABASE_URL: asRole(database.url, ROLE, 'first-Password'),
      MIGRATION_DATABASE_URL: database.url,
    });
    ({ app } = stand);
  });

  afterAll(async () => {
    await stand.close();
    await sql({ database }, `DROP OWNED BY ${ROLE}`);
    await sql({ database: empty }, `DROP OWNED BY ${ROLE}`);
    await empty.drop();
    await sql({ database }, `DROP ROLE ${ROLE}`);
    await database.drop();
  });

  it('is made by the owner at the start, with nothing beyond rows, and is no superuser', async () => {
    expect(
      await app.query(`SELECT current_user, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls
        FROM pg_roles WHERE rolname = current_user`),
    ).toEqual([
      {
        current_user: ROLE,
        rolsuper: false,
        rolcreatedb: false,
        rolcreaterole: false,
        rolreplication: false,
        rolbypassrls: false,
      },
    ]);
    const stored = await sql<{ rolpassword: string }>({ database }, 'SELECT rolpassword FROM pg_authid WHERE rolname = $1', [ROLE]); // prettier-ignore
    const [, salt = ''] = /^SCRAM-SHA-256\$4096:([^$]+)\$/.exec(stored[0]?.rolpassword ?? '') ?? [];
    expect(stored[0]?.rolpassword).toBe(scramVerifier(new Secret('first-Password'), Buffer.from(salt, 'base64')));
  });

  it('does all that the service does: accounts, credentials, orders, their removal, retention', async () => {
    const { user, key } = await aTrader(stand);
    await sql(
      { database },
      `INSERT INTO security_events (id, type, ip, user_agent, created_at) VALUES ('old', 'login', '', '', now() - interval '402 days')`,
    );
    const order = await EXCHANGE.kalshi.anOrder({ ...stand, key, clock: () => new Date() });
    const placed = await request(app.url)
      .post('/kalshi/orders')
      .auth(key, { type: 'bearer' })
      .set('Idempotency-Key', 'one')
      .send(order);
    expect(placed.status).toBe(200);
    const before = app.logLines.length;
    await app.get(Retention).run();
    expect(app.logLines.slice(before).filter((line) => line.includes('retention task failed'))).toEqual([]);
    expect(await app.query(`SELECT 1 FROM security_events WHERE id = 'old'`)).toEqual([]);
    expect((await remove(app, '/account', user.token, { password: PASSWORD })).status).toBe(200);
    expect(await app.query('SELECT type FROM security_events WHERE user_id = $1', [user.id])).toEqual(
      expect.arrayContaining([{ type: 'order_created' }, { type: 'account_deleted' }]),
    );
  });

  it.each([
    [`UPDATE security_events SET type = 'login'`],
    ['DELETE FROM security_events'],
    [`DELETE FROM security_events WHERE created_at < now() - interval '402 days'`],
    ['TRUNCATE security_events'],
    ['ALTER TABLE security_events DISABLE TRIGGER ALL'],
    ['DROP TRIGGER security_events_append_only ON security_events'],
    ['CREATE TABLE mine (id text)'],
    ['CREATE SCHEMA mine'],
    [`COPY (SELECT 1) TO PROGRAM 'true'`],
    [`COPY users FROM '/etc/passwd'`],
    [`DELETE FROM migrations`],
    ['DROP TABLE sessions'],
    [`CREATE ROLE more LOGIN`],
    [`SET ROLE postgres`],
  ])('may not: %s', async (statement) => {
    const error = await reasonOf(() => app.query(statement));
    expect(String(error)).toMatch(/permission denied|must be owner/);
  });

  it('alone of all who come may have old events and sign-ups removed, 10,000 at once', async () => {
    const access = `has_function_privilege($1, oid, 'EXECUTE') AS "may", prosecdef`;
    const ofRemovals = `SELECT ${access} FROM pg_proc WHERE proname IN ('remove_old_security_events', 'remove_unproved_signups')`;
    const two = (may: boolean): object[] => Array.from({ length: 2 }, () => ({ may, prosecdef: true }));
    expect(await sql({ database }, ofRemovals, [ROLE])).toEqual(two(true));
    expect(await sql({ database }, ofRemovals, ['public'])).toEqual(two(false));
    await sql(
      { database },
      `INSERT INTO unproved_signups SELECT 'usr_' || n, now() - interval '32 days' FROM generate_series(1, 10001) n`,
    );
    const removal = 'SELECT remove_unproved_signups($1) AS count';
    expect(await app.query(removal, [null])).toEqual([{ count: 0 }]);
    expect(await app.query(removal, [2_000_000_000])).toEqual([{ count: 10_000 }]);
    expect(await app.query(removal, [5])).toEqual([{ count: 1 }]);
  });

  it('works on tables that are made later', async () => {
    await sql({ database }, 'CREATE TABLE later (id integer GENERATED BY DEFAULT AS IDENTITY, text text)');
    expect(await app.query(`INSERT INTO later (text) VALUES ('x') RETURNING id`)).toEqual([{ id: 1 }]);
    await sql({ database }, 'DROP TABLE later');
  });

  it('R-9 refuses to start where changes of the schema are missing, says what to do and changes nothing', async () => {
    await sql({ database: empty }, `DROP SCHEMA public CASCADE`);
    await sql({ database: empty }, `CREATE SCHEMA public`);
    await sql({ database: empty }, `GRANT USAGE ON SCHEMA public TO ${ROLE}`);
    const connection = await parseDatabaseUrl(new Secret(asRole(empty.url, ROLE)));
    const error = await reasonOf(() => migrate(connection, MIGRATIONS));
    expect(String(error)).toContain(`lacks ${MIGRATIONS.length} schema changes`);
    expect(String(error)).toContain('npm run migrate');
    const client = new pg.Client(empty.url);
    await client.connect();
    expect((await client.query('SELECT 1 FROM pg_tables WHERE schemaname = $1', ['public'])).rows).toEqual([]);
    await client.end();
  });

  it('R-9 starts where the schema is up to date, without the owner', async () => {
    const connection = await parseDatabaseUrl(new Secret(asRole(database.url, ROLE)));
    await migrate(connection, MIGRATIONS);
    expect((await app.query('SELECT 1 FROM migrations')).length).toBe(MIGRATIONS.length);
  });
});

describe('a role of the service that could change the schema (S-41)', () => {
  const role = `old_${randomBytes(6).toString('hex')}`;
  let database: TestDatabase;
  let service: TestDatabase;

  const run = (statement: string): Promise<unknown[]> => sql({ database }, statement);
  const connect = (url: string): ReturnType<typeof parseDatabaseUrl> => parseDatabaseUrl(new Secret(url));
  const prepare = async (): Promise<void> =>
    prepareSchema({ connection: await connect(service.url), owner: await connect(database.url) });
  const isMighty = async (): Promise<boolean> => (await readFacts(await connect(service.url))).isMighty;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = { ...database, url: asRole(database.url, role) };
    await run(`CREATE ROLE ${role} LOGIN`);
    await run(`CREATE ROLE ${role}_owner`);
  });

  afterAll(async () => {
    await run(`DROP OWNED BY ${role}, ${role}_owner CASCADE`);
    await run(`DROP ROLE ${role}, ${role}_owner`);
    await database.drop();
  });

  it.each([
    ['a superuser', 'is a superuser', `ALTER ROLE ${role} SUPERUSER`, `ALTER ROLE ${role} NOSUPERUSER`],
    [
      'the owner of the tables',
      'is the owner of the tables',
      `ALTER TABLE security_events OWNER TO ${role}`,
      'ALTER TABLE security_events OWNER TO CURRENT_USER',
    ],
    [
      'a member of the owner of the tables',
      'or a member of it',
      `ALTER TABLE security_events OWNER TO ${role}_owner; GRANT ${role}_owner TO ${role}`,
      `ALTER TABLE security_events OWNER TO CURRENT_USER; REVOKE ${role}_owner FROM ${role}`,
    ],
    [
      'a member of the role that migrates',
      'or a member of it',
      `GRANT postgres TO ${role}`,
      `REVOKE postgres FROM ${role}`,
    ],
    [
      'one who may create in the schema',
      'REVOKE CREATE ON SCHEMA public',
      `GRANT CREATE ON SCHEMA public TO ${role}`,
      `REVOKE CREATE ON SCHEMA public FROM ${role}`,
    ],
    [
      'one of all who may create in the schema',
      'from PUBLIC',
      'GRANT CREATE ON SCHEMA public TO PUBLIC',
      'REVOKE CREATE ON SCHEMA public FROM PUBLIC',
    ],
  ])(
    'is refused beside an owner before anything is changed, and npm run doctor sees it: %s',
    async (_who, what, make, unmake) => {
      await prepare();
      expect(await isMighty()).toBe(false);
      await run(make);
      await run(
        `DELETE FROM migrations WHERE name LIKE 'EventRetention%'; DROP FUNCTION remove_old_security_events(integer)`,
      );
      const before = await run('SELECT name FROM migrations ORDER BY id');
      const error = await reasonOf(prepare);
      expect(String(error)).toContain(what);
      expect(String(error)).toContain('Name another role in DATABASE_URL');
      expect(await run('SELECT name FROM migrations ORDER BY id')).toEqual(before);
      expect(await isMighty()).toBe(true);
      await run(unmake);
    },
  );
});
