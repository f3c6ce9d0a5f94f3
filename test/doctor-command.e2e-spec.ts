import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { examine } from '../src/commands/doctor/doctor.js';
import { jsonOf } from '../src/commands/doctor/doctor-lines.js';
import { aBot } from './support/bots.js';
import { post } from './support/calls.js';
import { EXCHANGE, EXCHANGES } from './support/exchanges.js';
import { freePort } from './support/loopback.js';
import { exitOf, OwnProcesses } from './support/own-processes.js';
import { FakeServer } from './support/fake-server.js';
import { aTrader, startTestStand, type TestStand, type Trader } from './support/sandbox.js';
import { testEnvironment } from './support/app.js';
import { exchangeAddresses, streamKeys } from '../sandbox/demo/environment.js';

interface Report {
  readonly status: string;
  readonly checks: readonly { id: string; status: string; message: string; hint: string | null }[];
}

describe('contract.md 8.1 npm run doctor, as an operator runs it', () => {
  let stand: TestStand;
  let trader: Trader;
  let own: OwnProcesses;
  let geoblock: FakeServer;
  let isBlocked = false;

  beforeAll(async () => {
    stand = await startTestStand();
    trader = await aTrader(stand);
    own = await OwnProcesses.open();
    geoblock = await FakeServer.start();
    geoblock.on('GET /api/geoblock', () => ({ body: { blocked: isBlocked, ip: '203.0.113.7', country: 'XX' } }));
  });

  afterAll(async () => {
    await geoblock.loopback.close();
    await own.close();
    await stand.close();
  });

  /** The settings of the service of this stand, as far as the command may have them. */
  function settings(changes: Readonly<Record<string, string>> = {}): Record<string, string> {
    const { database, dataDir } = stand.app;
    const given = testEnvironment({ port: own.port, dataDir, database });
    const environment = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    return {
      ...(Object.fromEntries(environment) as Record<string, string>),
      ...exchangeAddresses(stand.sandbox.addresses),
      POLYMARKET_GEOBLOCK_URL: `${geoblock.url}/api/geoblock`,
      ...changes,
    };
  }

  async function doctor(
    words: readonly string[],
    changes: Readonly<Record<string, string>> = {},
  ): Promise<{ code: number | null | string; text: string }> {
    const started = own.run('scripts/doctor.js', settings(changes), words);
    return { code: await exitOf(started), text: started.output() };
  }

  /** The same in this process, which takes a tenth of the time. */
  async function report(changes: Readonly<Record<string, string>> = {}, user: string | null = null): Promise<Report> {
    return JSON.parse(jsonOf(await examine(settings(changes), user))) as Report;
  }

  function statusOf({ checks }: Report, id: string): string | undefined {
    return checks.find((check) => check.id === id)?.status;
  }

  it('tells of everything in a line a check while the service runs, and ends with 0 where nothing fails', async () => {
    const { code, text } = await doctor([]);
    const lines = text.trimEnd().split('\n');
    expect(lines.filter((line) => !/^(?:ok|warn)\t[a-z_]+\t\S.*$/.test(line))).toEqual([]);
    expect(lines.map((line) => line.split('\t')[1])).toEqual([
      'node',
      'settings',
      'secrets',
      'data_dir',
      'disk',
      'database',
      'migrations',
      'database_tls',
      'database_connections',
      'catalogue',
      'encryption_keys',
      'mail',
      'redis',
      'clock',
      ...EXCHANGES.flatMap((id) => [id, `${id}_stream`, `${id}_trading`]),
    ]);
    expect(code).toBe(0);
  });

  it('S-38 opens what a user has stored and asks the exchanges, and tells of a missing approval and of closed-only mode', async () => {
    const { wallet_address } = stand.sandbox.addresses.polymarket;
    const user = trader.user.email.toUpperCase();
    const well = await report({}, user);
    expect([statusOf(well, 'user_kalshi'), statusOf(well, 'user_polymarket')]).toEqual(['warn', 'ok']);
    stand.sandbox.polymarket.setStanding(wallet_address, { exchangeV3: false });
    expect(statusOf(await report({}, user), 'user_polymarket')).toBe('warn');
    stand.sandbox.polymarket.setStanding(wallet_address, { exchangeV3: true, closedOnly: true });
    expect(statusOf(await report({}, user), 'user_polymarket')).toBe('fail');
    stand.sandbox.polymarket.setStanding(wallet_address, { closedOnly: false });
    expect(statusOf(await report({}, 'nobody@example.com'), 'user_kalshi')).toBe('fail');
  });

  it('contract.md 5.12 tells how bots stand, and where the exchange shows more of an order than is reserved', async () => {
    const { app } = stand;
    const owner = await aTrader(stand);
    const bot = await aBot(app, owner.user, { name: 'maker', limits: { max_daily_risk: '50' } });
    const order = { market_id: EXCHANGE.kalshi.market, outcome: 'yes', side: 'buy', price: '0.05', size: '10' };
    const placed = await post(app, '/kalshi/orders', order, bot.key).expect(200);
    const { id } = placed.body as { id: string };
    const well = await report({}, owner.user.email);
    const message = (found: Report, check: string): string =>
      found.checks.find((one) => one.id === check)?.message ?? '';
    expect(statusOf(well, 'user_bot')).toBe('ok');
    expect(message(well, 'user_bot')).toContain(`${bot.id} "maker": active, no heartbeat; `);
    expect(message(well, 'user_bot')).toContain('daily_risk 0.5 of 50 USD');
    expect(EXCHANGES.map((exchange) => statusOf(well, `user_${exchange}_orders`))).toEqual(['ok', 'ok']);
    expect(message(well, 'user_kalshi_orders')).toContain('1 order of bots');
    await app.query('SELECT set_reservation(id, 0, 0, 0, 0) FROM placements WHERE exchange_id = $1', [id]);
    await app.query(
      `UPDATE bots SET halted_at = now(), halt_reason = 'owner', halt_tried_at = now() + interval '1 hour' WHERE id = $1`,
      [bot.id],
    );
    const badly = await report({}, owner.user.id);
    expect(statusOf(badly, 'user_bot')).toBe('warn');
    expect(message(badly, 'user_bot')).toContain('not complete');
    expect(statusOf(badly, 'user_kalshi_orders')).toBe('fail');
    expect(message(badly, 'user_kalshi_orders')).toContain(`${id} of ${bot.id} (10 open there, 0 reserved)`);
  });

  it('tells whether the streams open, and whether the key of the operator is taken', async () => {
    const keys = streamKeys(stand.sandbox.addresses);
    const polled = await report();
    expect([statusOf(polled, 'kalshi_stream'), statusOf(polled, 'polymarket_stream')]).toEqual(['ok', 'ok']);
    expect(polled.checks.find(({ id }) => id === 'kalshi_stream')?.message).toContain('polled');
    const streamed = await report(keys);
    expect(streamed.checks.find(({ id }) => id === 'kalshi_stream')?.message).toContain('opens');
    const refused = await report({ ...keys, KALSHI_STREAM_ACCESS_KEY: 'another' });
    expect(refused.checks.find(({ id }) => id === 'kalshi_stream')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('401'),
    });
    const away = await report({ POLYMARKET_WS_URL: `ws://127.0.0.1:${await freePort()}` });
    expect(statusOf(away, 'polymarket_stream')).toBe('fail');
  });

  it('tells of an address that may not trade, and of a pause', async () => {
    isBlocked = true;
    stand.sandbox.faults.add({
      exchange: 'kalshi',
      method: 'GET',
      path: '/exchange/status',
      fault: 'status',
      status: 503,
      body: { exchange_active: true, trading_active: false, exchange_index_statuses: [] },
      times: 10,
    });
    const found = await report();
    isBlocked = false;
    stand.sandbox.faults.clear();
    expect(statusOf(found, 'polymarket_trading')).toBe('fail');
    expect(statusOf(found, 'kalshi_trading')).toBe('warn');
  });

  it('S-40 goes on where database, mail, Redis and an exchange are away and settings are wrong, and shows no secret', async () => {
    const port = await freePort();
    const { code, text } = await doctor(['--json'], {
      DATABASE_URL: `postgresql://user:canary-db-password@127.0.0.1:${port}/x`,
      SMTP_URL: `smtp://user:canary-mail-password@127.0.0.1:${port}`,
      REDIS_URL: `redis://:canary-redis-password@127.0.0.1:${port}`,
      KALSHI_API_URL: `http://127.0.0.1:${port}`,
      METRICS_PORT: 'canary-metrics',
      BCRYPT_COST: 'canary-cost',
    });
    const found = JSON.parse(text) as Report;
    const failed = found.checks.filter(({ status }) => status === 'fail').map(({ id }) => id);
    expect(failed).toEqual(['settings', 'database', 'mail', 'redis', 'kalshi']);
    expect(found.checks.find(({ id }) => id === 'settings')?.message).toMatch(/BCRYPT_COST.*METRICS_PORT/);
    expect(statusOf(found, 'polymarket')).toBe('ok');
    expect(text).not.toMatch(/canary/);
    expect(code).toBe(1);
  });

  it('tells of keys that do not fit what is stored, without a change to the database', async () => {
    const before = await stand.app.query('SELECT count(*) FROM security_events');
    const keys = { ENCRYPTION_KEYS: `t2:${Buffer.alloc(32, 9).toString('base64')}` };
    expect(statusOf(await report(keys), 'encryption_keys')).toBe('fail');
    const wrong = { ENCRYPTION_KEYS: `t1:${Buffer.alloc(32, 9).toString('base64')}` };
    expect(statusOf(await report(wrong, trader.user.id), 'encryption_keys')).toBe('fail');
    expect(await stand.app.query('SELECT count(*) FROM security_events')).toEqual(before);
  });

  it('makes nothing where the service never ran: neither secrets nor a database', async () => {
    const DATABASE_URL = '';
    const found = await report({
      DATABASE_URL,
      JWT_SECRET: '',
      ENCRYPTION_KEYS: '',
      PASSWORD_PEPPER: '',
      NODE_ENV: 'development',
      DATA_DIR: join(own.dataDir, 'new'),
    });
    expect(found.status).not.toBe('fail');
    expect(await readdir(own.dataDir)).toEqual([]);
  });

  it('reports the file of secrets that others may read', async () => {
    const file = join(own.dataDir, 'secrets.env');
    await writeFile(file, 'JWT_SECRET=canary-canary-canary-canary-canary\n', { mode: 0o644 });
    const without = { JWT_SECRET: '', ENCRYPTION_KEYS: '', PASSWORD_PEPPER: '', DATA_DIR: own.dataDir };
    const found = await report(without);
    expect(statusOf(found, 'secrets')).toBe('fail');
    expect(JSON.stringify(found)).toContain('chmod 600');
    expect(JSON.stringify(found)).not.toContain('canary');
    expect(await readFile(file, 'utf8')).toContain('canary');
  });

  it('says of a mail server that nobody listens there, and not that its TLS is wrong', async () => {
    const { checks } = await report({ SMTP_URL: `smtp://user:canary@127.0.0.1:${await freePort()}` });
    expect(checks.find(({ id }) => id === 'mail')?.message).toBe(
      'The mail server cannot be used: nobody listens at that address and port (ECONNREFUSED).',
    );
  });

  it('goes on where nobody can look into DATA_DIR, and takes no secrets for missing', async () => {
    const DATA_DIR = join(own.dataDir, 'loop');
    await symlink('loop', DATA_DIR);
    const without = { JWT_SECRET: '', ENCRYPTION_KEYS: '', PASSWORD_PEPPER: '', NODE_ENV: 'development' };
    const found = await report({ ...without, DATABASE_URL: '', DATA_DIR });
    expect(['settings', 'secrets', 'data_dir', 'database', 'polymarket'].map((id) => statusOf(found, id))).toEqual([
      'fail',
      'warn',
      'fail',
      'fail',
      'ok',
    ]);
  });

  it('explains itself where it is called wrongly, and ends with 1', async () => {
    const { code, text } = await doctor(['--yaml']);
    expect({ code, text }).toEqual({ code: 1, text: 'Usage: npm run doctor -- [--json] [--user EMAIL-OR-ID]\n' });
  });
});
