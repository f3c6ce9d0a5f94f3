import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from '../../src/exchanges/paging.contract.js';
import type { Trading } from '../../src/exchanges/trading.contract.js';
import type { OrderDto } from '../../src/exchanges/unified.trading.dto.js';
import { Secret } from '../../src/platform/secrets/secret.js';
import {
  API,
  FakeKalshi,
  isSigned,
  NOT_FOUND,
  ORDER,
  sameOrder,
  sample,
  TICKER,
  VECTORS,
} from '../support/fake-kalshi.js';
import { naming } from '../support/naming.js';

const PAGE = { limit: 50, cursor: null };

let fake: FakeKalshi;
let trading: Trading;

beforeEach(async () => {
  fake = await FakeKalshi.start();
  trading = fake.trading();
});

afterEach(() => fake.close());

describe('signing', () => {
  beforeEach(() => {
    fake.serve('GET /portfolio/balance', sample('balance'));
  });

  it('kalshi.md 2 signs the path with its prefix and without its query, S-49 beside fixed headers alone', async () => {
    fake.serve('GET /portfolio/positions', sample('positions'));
    await trading.listPositions({ market_id: TICKER }, PAGE);
    const [, signed] = fake.server.arrived;
    expect(signed?.headers).toMatchObject({ 'kalshi-access-key': VECTORS.api_key_id_TEST });
    expect(signed && isSigned(signed)).toBe(true);
    expect(Object.keys(signed?.headers ?? {}).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'kalshi-access-key',
      'kalshi-access-signature',
      'kalshi-access-timestamp',
      'user-agent',
    ]);
  });

  it('contract.md 5 reads the clock of the exchange once before the first signed call, unsigned', async () => {
    fake.serve('GET /portfolio/positions', sample('positions'));
    await trading.listPositions({}, PAGE);
    await trading.listPositions({}, PAGE);
    const positions = `GET ${API}/portfolio/positions?count_filter=position&subaccount=0&limit=50`;
    expect(fake.server.targets).toEqual([`GET ${API}/exchange/status`, positions, positions]);
    expect(fake.server.arrived[0]?.headers).not.toHaveProperty('kalshi-access-key');
  });

  it.each([3_600_000, -3_600_000])('R-17 signs with the time of the exchange on a host %d ms off', async (skewMs) => {
    fake.server.skewMs = skewMs;
    await trading.getBalance();
    const signedAt = Number(fake.server.arrived[1]?.headers['kalshi-access-timestamp']);
    expect(Math.abs(signedAt - (Date.now() + skewMs))).toBeLessThan(5_000);
  });

  it('S-51 refused credentials are credentials_rejected', async () => {
    fake.serve('GET /api_keys', { error: { code: 'authentication_error', details: 'NOT_FOUND' } }, 401);
    await expect(trading.verify()).rejects.toMatchObject({ code: 'credentials_rejected', status: 409 });
  });

  it.each([VECTORS.api_key_id_TEST, 'my access key', 'short'])(
    'S-45 no credential comes back in an error: %s',
    async (key) => {
      const privateKey = VECTORS.test_rsa_key.private_key_pkcs1_pem;
      const own = fake.exchange.trading({ access_key: new Secret(key), private_key: new Secret(privateKey) });
      fake.serve('GET /portfolio/balance', { error: { code: key, message: `key ${key}, ${privateKey}` } }, 403);
      const error = await own.getBalance().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ details: { exchange: { code: null, message: 'key […], […]' } } });
      expect(JSON.stringify(error)).not.toContain(key);
    },
  );

  it('unified-schema.md 8 gives the balance, with what orders hold back and the names of the shards', async () => {
    fake.serve('GET /portfolio/summary/total_resting_order_value', sample('resting-order-value'));
    fake.serve('GET /exchange/status', sample('exchange-status'));
    expect(await trading.getBalance()).toMatchObject({
      available: '98.0186',
      reserved: '12.5',
      portfolio_value: '2.84',
      breakdown: [
        { key: '0', label: 'Default', reserved: '7.5' },
        { key: '2', label: 'Crypto and commodities', reserved: '0' },
      ],
    });
  });

  it.each([
    ['fails', { status: 500 }],
    ['is not allowed', { status: 403, body: { error: { code: 'forbidden' } } }],
    ['hangs', 'hang'],
  ] as const)('unified-schema.md 8 gives the balance also where what adds to it %s', async (...[, answer]) => {
    await trading.getBalance();
    fake.on('GET /portfolio/summary/total_resting_order_value', () => answer);
    fake.on('GET /exchange/status', () => answer);
    const startedAt = performance.now();
    expect(await trading.getBalance()).toMatchObject({
      available: '98.0186',
      reserved: null,
      breakdown: [
        { label: 'Shard 0', reserved: null },
        { label: 'Shard 2', reserved: null },
      ],
    });
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });
});

