import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request from 'supertest';
import { MIGRATIONS } from '../migrations/migrations.js';
import { exchangeAddresses } from '../sandbox/demo/environment.js';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.js';
import { readAccounts } from '../src/commands/backup/accounts-file.js';
import { checkKeys, disableAccounts } from '../src/commands/backup/after-restore.js';
import { EXCHANGE_SETTINGS } from '../src/exchanges/exchange.registry.js';
import { Settings } from '../src/platform/config/settings.js';
import { CryptoService } from '../src/platform/crypto/crypto.service.js';
import { parseDatabaseUrl } from '../src/platform/database/database-connection.js';
import { readBackup } from '../src/commands/backup/read-backup.js';
import { writeBackup } from '../src/commands/backup/write-backup.js';
import { migrate } from '../src/platform/database/migrate.js';
import { Secret } from '../src/platform/secrets/secret.js';
import { startTestApp, testEnvironment } from './support/app.js';
import { aBot, BOTS } from './support/bots.js';
import { post } from './support/calls.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { exitOf, OwnProcesses } from './support/own-processes.js';
import { dump, sql } from './support/rows.js';
import { aSessionTrader } from './support/session-keys.js';
import { aTrader, type Trader } from './support/sandbox.js';
import { anApiKey, aUser, type TestUser } from './support/users.js';
import { usersAdmin } from './support/users-admin.js';

/** Characters that COPY, JSON and the lines of the file each have a meaning for. */
const ODD_NAME = '\\.\n\\N\t"{"table" ü 漢 \\\\';
const ORDER = { market_id: 'KXHIGHNY-TODAY-T58', outcome: 'yes', side: 'buy', price: '0.05', size: '1' };

/** The content of a backup with the checksum that it needs now. */
function summed(text: string): string {
  const at = text.lastIndexOf('\n', text.length - 2) + 1;
  const { rows } = JSON.parse(text.slice(at)) as { rows: object };
  const sha256 = createHash('sha256').update(text.slice(0, at)).digest('hex');
  return `${text.slice(0, at)}${JSON.stringify({ sha256, rows })}\n`;
}

interface Ended {
  readonly code: number | null | string;
  readonly text: string;
}

