import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { exchangeAddresses } from '../sandbox/demo/environment.js';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.js';
import { aBot } from './support/bots.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { EXCHANGE, type ExchangeName } from './support/exchanges.js';
import { freePort } from './support/loopback.js';
import { sql } from './support/rows.js';
import { activeKey } from './support/session-keys.js';

const EMAIL = 'crash@example.com';
const PASSWORD = 'correct horse battery staple 42';
const START_LIMIT_MS = 60_000;
/** After UPSTREAM_TIMEOUT (3 s) and 5 s a call that has not ended was cut off. */
const CUT_OFF_SECONDS = 8;

describe('kill -9 of the service (R-6, R-14)', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let dataDir: string;
  let url: string;
  let child: ChildProcess | undefined;
  let key: string;
  let bot: string;

  const start = async (): Promise<void> => {
    child = spawn(process.execPath, [join(process.env.TEST_BUILD ?? '', 'src', 'main.js')], {
      cwd: dataDir,
      env: {
        PATH: process.env.PATH,
        PORT: new URL(url).port,
        DATA_DIR: dataDir,
        DATABASE_URL: database.url,
        BCRYPT_COST: '4',
        ACCESS_MODE: 'whitelist',
        WHITELIST_EMAILS: EMAIL,
        UPSTREAM_TIMEOUT: '3s',
        ...exchangeAddresses(sandbox.addresses),
      },
      stdio: 'ignore',
    });
    const deadline = Date.now() + START_LIMIT_MS;
    while (Date.now() < deadline) {
      const ready = await fetch(`${url}/health/ready`).catch(() => null);
      if (ready?.ok === true) return;
      await delay(50);
    }
    throw new Error('the service did not start');
  };

  const kill = async (): Promise<void> => {
    const dead = new Promise((resolve) => child?.once('exit', resolve));
    child?.kill('SIGKILL');
    await dead;
  };

  const place = (body: object, idempotencyKey: string, exchange = 'kalshi'): Promise<Response> =>
    request(url)
      .post(`/${exchange}/orders`)
      .auth(key, { type: 'bearer' })
      .set('Idempotency-Key', idempotencyKey)
      .send(body)
      .then((answer) => answer);

  const creates = (exchange: ExchangeName = 'kalshi'): number =>
    sandbox.log
      .list(exchange)
      .filter(({ method, path }) => method === 'POST' && path.endsWith(EXCHANGE[exchange].wire.order[1])).length;

  /** As if the newest attempt had begun so long ago, however long the start has taken. */
  const setAttemptBack = (idempotencyKey: string, seconds: number): Promise<unknown> =>
    sql({ database }, `UPDATE placements SET busy_until = now() + $2 * interval '1 second' WHERE key = $1`, [
      idempotencyKey,
      CUT_OFF_SECONDS - seconds,
    ]);

  const fault = (body: object): Promise<unknown> =>
    request(sandbox.controlUrl)
      .post('/faults')
      .send({ exchange: 'kalshi', method: 'POST', path: '/portfolio/events/orders', times: 1, ...body })
      .expect(201);

  beforeAll(async () => {
    sandbox = await startSandbox();
    database = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'trading-proxy-crash-'));
    url = `http://127.0.0.1:${await freePort()}`;
    await start();
    const signup = await request(url).post('/auth/signup').send({ email: EMAIL, password: PASSWORD, name: 'Crash' });
    const token = (signup.body as { access_token: string }).access_token;
    const { access_key, private_key } = sandbox.addresses.kalshi;
    const wallet = sandbox.addresses.polymarket.deposit_wallet.address;
    await activeKey({ app: { url }, sandbox }, { token }, { wallet });
    await request(url)
      .put('/account/credentials/kalshi')
      .auth(token, { type: 'bearer' })
      .send({ access_key, private_key })
      .expect(200);
    const created = await request(url)
      .post('/account/api-keys')
      .auth(token, { type: 'bearer' })
      .send({ scopes: ['trade'] });
    key = (created.body as { key: string }).key;
    bot = (await aBot({ url }, { token }, { limits: { max_open_risk: '0.4' } })).key;
  });

  afterAll(async () => {
    await kill();
    await sandbox.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('R-14 between sending and storing: the repeat finds the one order that the exchange has', async () => {
    const order = { market_id: 'KXHIGHNY-TODAY-T58', outcome: 'yes', side: 'buy', price: '0.02', size: '3' };
    await fault({ fault: 'delay', delay_ms: 2_500 });
    const before = creates();
    const lost = place(order, 'crash-1').catch(() => 'lost');
    while (creates() === before) await delay(5);
    await kill();
    expect(await lost).toBe('lost');
    await start();
    await setAttemptBack('crash-1', 0);
    const early = await place(order, 'crash-1');
    expect(early.status).toBe(409);
    expect(early.body).toMatchObject({ error: { code: 'idempotency_in_progress', retryable: true } });
    await setAttemptBack('crash-1', CUT_OFF_SECONDS);
    const found = await place(order, 'crash-1');
    expect(found.status).toBe(200);
    expect(creates() - before).toBe(1);
    const orders = await request(url).get('/kalshi/orders?limit=100').auth(key, { type: 'bearer' });
    const { data } = orders.body as { data: { id: string; price: string; size: string }[] };
    expect(data.filter(({ price, size }) => price === '0.02' && size === '3').map(({ id }) => id)).toEqual([
      (found.body as { id: string }).id,
    ]);
  });

  it('R-14 the same of an order that was signed here: it is found by its hash, and is the same one if it is sent again', async () => {
    const { market } = EXCHANGE.polymarket;
    const [, path] = EXCHANGE.polymarket.wire.order;
    for (const [kind, sendings] of [
      ['delay', 1],
      ['hang', 2],
    ] as const) {
      const order = {
        market_id: market,
        outcome: 'no',
        side: 'buy',
        price: '0.02',
        size: sendings === 1 ? '7' : '8.5',
      };
      const extra = kind === 'delay' ? { delay_ms: 2_500 } : {};
      await fault({ exchange: 'polymarket', path, fault: kind, ...extra });
      const before = creates('polymarket');
      const lost = place(order, `crash-${kind}`, 'polymarket').catch(() => 'lost');
      while (creates('polymarket') === before) await delay(5);
      await kill();
      expect(await lost).toBe('lost');
      await start();
      await setAttemptBack(`crash-${kind}`, CUT_OFF_SECONDS);
      const made = await place(order, `crash-${kind}`, 'polymarket');
      expect([made.status, made.body]).toEqual([200, expect.objectContaining({ price: '0.02', size: order.size })]);
      const sent = sandbox.log.list('polymarket').filter((one) => one.method === 'POST' && one.path.endsWith(path));
      expect(new Set(sent.slice(before).map(({ body }) => body)).size).toBe(1);
      expect(creates('polymarket') - before).toBe(sendings);
      const orders = await request(url).get('/polymarket/orders?limit=100').auth(key, { type: 'bearer' });
      const { data } = orders.body as { data: { id: string; size: string }[] };
      expect(data.filter(({ size }) => size === order.size).map(({ id }) => id)).toEqual([
        (made.body as { id: string }).id,
      ]);
    }
  });

  it.each([
    ['kalshi', 'KXHIGHNY-TODAY-T58', '/portfolio/events/orders/batched', 10],
    ['polymarket', EXCHANGE.polymarket.market, '/orders', 15],
  ] as const)(
    'R-14 amid a batch at %s: the repeat finds what the exchange has, and sends the others once',
    async (exchange, market_id, path, atOnce) => {
      const orders = Array.from({ length: 15 }, (_, index) => ({
        ...{ market_id, outcome: 'yes', side: 'buy', price: '0.02', size: String(20 + index) },
      }));
      const batch = (): Promise<Response> => {
        const call = request(url).post(`/${exchange}/orders/batch`).auth(key, { type: 'bearer' });
        return call
          .set('Idempotency-Key', 'crash-batch')
          .send({ orders })
          .then((answer) => answer);
      };
      const calls = (): number =>
        sandbox.log.list(exchange).filter((one) => one.method === 'POST' && one.path.endsWith(path)).length;
      await fault({ exchange, path, fault: 'delay', delay_ms: 2_500 });
      const lost = batch().catch(() => 'lost');
      while (calls() === 0) await delay(5);
      await kill();
      expect(await lost).toBe('lost');
      await start();
      await sql({ database }, `UPDATE placements SET busy_until = now() WHERE key LIKE 'crash-batch#%'`);
      const { results } = (await batch()).body as { results: { order?: { id: string; size: string } }[] };
      expect(results.map(({ order }) => order?.size)).toEqual(orders.map(({ size }) => size));
      expect(calls()).toBe(atOnce === orders.length ? 1 : 2);
      const open = await request(url).get(`/${exchange}/orders?limit=100`).auth(key, { type: 'bearer' });
      const { data } = open.body as { data: { id: string; size: string }[] };
      const sizes = new Set(orders.map(({ size }) => size));
      expect(
        data
          .filter(({ size }) => sizes.has(size))
          .map(({ id }) => id)
          .sort(),
      ).toEqual(results.map(({ order }) => order?.id).sort());
    },
  );

  it.each(['delay', 'hang'])(
    'contract.md 5.16 amid a change (%s): the larger stays reserved, and a repeat makes it so',
    async (kind) => {
      const by = (method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object): Promise<Response> => {
        const agent = request(url);
        return agent[method](path)
          .auth(bot, { type: 'bearer' })
          .send(body)
          .then((answer) => answer);
      };
      const market_id = 'KXHIGHNY-TODAY-T58';
      const made = await by('post', '/kalshi/orders', {
        market_id,
        outcome: 'yes',
        side: 'buy',
        price: '0.02',
        size: '10',
      });
      const { id } = made.body as { id: string };
      const path = `/portfolio/events/orders/${id}/amend`;
      const amends = (): number => sandbox.log.list('kalshi').filter((one) => one.path.endsWith(path)).length;
      await fault({ path, fault: kind, ...(kind === 'delay' && { delay_ms: 2_500 }) });
      const change = (size: string): Promise<Response> => by('patch', `/kalshi/orders/${id}`, { size });
      const lost = change('20').catch(() => 'lost');
      while (amends() === 0) await delay(5);
      await kill();
      expect(await lost).toBe('lost');
      await start();
      expect((await by('get', '/bot')).body).toMatchObject({ usage: { open_risk: { USD: '0.4' } } });
      const more = await by('post', '/kalshi/orders', {
        market_id,
        outcome: 'yes',
        side: 'buy',
        price: '0.02',
        size: '1',
      });
      expect(more.body).toMatchObject({ error: { code: 'limit_exceeded' } });
      const before = (await by('get', `/kalshi/orders/${id}`)).body as { size: string };
      expect(before.size).toBe(kind === 'delay' ? '20' : '10');
      expect((await change('20')).body).toMatchObject({ error: { code: 'service_unavailable', retryable: true } });
      await sql({ database }, 'UPDATE order_amends SET busy_until = now() WHERE order_id = $1', [id]);
      const again = await change('20');
      expect([again.status, again.body]).toEqual([200, expect.objectContaining({ id, size: '20', price: '0.02' })]);
      expect((await by('delete', `/kalshi/orders/${id}`)).status).toBe(200);
    },
  );

  it('R-14 before anything was sent: the repeat sends the order once', async () => {
    const order = { market_id: 'KXHIGHNY-TODAY-T58', outcome: 'no', side: 'buy', price: '0.02', size: '4' };
    await fault({ fault: 'hang' });
    const before = creates();
    const lost = place(order, 'crash-2').catch(() => 'lost');
    while (creates() === before) await delay(5);
    await kill();
    await lost;
    await start();
    await setAttemptBack('crash-2', CUT_OFF_SECONDS);
    const made = await place(order, 'crash-2');
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({ outcome: { index: 1 }, side: 'buy', price: '0.02', size: '4' });
    expect((await place(order, 'crash-2')).headers['idempotency-replayed']).toBe('true');
    expect(creates() - before).toBe(2);
  });
});