describe('orders', () => {
  it('contract.md 5 lists no more than the limit where the exchange ignores it, and loses none', async () => {
    const all = Array.from({ length: 7 }, (_, number) => ({ ...ORDER, order_id: `o-${number}` }));
    fake.on('GET /portfolio/orders', ({ query }) => ({
      body:
        query.get('cursor') === null ? { orders: all.slice(0, 5), cursor: 'p2' } : { orders: all.slice(5), cursor: '' },
    }));
    const ids: string[][] = [];
    let cursor: string | null = null;
    do {
      const page: Page<OrderDto> = await trading.listOrders({ status: 'open' }, { limit: 2, cursor });
      ids.push(page.items.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== null);
    expect(ids).toEqual([['o-0', 'o-1'], ['o-2', 'o-3'], ['o-4'], ['o-5', 'o-6']]);
  });

  it('unified-schema.md 7 lists open orders by market', async () => {
    fake.serve('GET /portfolio/orders', { orders: [ORDER], cursor: 'more' });
    const page = await trading.listOrders({ status: 'open', market_id: TICKER }, PAGE);
    expect(page).toMatchObject({ items: [{ status: 'partially_filled' }], next: '0:more' });
    expect(fake.callsForOrders()).toEqual([
      `GET /portfolio/orders?status=resting&ticker=${TICKER}&subaccount=0&limit=50`,
    ]);
  });

  it('unified-schema.md 7 lists closed orders: cancelled and filled, then archived ones', async () => {
    const orders = [ORDER, sameOrder({ status: 'canceled' }), sameOrder({ status: 'executed' })];
    fake.serve('GET /portfolio/orders', { orders, cursor: '' });
    fake.serve('GET /historical/orders', { orders: [sameOrder({ status: 'executed', order_id: 'old' })], cursor: '' });
    const page = await trading.listOrders({ status: 'closed' }, PAGE);
    expect(page.items.map(({ id, status }) => [id, status])).toEqual([
      ['o-1', 'cancelled'],
      ['o-1', 'filled'],
      ['old', 'filled'],
    ]);
    expect(page.next).toBeNull();
    expect(fake.callsForOrders()).toEqual([
      'GET /portfolio/orders?subaccount=0&limit=50',
      'GET /historical/orders?subaccount=0&limit=48',
    ]);
  });

  it.each([429, 500, 503])('kalshi.md 8 an archive that answers %d is an error, not a shorter list', async (status) => {
    fake.serve('GET /portfolio/orders', { orders: [sameOrder({ status: 'executed' })], cursor: '' });
    fake.serve('GET /portfolio/fills', sample('fills'));
    for (const path of ['orders', 'fills']) fake.serve(`GET /historical/${path}`, {}, status);
    const code = { 429: 'exchange_rate_limited', 500: 'exchange_error', 503: 'exchange_unavailable' }[status];
    await expect(trading.listOrders({ status: 'closed' }, PAGE)).rejects.toMatchObject({ code });
    await expect(trading.listFills({}, PAGE)).rejects.toMatchObject({ code });
    await expect(trading.getOrder('old')).rejects.toMatchObject({ code });
  });
});

describe('fills and positions', () => {
  it('unified-schema.md 8 lists fills by market, order and time, then archived ones', async () => {
    const [fill] = (sample('fills') as { fills: { order_id: string }[] }).fills;
    fake.serve('GET /portfolio/fills', { fills: [], cursor: '' });
    fake.serve('GET /historical/fills', { ...sample('fills'), cursor: 'h2' });
    const filters = { market_id: TICKER, order_id: fill?.order_id, end: new Date('2026-11-20T15:00:00.714Z') };
    const page = await trading.listFills(filters, PAGE);
    const before = { ...filters, end: new Date('2026-11-20T15:00:00.713Z') };
    expect((await trading.listFills(before, PAGE)).items).toEqual([]);
    fake.server.arrived.splice(-2);
    expect(page.items).toMatchObject([{ order_id: fill?.order_id, role: 'taker' }]);
    expect(fake.calls()).toEqual([
      `GET /portfolio/fills?ticker=${TICKER}&order_id=${String(fill?.order_id)}&max_ts=1795186801&subaccount=0&limit=50`,
      `GET /historical/fills?ticker=${TICKER}&max_ts=1795186801&subaccount=0&limit=50`,
    ]);
    fake.serve('GET /historical/fills', { fills: [], cursor: '' });
    expect(await trading.listFills(filters, { limit: 50, cursor: page.next })).toEqual({ items: [], next: null });
  });

  it('kalshi.md 8 fills that are all newer than the archive are not looked for there', async () => {
    fake.serve('GET /historical/cutoff', { trades_created_ts: '2026-08-20T00:00:00Z' });
    fake.serve('GET /portfolio/fills', sample('fills'));
    const page = await trading.listFills({ start: new Date('2026-11-20T15:00:00.000Z') }, PAGE);
    expect(page.items).toHaveLength(1);
    expect(fake.calls()).toEqual([
      'GET /portfolio/fills?min_ts=1795186800&subaccount=0&limit=50',
      'GET /historical/cutoff',
    ]);
  });

  const ofTicker = (ticker: string, gain: string, fees: string): object => ({
    ...(sample('positions') as { market_positions: object[] }).market_positions[0],
    ticker,
    realized_pnl_dollars: gain,
    fees_paid_dollars: fees,
  });

  it('contract.md 5.17 sums gains of the live list, then of the archive, each market once', async () => {
    fake.serve('GET /portfolio/positions', {
      market_positions: [ofTicker('KXA-1', '1.50', '0.10'), ofTicker('KXB-1', '2.25', '0.20')],
      cursor: '',
    });
    fake.serve('GET /historical/positions', {
      market_positions: [ofTicker('KXB-1', '2.25', '0.20'), ofTicker('KXC-1', '-1.00', '0.30')],
      cursor: '',
    });
    expect(await trading.readGains()).toEqual({ realized_pnl: '2.75', fees: '0.6' });
    expect(fake.calls()).toEqual([
      'GET /portfolio/positions?settlement_status=all&subaccount=0&limit=200',
      'GET /historical/positions?subaccount=0&limit=200',
    ]);
  });

  it('contract.md 5.17 has no gains in an archive that says not found, but by a gateway that is an error', async () => {
    fake.serve('GET /portfolio/positions', { market_positions: [ofTicker('KXA-1', '1.50', '0.10')], cursor: '' });
    fake.serve('GET /historical/positions', NOT_FOUND, 404);
    expect(await trading.readGains()).toEqual({ realized_pnl: '1.5', fees: '0.1' });
    fake.serve('GET /historical/positions', {}, 404);
    await expect(trading.readGains()).rejects.toMatchObject({ status: 404 });
  });

  it('unified-schema.md 8 lists positions that are not empty', async () => {
    const { market_positions } = sample('positions') as { market_positions: object[] };
    const positions = [...market_positions, { ...market_positions[0], position_fp: '0.00' }];
    fake.serve('GET /portfolio/positions', { market_positions: positions, event_positions: [], cursor: 'more' });
    const page = await trading.listPositions({}, PAGE);
    expect(page.items.map(({ outcome, size }) => [outcome.index, size])).toEqual([
      [0, '5'],
      [1, '2.5'],
    ]);
    expect(page.next).toBe('more');
    expect(fake.calls()).toEqual(['GET /portfolio/positions?count_filter=position&subaccount=0&limit=50']);
  });
});

describe('a key that was stored before the rules of S-54', () => {
  const known = createPrivateKey(VECTORS.test_rsa_key.private_key_pkcs1_pem).export({ format: 'jwk' });
  const even = createPrivateKey({ key: { ...known, n: `${(known.n ?? '').slice(0, -2)}AA` }, format: 'jwk' });
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;

  it.each([
    ['has the wrong size', short],
    ['cannot sign at all', even],
  ])('is credentials_rejected where it %s, and nothing is sent with it', async (_, key) => {
    const mine = fake.exchange.trading({
      access_key: new Secret(VECTORS.api_key_id_TEST),
      private_key: new Secret(key.export({ type: 'pkcs1', format: 'pem' }).toString()),
    });
    await expect(mine.getBalance()).rejects.toMatchObject({ code: 'credentials_rejected' });
    const order = mine.prepareOrder(fake.orderRequest(), naming()).then((prepared) => prepared.place());
    await expect(order).rejects.toMatchObject({ code: 'credentials_rejected' });
    expect(fake.calls()).toEqual([]);
  });
});