describe('npm run backup and npm run restore', () => {
  let sandbox: Sandbox;
  let source: TestDatabase;
  let empty: TestDatabase;
  let own: OwnProcesses;
  let trader: Trader;
  let sessionTrader: Trader;
  let ended: TestUser[];
  let bots: string[];
  let file: string;
  let rows: string;
  let saved: Ended;
  const databases: TestDatabase[] = [];

  const environment = (database?: TestDatabase): Record<string, string> => {
    const { DATABASE_URL, ...rest } = testEnvironment({
      port: own.port,
      dataDir: own.dataDir,
      database: database ?? source,
    }) as Record<string, string>;
    const all = { ...rest, ...exchangeAddresses(sandbox.addresses) };
    return database === undefined || DATABASE_URL === undefined ? all : { ...all, DATABASE_URL };
  };

  const run = async (script: string, words: readonly string[], settings: Record<string, string>): Promise<Ended> => {
    const started = own.run(`scripts/${script}.js`, settings, words);
    return { code: await exitOf(started), text: started.output() };
  };

  const anEmptyDatabase = async (): Promise<TestDatabase> => {
    const database = await createTestDatabase();
    databases.push(database);
    return database;
  };

  const restoreHere = async (
    database: TestDatabase,
    path: string,
    keys = environment().ENCRYPTION_KEYS,
  ): Promise<unknown> =>
    readBackup({
      connection: await parseDatabaseUrl(new Secret(database.url)),
      path,
      migrations: MIGRATIONS,
      finish: (client) => checkKeys(client, new CryptoService(settingsWith({ ENCRYPTION_KEYS: keys }))),
    });

  const settingsWith = (some: Record<string, string | undefined>): Settings =>
    Settings.read({ ...environment(source), ...some }, EXCHANGE_SETTINGS);

  const backUpHere = async (database: TestDatabase, path: string): Promise<unknown> =>
    writeBackup(await parseDatabaseUrl(new Secret(database.url)), path);

  /** Why these bytes are not restored into an empty database, in which then nothing is. */
  const refusal = async (bytes: Buffer, keys?: string): Promise<string> => {
    const before = await dump({ database: empty });
    const path = join(own.dataDir, 'damaged');
    await writeFile(path, bytes);
    const reason = await restoreHere(empty, path, keys).then(
      () => 'it was restored',
      (error: unknown) => String(error),
    );
    return (await dump({ database: empty })) === before ? reason : 'something was changed';
  };

  /** Logs in to the restored service and gets a key that trades, as an owner does. */
  const tradeAgain = async ({ user, key }: Trader): Promise<string> => {
    const login = await post(own, '/auth/login', { email: user.email, password: user.password }).expect(200);
    const { access_token: token } = login.body as { access_token: string };
    const path = `/account/api-keys/${key.slice(0, 'svc_sk_live_'.length + 4)}`;
    await request(own.url).delete(path).auth(token, { type: 'bearer' }).expect(200);
    return anApiKey(own, { token });
  };

  beforeAll(async () => {
    sandbox = await startSandbox();
    own = await OwnProcesses.open();
    [source, empty] = [await anEmptyDatabase(), await anEmptyDatabase()];
    const app = await startTestApp(exchangeAddresses(sandbox.addresses), source);
    trader = await aTrader({ app, sandbox, close: () => Promise.resolve() });
    sessionTrader = await aSessionTrader({ app, sandbox });
    await aUser(app, { name: 'Odd' });
    await app.query('UPDATE users SET name = $1 WHERE name = $2', [ODD_NAME, 'Odd']);
    await request(app.url)
      .post('/kalshi/orders')
      .auth(trader.key, { type: 'bearer' })
      .set('Idempotency-Key', 'before-the-backup')
      .send(ORDER)
      .expect(200);
    const [running, halted] = [await aBot(app, trader.user), await aBot(app, trader.user)];
    await post(app, `${BOTS}/${halted.id}/halt`, undefined, trader.user.token).expect(200);
    bots = [running.id, halted.id];
    ended = [await aUser(app), await aUser(app), await aUser(app)];
    await post(app, '/auth/forgot-password', { email: trader.user.email }).expect(200);
    await app.close();
    await sql(
      { database: source },
      `INSERT INTO mail_outbox (id, kind, recipient, data) SELECT id, 'reset', $1, '{"origin": null}'
         FROM unnest(ARRAY['mail_1', 'mail_2']) id`,
      [trader.user.email],
    );
    file = join(own.dataDir, 'backups', 'one');
    await mkdir(join(own.dataDir, 'backups'));
    rows = await dump({ database: source });
    saved = await run('backup', [file], environment(source));
  });

  afterAll(async () => {
    await own.close();
    await sandbox.close();
    for (const database of databases) await database.drop();
  });

  it('writes one file for its owner alone, without the keys, and takes the place of no other', async () => {
    expect([saved.code, saved.text]).toEqual([0, expect.stringContaining('ENCRYPTION_KEYS (t1)')]);
    const { mode } = await stat(file);
    expect(mode & 0o777).toBe(0o600);
    const text = gunzipSync(await readFile(file)).toString('utf8');
    for (const name of ['ENCRYPTION_KEYS', 'JWT_SECRET', 'PASSWORD_PEPPER'] as const) {
      const [, secret = environment()[name] ?? ''] = /^t1:(.*)$/.exec(environment()[name] ?? '') ?? [];
      expect(secret.length).toBeGreaterThan(20);
      expect(text).not.toContain(secret);
    }
    await expect(backUpHere(source, file)).rejects.toThrow('is there already');
    expect(gunzipSync(await readFile(file)).toString('utf8')).toBe(text);
  });

  it('R-14 into a new cluster: log-in, stored credentials and session key work; nothing can trade until its owner says so', async () => {
    const restored = await run('restore', [file], environment());
    expect([restored.code, restored.text]).toEqual([0, expect.stringContaining('every API key\nmay only read')]);
    const service = await own.serve(environment());
    const read = (path: string, key: string): request.Test => request(own.url).get(path).auth(key, { type: 'bearer' });
    const order = (key: string): request.Test =>
      request(own.url)
        .post('/kalshi/orders')
        .auth(key, { type: 'bearer' })
        .set('Idempotency-Key', 'after-the-backup')
        .send(ORDER);

    expect((await read('/me', trader.key)).body).toMatchObject({ scopes: ['read'] });
    expect((await read('/me', sessionTrader.key)).body).toMatchObject({ scopes: ['read'] });
    const refusal = await order(trader.key);
    expect([refusal.status, refusal.body]).toMatchObject([403, { error: { code: 'forbidden' } }]);
    expect((await read('/account/profile', trader.user.token)).status).toBe(401);

    const fresh = await tradeAgain(trader);
    expect((await order(fresh)).status).toBe(200);
    expect((await read('/polymarket/balance', fresh)).status).toBe(200);
    expect((await read('/polymarket/balance', await tradeAgain(sessionTrader))).status).toBe(200);

    const second = await run('backup', [join(own.dataDir, 'backups', 'two')], environment());
    expect([second.code, second.text]).toEqual([0, expect.stringMatching(/\d+ rows of \d+ tables/)]);
    service.child.kill('SIGTERM');
    expect(await exitOf(service)).toBe(0);
  });

  it('R-14 sends no mail that had not left, and disables the accounts that the old database knows as ended', async () => {
    const old = await startTestApp(exchangeAddresses(sandbox.addresses), source);
    const service = usersAdmin(old);
    const since = new Date(Date.now() - 60_000).toISOString();
    for (const [index, verb] of (['disable', 'remove', 'lock'] as const).entries()) {
      const user = await service.find(ended[index]?.id ?? '');
      if (user !== null) await service[verb](user);
    }
    await old.close();
    const listed = await run('users', ['list', '--ended-since', since], environment(source));
    const [disabled, removed, locked] = ended;
    expect(listed.text.trim().split('\n').sort()).toEqual([disabled?.email, locked?.email, removed?.id].sort());

    const list = join(own.dataDir, 'ended');
    await writeFile(list, `${listed.text}\r\nUnknown@Example.com\r\n`);
    const database = await anEmptyDatabase();
    const restored = await run('restore', [file, '--disable', list], environment(database));
    expect(restored.text).toContain('3 accounts disabled\nNot in this backup, so not disabled: unknown@example.com\n');
    expect(restored.code).toBe(0);
    const halts = await sql(
      { database },
      'SELECT id, halt_reason, halt_complete_at FROM bots WHERE id = ANY($1) ORDER BY id',
      [bots],
    );
    expect(halts).toEqual(bots.toSorted().map((id) => ({ id, halt_reason: 'restored', halt_complete_at: null })));
    const noted = `SELECT bot_id FROM security_events WHERE type = 'bot_halted' AND details ->> 'reason' = 'restored' ORDER BY bot_id`;
    expect(await sql({ database }, noted)).toEqual(halts.map(({ id }) => ({ bot_id: id as unknown })));

    const app = await startTestApp(exchangeAddresses(sandbox.addresses), database);
    for (const { email, password } of ended) {
      expect((await post(app, '/auth/login', { email, password })).status).toBe(401);
    }
    const { email, password } = trader.user;
    await post(app, '/auth/login', { email, password }).expect(200);
    const outcome = `SELECT outcome FROM mail_outbox WHERE id IN ('mail_1', 'mail_2')`;
    expect(await sql(app, outcome)).toEqual([{ outcome: 'given_up' }, { outcome: 'given_up' }]);
    const disabling = `SELECT user_id AS id FROM security_events WHERE type = 'account_disabled' AND details ->> 'restore' = 'true'`;
    expect((await sql<{ id: string }>(app, disabling)).map(({ id }) => id).sort()).toEqual(
      ended.map(({ id }) => id).sort(),
    );
    await app.close();
  });

  it('restores nothing where the list of accounts is odd, and says why', async () => {
    const before = await dump({ database: empty });
    const list = join(own.dataDir, 'odd');
    const cases: [string, string][] = [
      ['is empty', ' \n\n'],
      ['has in line 2 neither an e-mail address nor the id of a user', 'one@example.com\nTwo <two@example.com>\n'],
      ['has in line 1 neither', 'usr_1'],
      ['has more than 5000 accounts', Array.from({ length: 5_001 }, (_, n) => `p${n}@example.com`).join('\n')],
      ['cannot be read (it is too large)', 'x'.repeat(1_048_577)],
    ];
    for (const [reason, text] of cases) {
      await writeFile(list, text);
      await expect(readAccounts(list)).rejects.toThrow(`Nothing was changed: the list of accounts ${reason}`);
    }
    await expect(readAccounts(`${list}-missing`)).rejects.toThrow(
      'Nothing was changed: the list of accounts cannot be read',
    );
    await expect(readAccounts(own.dataDir)).rejects.toThrow('Nothing was changed: the list of accounts cannot be read');
    const ends = [
      await run('restore', [file, '--disable', list], environment(empty)),
      await run('restore', [file, '--disable', list, '--nothing-since'], environment(empty)),
    ];
    expect(ends).toEqual([
      { code: 1, text: expect.stringContaining('Nothing was changed') },
      { code: 1, text: expect.stringContaining('Usage') },
    ]);
    expect(await dump({ database: empty })).toBe(before);
  });

  it('disables as many accounts at once as a list may have', async () => {
    const database = await anEmptyDatabase();
    const emails = Array.from({ length: 5_000 }, (_, n) => `p${n}@example.com`);
    await sql(
      { database },
      `INSERT INTO users (id, email, name) SELECT 'usr_' || n, n, 'P' FROM unnest($1::text[]) n`,
      [emails],
    );
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('BEGIN');
    expect(await disableAccounts(client, emails)).toEqual([]);
    await client.query('COMMIT');
    await client.end();
    expect(await sql({ database }, 'SELECT 1 FROM users WHERE disabled_at IS NULL')).toEqual([]);
  });

  it('with --nothing-since brings every row back as it was, and draws no row version twice (S-36)', async () => {
    const database = await anEmptyDatabase();
    const { code } = await run('restore', [file, '--nothing-since'], environment(database));
    expect(code).toBe(0);
    const sorted = (text: string): string[] => text.split('\n').sort();
    const isOfMigrations = (line: string): boolean => /^\(\d+,\d{13},/.test(line);
    const [before, after] = [rows, await dump({ database })].map((text) =>
      sorted(text).filter((line) => !isOfMigrations(line)),
    );
    expect(after).toEqual(before);
    const last = `SELECT last_value::bigint::int AS last FROM exchange_credentials_version`;
    const [[old], [fresh]] = [
      await sql<{ last: number }>({ database: source }, last),
      await sql<{ last: number }>({ database }, last),
    ];
    expect(fresh?.last).toBeGreaterThan((old?.last ?? 0) + 1_000);
    await expect(restoreHere(database, file)).rejects.toThrow('The database is not empty');
  });

  it('R-14 holds one moment while others write', async () => {
    const database = await anEmptyDatabase();
    const write = `INSERT INTO users (id, email, name) SELECT 'usr_' || $1::text, $1::text || '@example.com', 'One'`;
    const event = `INSERT INTO security_events (id, type, user_id, ip, user_agent, details)
                   VALUES ('evt_' || $1::text, 'login', 'usr_' || $1::text, '203.0.113.7', 'bot/1', '{}')`;
    const writer = new pg.Client({ connectionString: database.url });
    await writer.connect();
    let [isOver, written] = [false, 0];
    const writing = (async () => {
      while (!isOver) {
        written++;
        await writer.query('BEGIN');
        await writer.query(event, [written]);
        await writer.query(write, [written]);
        await writer.query('COMMIT');
      }
      await writer.end();
    })();
    const paths = [1, 2, 3].map((n) => join(own.dataDir, 'backups', `busy-${n}`));
    try {
      for (const path of paths) await backUpHere(database, path);
    } finally {
      isOver = true;
      await writing;
    }
    for (const path of paths) {
      const target = await anEmptyDatabase();
      await restoreHere(target, path);
      const counts = `SELECT (SELECT count(*)::int FROM users) AS users, (SELECT count(*)::int FROM security_events) AS events`;
      const [row] = await sql<{ users: number; events: number }>({ database: target }, counts);
      expect(row?.users).toBe(row?.events);
      expect(row?.users).toBeLessThanOrEqual(written);
    }
  });

  it('leaves nothing behind and ends soon where the disk is full, and lets the next one be made', async () => {
    const database = await anEmptyDatabase();
    await sql(
      { database },
      `INSERT INTO users (id, email, name) SELECT 'usr_' || n, n || '@example.com', sha512(n::text::bytea)::text FROM generate_series(1, 100000) AS n`,
    );
    const path = join(own.dataDir, 'backups', 'large');
    // Blocks of 512 bytes: a file may not grow further, as on a full disk.
    const words = [
      '-c',
      'ulimit -f 400; exec "$0" "$@"',
      process.execPath,
      `${process.env.TEST_BUILD ?? ''}/scripts/backup.js`,
      path,
    ];
    const ended = await promisify(execFile)('sh', words, {
      env: { PATH: process.env.PATH, ...environment(database) },
      timeout: 60_000,
    }).catch((error: unknown) => error);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('EFBIG') as unknown });
    expect((await readdir(join(own.dataDir, 'backups'))).filter((name) => name.startsWith('large'))).toEqual([]);
    await backUpHere(database, path);
    expect((await stat(path)).size).toBeGreaterThan(200_000);
  });

  it('uses nothing of a file that is cut off or changed', async () => {
    const bytes = await readFile(file);
    const text = gunzipSync(bytes);
    const at = text.indexOf('before-the-backup');
    const changed = Buffer.from(text);
    changed.write('X', at);
    const lines = text.toString('latin1').split('\n');
    const shorter = Buffer.from([...lines.slice(0, -3), ''].join('\n'), 'latin1');
    const cases: [string, Buffer][] = [
      ['checksum', gzipSync(changed)],
      ['cut off', bytes.subarray(0, bytes.length - 20)],
      [
        'damaged',
        Buffer.concat([
          bytes.subarray(0, bytes.length >> 1),
          Buffer.alloc(64),
          bytes.subarray((bytes.length >> 1) + 64),
        ]),
      ],
      ['cut off', gzipSync(text.subarray(0, at))],
      ['last line', gzipSync(shorter)],
      ['no backup', Buffer.from('SELECT 1;\n')],
      ['empty', gzipSync('')],
    ];
    for (const [reason, damaged] of cases) {
      expect(await refusal(damaged)).toMatch(new RegExp(`nothing was changed: .*${reason}`));
    }
  });

  it('S-38 refuses keys that do not open what it holds, by id, and takes all back', async () => {
    const bytes = await readFile(file);
    for (const id of ['t1', 't2']) {
      const reason = await refusal(bytes, `${id}:${Buffer.alloc(32, 9).toString('base64')}`);
      expect(reason).toMatch(/ENCRYPTION_KEYS must hold the keys .*: t1\.$/);
    }
  });

  it('R-9 takes a backup of an older version and migrates it, and refuses one of a newer version', async () => {
    const older = await anEmptyDatabase();
    await sql({ database: older }, 'DROP SCHEMA public CASCADE');
    await sql({ database: older }, 'CREATE SCHEMA public');
    await migrate(await parseDatabaseUrl(new Secret(older.url)), MIGRATIONS.slice(0, 3));
    await sql({ database: older }, `INSERT INTO users (id, email, name) VALUES ('usr_1', 'old@example.com', 'Old')`);
    const old = join(own.dataDir, 'backups', 'old');
    await backUpHere(older, old);

    const target = await anEmptyDatabase();
    await expect(restoreHere(target, old)).rejects.toThrow('migrated further than the backup');
    await sql({ database: target }, 'DROP SCHEMA public CASCADE');
    await sql({ database: target }, 'CREATE SCHEMA public');
    await restoreHere(target, old);
    expect(await sql({ database: target }, 'SELECT email FROM users')).toEqual([{ email: 'old@example.com' }]);
    expect(await sql({ database: target }, 'SELECT count(*)::int FROM migrations')).toEqual([
      { count: MIGRATIONS.length },
    ]);

    const text = gunzipSync(await readFile(file)).toString('utf8');
    const strange = summed(text.replace(/("migrations":\[[^\]]*)\]/, '$1,"Later1999999999999"]'));
    expect(await refusal(gzipSync(strange))).toContain('another version of the service');
  });
});
