import { constants, createPrivateKey, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Trading } from '../../src/exchanges/exchange.js';
import { LongReads } from '../../src/exchanges/long-reads.js';
import { KalshiExchange } from '../../src/exchanges/kalshi/kalshi.exchange.js';
import type { KalshiOrderRequestDto } from '../../src/exchanges/kalshi/trading/order.dto.js';
import { OrderSearch } from '../../src/exchanges/order-search.js';
import { AppError } from '../../src/platform/errors/app-error.js';
import { Settings } from '../../src/platform/config/settings.js';
import { Secret } from '../../src/platform/secrets/secret.js';
import { UpstreamClients } from '../../src/platform/upstream/upstream-clients.js';
import { type ArrivedRequest, ScriptedServer } from '../support/scripted-server.js';

const read = (path: string): unknown => JSON.parse(readFileSync(`test/vectors/${path}`, 'utf8'));
const sample = (name: string) => read(`kalshi/kalshi-${name}.json`) as Record<string, unknown>;
const { kalshi: VECTORS } = read('exchange-vectors.json') as {
  kalshi: { api_key_id_TEST: string; test_rsa_key: { private_key_pkcs1_pem: string; public_key_spki_pem: string } };
};
const ORDER = sample('order').order as Record<string, unknown>;
const TICKER = 'KXHIGHNY-26NOV20-B55.5';
const API = '/trade-api/v2';
const CREATE = '/portfolio/events/orders';
const PAGE = { limit: 50, cursor: null };

let server: ScriptedServer;
let clients: UpstreamClients | undefined;
let dataDir: string;
let exchange: KalshiExchange;
let trading: Trading;

beforeAll(async () => {
  server = await ScriptedServer.start();
  dataDir = mkdtempSync(join(tmpdir(), 'kalshi-'));
});

afterAll(async () => {
  await clients?.onApplicationShutdown();
  await server.close();
  rmSync(dataDir, { recursive: true });
});

beforeEach(async () => {
  server.reset();
  await clients?.onApplicationShutdown();
  const environment = { DATA_DIR: dataDir, KALSHI_API_URL: `${server.origin}${API}` };
  const settings = Settings.read(environment, KalshiExchange.settings);
  clients = new UpstreamClients(settings);
  exchange = new KalshiExchange(settings, clients, new LongReads(settings));
  trading = exchange.trading({
    access_key: new Secret(VECTORS.api_key_id_TEST),
    private_key: new Secret(VECTORS.test_rsa_key.private_key_pkcs1_pem),
  });
  serve('GET', '/exchange/status', { exchange_active: true, trading_active: true });
});

const serve = (method: string, path: string, body: unknown, status = 200) => {
  server.on(`${method} ${API}${path}`, () => ({ status, body }));
};

/** What arrived beside the reading of the clock, as `GET /path?query`. */
const calls = () =>
  server.targets.filter((target) => !target.endsWith('/exchange/status')).map((target) => target.replace(API, ''));
const sent = (method: string) => server.arrived.filter((request) => request.method === method);

const request = (change: object = {}): KalshiOrderRequestDto =>
  Object.assign(new exchange.OrderRequest(), {
    market_id: TICKER,
    outcome: 'yes',
    side: 'buy',
    price: '0.42',
    size: '10',
    ...change,
  });
const CREATED = {
  order_id: 'o-1',
  client_order_id: 'c-1',
  fill_count: '0.00',
  remaining_count: '10.00',
  ts_ms: 1795186800164,
};
const DUPLICATE = { error: { code: 'order_already_exists', message: 'order already exists' } };

/** How the order of `request()` is read. */
const same = (change: object = {}) => ({
  ...ORDER,
  order_id: 'o-1',
  client_order_id: 'c-1',
  ticker: TICKER,
  outcome_side: 'yes',
  book_side: 'bid',
  yes_price_dollars: '0.4200',
  no_price_dollars: '0.5800',
  expiration_time: null,
  ...change,
});

const verifies = ({ method, path, headers }: ArrivedRequest): boolean =>
  verify(
    'sha256',
    Buffer.from(`${String(headers['kalshi-access-timestamp'])}${method}${path}`),
    {
      key: createPublicKey(VECTORS.test_rsa_key.public_key_spki_pem),
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: 32,
    },
    Buffer.from(String(headers['kalshi-access-signature']), 'base64'),
  );

describe('signing', () => {
  beforeEach(() => {
    serve('GET', '/portfolio/balance', sample('balance'));
  });

  it('kalshi.md 2 signs the path with its prefix and without its query, S-49 beside fixed headers alone', async () => {
    serve('GET', '/portfolio/positions', sample('positions'));
    await trading.listPositions({ market_id: TICKER }, PAGE);
    const [, signed] = server.arrived;
    expect(signed?.headers).toMatchObject({ 'kalshi-access-key': VECTORS.api_key_id_TEST });
    expect(signed && verifies(signed)).toBe(true);
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

  it('DESIGN 5 reads the clock of the exchange once before the first signed call, unsigned', async () => {
    await trading.getBalance();
    await trading.verify();
    expect(server.targets).toEqual([
      `GET ${API}/exchange/status`,
      `GET ${API}/portfolio/balance`,
      `GET ${API}/portfolio/balance`,
    ]);
    expect(server.arrived[0]?.headers).not.toHaveProperty('kalshi-access-key');
  });

  it.each([3_600_000, -3_600_000])('R-17 signs with the time of the exchange on a host %d ms off', async (skewMs) => {
    server.skewMs = skewMs;
    await trading.getBalance();
    const signedAt = Number(server.arrived[1]?.headers['kalshi-access-timestamp']);
    expect(Math.abs(signedAt - (Date.now() + skewMs))).toBeLessThan(5_000);
  });

  it('S-51 refused credentials are credentials_rejected', async () => {
    serve('GET', '/portfolio/balance', { error: { code: 'authentication_error', details: 'NOT_FOUND' } }, 401);
    await expect(trading.verify()).rejects.toMatchObject({ code: 'credentials_rejected', status: 409 });
  });

  it.each([VECTORS.api_key_id_TEST, 'my access key', 'short'])(
    'S-45 no credential comes back in an error: %s',
    async (key) => {
      const privateKey = VECTORS.test_rsa_key.private_key_pkcs1_pem;
      const own = exchange.trading({ access_key: new Secret(key), private_key: new Secret(privateKey) });
      serve('GET', '/portfolio/balance', { error: { code: key, message: `key ${key}, ${privateKey}` } }, 403);
      const error = await own.getBalance().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ details: { exchange: { code: null, message: 'key […], […]' } } });
      expect(JSON.stringify(error)).not.toContain(key);
    },
  );

  it('unified.md 8 gives the balance', async () => {
    expect(await trading.getBalance()).toMatchObject({ available: '98.0186', portfolio_value: '2.84' });
  });
});

describe('placing an order', () => {
  const place = async (change: object = {}) => (await trading.prepareOrder(request(change), 'c-1')).place();

  it('DESIGN 5 preparing sends nothing but, once, the reading of the clock', async () => {
    const prepared = await trading.prepareOrder(request(), 'c-1');
    expect(prepared.reference.details).toEqual({ client_order_id: 'c-1' });
    expect(server.targets).toEqual([`GET ${API}/exchange/status`]);
  });

  it('kalshi.md 5 sends it once, signed, field for field, and answers the unified Order', async () => {
    serve('POST', CREATE, CREATED, 201);
    expect(await place({ outcome: 'no', post_only: true })).toMatchObject({
      id: 'o-1',
      client_order_id: 'c-1',
      outcome: { index: 1 },
      side: 'buy',
      price: '0.42',
      status: 'open',
    });
    const [post] = sent('POST');
    expect(JSON.parse(post?.body ?? '')).toEqual({
      ticker: TICKER,
      client_order_id: 'c-1',
      side: 'ask',
      count: '10.00',
      price: '0.5800',
      time_in_force: 'good_till_canceled',
      self_trade_prevention_type: 'taker_at_cross',
      post_only: true,
    });
    expect(post?.headers['content-type']).toBe('application/json');
    expect(post && verifies(post)).toBe(true);
    expect(calls()).toEqual([`POST ${CREATE}`]);
  });

  it.each([
    ['a reset', 'hangUp', 'order_outcome_unknown'],
    ['a 500', { status: 500 }, 'order_outcome_unknown'],
    ['a 503 of a gateway', { status: 503, body: { message: 'x' } }, 'order_outcome_unknown'],
    [
      'a 503 of the exchange',
      { status: 503, body: { error: { code: 'service_unavailable' } } },
      'exchange_unavailable',
    ],
    ['a 201 without an order', { status: 201, body: {} }, 'order_outcome_unknown'],
    ['a 400', { status: 400, body: { error: { code: 'insufficient_balance' } } }, 'exchange_rejected'],
    ['a 429', { status: 429, body: { error: 'too many requests' } }, 'exchange_rate_limited'],
  ] as const)('R-12, R-13 %s is told as it is, and nothing is sent again', async (...[, answer, code]) => {
    server.on(`POST ${API}${CREATE}`, () => answer);
    const error = await place().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
    expect(sent('POST')).toHaveLength(1);
    expect(error).toMatchObject(code === 'order_outcome_unknown' ? { details: { client_order_id: 'c-1' } } : {});
  });

  it('DESIGN 5 a failing clock is an ordinary error, and nothing is sent', async () => {
    server.on(`GET ${API}/exchange/status`, () => 'hangUp');
    await expect(place()).rejects.toMatchObject({ code: 'exchange_error' });
    expect(sent('POST')).toHaveLength(0);
  });

  it('kalshi.md 6 a duplicate is told as one, and nothing is sent again', async () => {
    serve('POST', CREATE, DUPLICATE, 409);
    await expect(place()).rejects.toMatchObject({ code: 'exchange_rejected', details: { reason: 'duplicate_order' } });
    expect(calls()).toEqual([`POST ${CREATE}`]);
  });

  it.each([
    ['a 408', 408, { error: { code: 'request_timeout', message: 'request timed out' } }],
    ['a 499', 499, { error: { code: 'client_closed', message: 'closed' } }],
    ['a 409 of a gateway', 409, '<html>Conflict</html>'],
    ['a 400 of a gateway', 400, { message: 'Bad Request' }],
    ['a 403 of a gateway', 403, '<html>Forbidden</html>'],
    ['a 404 of a gateway', 404, undefined],
    ['a 429 of a gateway', 429, '<html>slow down</html>'],
  ])('R-13 %s proves no refusal', async (_, status, body) => {
    serve('POST', CREATE, body, status);
    await expect(place()).rejects.toMatchObject({
      code: 'order_outcome_unknown',
      details: { client_order_id: 'c-1', exchange: { status } },
    });
  });

  it.each([
    [404, 'insufficient_shard_balance', 'insufficient_funds'],
    [404, 'user_not_found', 'insufficient_funds'],
    [400, 'available_balance_too_low', 'insufficient_funds'],
    [
      403,
      'Your_location_attestation_for_API_trading_is_missing_or_expired._Please_verify_your_location_in_the_Kalshi_app_or_website,_and_then_retry.',
      'attestation_expired',
    ],
  ])('kalshi-2026.md 2 a %d %s is exchange_rejected with reason %s', async (status, code, reason) => {
    serve('POST', CREATE, { error: { code, message: 'no' } }, status);
    await expect(place()).rejects.toMatchObject({ code: 'exchange_rejected', details: { reason } });
  });
});

describe('finding an order', () => {
  const find = async (change: object = {}, search = new OrderSearch()) =>
    (await trading.prepareOrder(request(change), 'c-1')).find(search);

  it.each([
    ['at another price', {}, { yes_price_dollars: '0.4300' }],
    ['that rests, asked for ioc', { time_in_force: 'ioc' }, {}],
    ['that expires, asked for gtc', {}, { expiration_time: '2026-11-21T15:00:00Z' }],
  ])('unified.md 11 an order of the same id (%s) is another', async (_, asked, found) => {
    serve('GET', '/portfolio/orders', { orders: [same(found)], cursor: '' });
    expect(await find(asked)).toMatchObject({ isAsAsked: false, order: { id: 'o-1' } });
  });

  it('unified.md 11 one on another market is another, where it is not known when this one was sent', async () => {
    server.on(`GET ${API}/portfolio/orders`, ({ query }) => ({
      body: { orders: query.ticker === TICKER ? [] : [same({ ticker: 'OTHER' })], cursor: '' },
    }));
    serve('GET', '/historical/orders', { orders: [], cursor: '' });
    expect(await find()).toMatchObject({ isAsAsked: false, order: { market_id: 'OTHER' } });
    expect(await find({}, new OrderSearch(1_000))).toBeNull();
  });

  it('R-25 looks only at its market since the first sending, and not in the archive', async () => {
    serve('GET', '/portfolio/orders', { orders: [], cursor: '' });
    const since = Math.floor((Date.now() - 60_000 - 300_000) / 1_000);
    expect(await find({}, new OrderSearch(60_000))).toBeNull();
    expect(calls()).toEqual([expect.stringMatching(/^GET \/portfolio\/orders\?/)]);
    const query = new URLSearchParams(calls()[0]?.split('?')[1]);
    expect(query.get('ticker')).toBe(TICKER);
    expect(Math.abs(Number(query.get('min_ts')) - since)).toBeLessThanOrEqual(2);
  });

  it('R-25 gives up after 30 calls, announces each, and stops where that throws', async () => {
    let page = 0;
    server.on(`GET ${API}/portfolio/orders`, () => ({ body: { orders: [ORDER], cursor: `p${(page += 1)}` } }));
    let announced = 0;
    const endless = new OrderSearch(1_000, () => Promise.resolve(void (announced += 1)));
    await expect(find({}, endless)).rejects.toMatchObject({
      code: 'exchange_unavailable',
      details: { reason: 'search_incomplete' },
    });
    expect([announced, page]).toEqual([30, 30]);
    const stopped = new OrderSearch(1_000, () => Promise.reject(new AppError('idempotency_in_progress', 'taken over')));
    await expect(find({}, stopped)).rejects.toMatchObject({ code: 'idempotency_in_progress' });
    expect(page).toBe(30);
  });

  it('R-14 finds it by its client order id on any page', async () => {
    server.on(`GET ${API}/portfolio/orders`, ({ query }) => ({
      body: query.cursor === 'p2' ? { orders: [same()], cursor: '' } : { orders: [ORDER], cursor: 'p2' },
    }));
    expect(await find()).toMatchObject({
      isAsAsked: true,
      order: { id: 'o-1', side: 'buy', outcome: { index: 0 }, price: '0.42' },
    });
    expect(calls()).toEqual([
      `GET /portfolio/orders?ticker=${TICKER}&limit=1000`,
      `GET /portfolio/orders?ticker=${TICKER}&limit=1000&cursor=p2`,
    ]);
  });

  it('kalshi.md 7 finds it in the archive', async () => {
    serve('GET', '/portfolio/orders', { orders: [], cursor: '' });
    serve('GET', '/historical/orders', { orders: [same({ status: 'executed' })], cursor: '' });
    expect(await find()).toMatchObject({ isAsAsked: true, order: { id: 'o-1', status: 'filled' } });
  });

  it('DESIGN 5 says null only after all pages; what fails is an error', async () => {
    serve('GET', '/historical/orders', { orders: [], cursor: '' });
    serve('GET', '/portfolio/orders', { orders: [], cursor: '' });
    expect(await find()).toBeNull();
    serve('GET', '/historical/orders', { orders: [], cursor: '' }, 500);
    await expect(find()).rejects.toMatchObject({ code: 'exchange_error' });
    serve('GET', '/portfolio/orders', {}, 404);
    await expect(find()).rejects.toMatchObject({ code: 'exchange_error' });
  });

  it('DESIGN 5 a page that repeats itself is 502, not an endless loop, under whatever cursors', async () => {
    serve('GET', '/portfolio/orders', { orders: [], cursor: 'again' });
    await expect(find()).rejects.toMatchObject({ code: 'exchange_error', status: 502 });
    let pages = 0;
    server.on(`GET ${API}/portfolio/orders`, () => ({ body: { orders: [ORDER], cursor: `p${(pages += 1)}` } }));
    await expect(trading.cancelAllOrders()).rejects.toMatchObject({ code: 'exchange_error', status: 502 });
    expect(sent('DELETE')).toEqual([]);
  });
});

describe('orders', () => {
  it('unified.md 7 lists open orders by market', async () => {
    serve('GET', '/portfolio/orders', { orders: [ORDER], cursor: 'more' });
    const page = await trading.listOrders({ status: 'open', market_id: TICKER }, PAGE);
    expect(page).toMatchObject({ items: [{ status: 'partially_filled' }], next: 'more' });
    expect(calls()).toEqual([`GET /portfolio/orders?status=resting&ticker=${TICKER}&limit=50`]);
  });

  it('unified.md 7 lists closed orders: cancelled and filled, then archived ones', async () => {
    const orders = [ORDER, same({ status: 'canceled' }), same({ status: 'executed' })];
    serve('GET', '/portfolio/orders', { orders, cursor: '' });
    serve('GET', '/historical/orders', { orders: [same({ status: 'executed', order_id: 'old' })], cursor: '' });
    const page = await trading.listOrders({ status: 'closed' }, PAGE);
    expect(page.items.map(({ id, status }) => [id, status])).toEqual([
      ['o-1', 'cancelled'],
      ['o-1', 'filled'],
      ['old', 'filled'],
    ]);
    expect(page.next).toBeNull();
    expect(calls()).toEqual(['GET /portfolio/orders?limit=50', 'GET /historical/orders?limit=48']);
  });

  it.each([429, 500, 503])('kalshi.md 7 an archive that answers %d is an error, not a shorter list', async (status) => {
    serve('GET', '/portfolio/orders', { orders: [same({ status: 'executed' })], cursor: '' });
    serve('GET', '/portfolio/fills', sample('fills'));
    for (const path of ['orders', 'fills']) serve('GET', `/historical/${path}`, {}, status);
    const code = { 429: 'exchange_rate_limited', 500: 'exchange_error', 503: 'exchange_unavailable' }[status];
    await expect(trading.listOrders({ status: 'closed' }, PAGE)).rejects.toMatchObject({ code });
    await expect(trading.listFills({}, PAGE)).rejects.toMatchObject({ code });
    await expect(trading.getOrder('old')).rejects.toMatchObject({ code });
  });

  it('unified.md 7 reads one order, also an archived one', async () => {
    serve('GET', '/portfolio/orders/o-1', { order: same() });
    expect(await trading.getOrder('o-1')).toMatchObject({ id: 'o-1' });
    serve('GET', '/historical/orders', { orders: [same({ order_id: 'old', status: 'canceled' })], cursor: '' });
    expect(await trading.getOrder('old')).toMatchObject({ id: 'old', status: 'cancelled' });
    await expect(trading.getOrder('none')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('cancelling', () => {
  const CANCELLED = sample('cancel-order.response');

  it('kalshi.md 5 names the market, so that the order is found on its shard', async () => {
    serve('GET', '/portfolio/orders/o-1', { order: same() });
    serve('DELETE', `${CREATE}/o-1`, CANCELLED);
    expect(await trading.cancelOrder('o-1')).toEqual({
      exchange: 'kalshi',
      id: '97ec18b7-10d3-4557-9de0-8598aad625f0',
      status: 'cancelled',
      cancelled_size: '10',
      timestamp: '2026-11-20T15:00:09.112Z',
    });
    expect(calls()).toEqual(['GET /portfolio/orders/o-1', `DELETE ${CREATE}/o-1?market_ticker=${TICKER}`]);
    expect(sent('DELETE').every(verifies)).toBe(true);
  });

  it.each([
    ['is not there yet', { status: 404 }],
    ['fails', { status: 500 }],
    ['is paused', { status: 429 }],
    ['breaks off', 'hangUp'],
    ['is unreadable', { body: {} }],
    ['hangs', 'hang'],
  ] as const)('cancels also where the reading of the order %s, soon', async (...[, answer]) => {
    const times = { read: 0, cancelled: 0 };
    server.on(`GET ${API}/portfolio/orders/o-1`, () => {
      times.read = performance.now();
      return answer;
    });
    server.on(`DELETE ${API}${CREATE}/o-1`, () => {
      times.cancelled = performance.now();
      return { body: CANCELLED };
    });
    expect(await trading.cancelOrder('o-1')).toMatchObject({ status: 'cancelled' });
    expect(sent('DELETE').map(({ query }) => query)).toEqual([{}]);
    // Less than any call may wait for its answer to begin.
    expect(times.cancelled - times.read).toBeLessThan(4_500);
  });

  it('a cancel that the exchange acknowledges is one, whatever else it tells', async () => {
    serve('DELETE', `${CREATE}/o-1`, { order_id: 'o-1' });
    expect(await trading.cancelOrder('o-1')).toEqual({
      exchange: 'kalshi',
      id: 'o-1',
      status: 'cancelled',
      cancelled_size: null,
      timestamp: expect.stringMatching(/Z$/),
    });
  });

  it.each([
    ['unknown to the exchange', { status: 404, body: { error: { code: 'not_found' } } }, 'not_found'],
    ['met by a reset', 'hangUp', 'exchange_error'],
    ['met by a 503', { status: 503 }, 'exchange_unavailable'],
  ] as const)('R-12 a cancel %s is sent once', async (...[, answer, code]) => {
    serve('GET', '/portfolio/orders/o-1', { order: same() });
    server.on(`DELETE ${API}${CREATE}/o-1`, () => answer);
    await expect(trading.cancelOrder('o-1')).rejects.toMatchObject({ code });
    expect(sent('DELETE')).toHaveLength(1);
  });

  const resting = (count: number) => Array.from({ length: count }, (_, i) => same({ order_id: `o-${i}` }));
  const batchOf = ({ body }: ArrivedRequest) => (JSON.parse(body) as { orders: { order_id: string }[] }).orders;

  it('unified.md 7 cancels all open orders in batches of twenty, never by cancel-all', async () => {
    serve('GET', '/portfolio/orders', { orders: resting(45), cursor: '' });
    server.on(`DELETE ${API}${CREATE}/batched`, (batch) => ({
      body: {
        orders: batchOf(batch).map(({ order_id }) =>
          order_id === 'o-7'
            ? { order_id, reduced_by: '0.00', error: { code: 'not_found' } }
            : { order_id, reduced_by: '1.00' },
        ),
      },
    }));
    const report = await trading.cancelAllOrders();
    expect(report.cancelled).toHaveLength(44);
    expect(report.not_cancelled).toEqual([{ id: 'o-7', reason: 'not_found' }]);
    expect(sent('DELETE').map((batch) => batchOf(batch).length)).toEqual([20, 20, 5]);
    expect(sent('DELETE').map((batch) => batchOf(batch)[0])[0]).toEqual({ order_id: 'o-0', market_ticker: TICKER });
    expect(calls()[0]).toBe('GET /portfolio/orders?status=resting&limit=1000');
  });

  it('what of an order no cancel needs stands in the way of none, and each is cancelled once', async () => {
    const order = { order_id: 'o-1', ticker: TICKER, status: 'resting', yes_price_dollars: null };
    server.on(`GET ${API}/portfolio/orders`, ({ query }) => ({
      body: { orders: [order], cursor: query.cursor === 'p2' ? '' : 'p2' },
    }));
    serve('GET', '/portfolio/orders/o-1', { order });
    serve('DELETE', `${CREATE}/batched`, { orders: [{ order_id: 'o-1' }] });
    serve('DELETE', `${CREATE}/o-1`, CANCELLED);
    expect(await trading.cancelAllOrders()).toEqual({ cancelled: ['o-1'], not_cancelled: [] });
    await trading.cancelOrder('o-1');
    expect(sent('DELETE').map(({ body, query }) => body || query)).toEqual([
      JSON.stringify({ orders: [{ order_id: 'o-1', market_ticker: TICKER }] }),
      { market_ticker: TICKER },
    ]);
  });

  it('tells what was cancelled before a batch failed, and fails where it was the first', async () => {
    serve('GET', '/portfolio/orders', { orders: resting(21), cursor: '' });
    server.on(`DELETE ${API}${CREATE}/batched`, (batch) => {
      const orders = batchOf(batch);
      return orders.length === 1 ? { status: 429 } : { body: { orders } };
    });
    const report = await trading.cancelAllOrders();
    expect(report.cancelled).toHaveLength(20);
    expect(report.not_cancelled).toEqual([{ id: 'o-20', reason: 'exchange_rate_limited' }]);
    serve('GET', '/portfolio/orders', { orders: resting(1), cursor: '' });
    await expect(trading.cancelAllOrders()).rejects.toMatchObject({ code: 'exchange_rate_limited' });
  });

  it.each([
    [null, undefined],
    [{ code: 'not_found' }, 'not_found'],
    [{ message: 'x' }, 'unknown'],
    ['too late', 'unknown'],
  ])('an order that a batch answers with the error %j is cancelled only without one', async (error, reason) => {
    serve('GET', '/portfolio/orders', { orders: resting(1), cursor: '' });
    serve('DELETE', `${CREATE}/batched`, { orders: [{ order_id: 'o-0', error }] });
    expect((await trading.cancelAllOrders()).not_cancelled).toEqual(reason ? [{ id: 'o-0', reason }] : []);
  });

  it('an order that a batch does not mention counts as not cancelled', async () => {
    serve('GET', '/portfolio/orders', { orders: resting(1), cursor: '' });
    serve('DELETE', `${CREATE}/batched`, { orders: [] });
    expect(await trading.cancelAllOrders()).toEqual({
      cancelled: [],
      not_cancelled: [{ id: 'o-0', reason: 'unknown' }],
    });
  });

  it('without open orders cancels nothing', async () => {
    serve('GET', '/portfolio/orders', { orders: null, cursor: '' });
    expect(await trading.cancelAllOrders()).toEqual({ cancelled: [], not_cancelled: [] });
    expect(sent('DELETE')).toHaveLength(0);
  });
});

describe('fills and positions', () => {
  it('unified.md 8 lists fills by market, order and time, then archived ones', async () => {
    const [fill] = (sample('fills') as { fills: { order_id: string }[] }).fills;
    serve('GET', '/portfolio/fills', { fills: [], cursor: '' });
    serve('GET', '/historical/fills', { ...sample('fills'), cursor: 'h2' });
    const filters = { market_id: TICKER, order_id: fill?.order_id, end: new Date('2026-11-20T15:00:00.714Z') };
    const page = await trading.listFills(filters, PAGE);
    const before = { ...filters, end: new Date('2026-11-20T15:00:00.713Z') };
    expect((await trading.listFills(before, PAGE)).items).toEqual([]);
    server.arrived.splice(-2);
    expect(page.items).toMatchObject([{ order_id: fill?.order_id, role: 'taker' }]);
    expect(calls()).toEqual([
      `GET /portfolio/fills?ticker=${TICKER}&order_id=${String(fill?.order_id)}&max_ts=1795186801&limit=50`,
      `GET /historical/fills?ticker=${TICKER}&max_ts=1795186801&limit=50`,
    ]);
    serve('GET', '/historical/fills', { fills: [], cursor: '' });
    expect(await trading.listFills(filters, { limit: 50, cursor: page.next })).toEqual({ items: [], next: null });
  });

  it('kalshi.md 7 fills that are all newer than the archive are not looked for there', async () => {
    serve('GET', '/historical/cutoff', { trades_created_ts: '2026-08-20T00:00:00Z' });
    serve('GET', '/portfolio/fills', sample('fills'));
    const page = await trading.listFills({ start: new Date('2026-11-20T15:00:00.000Z') }, PAGE);
    expect(page.items).toHaveLength(1);
    expect(calls()).toEqual(['GET /portfolio/fills?min_ts=1795186800&limit=50', 'GET /historical/cutoff']);
  });

  it('unified.md 8 lists positions that are not empty', async () => {
    const { market_positions } = sample('positions') as { market_positions: object[] };
    const positions = [...market_positions, { ...market_positions[0], position_fp: '0.00' }];
    serve('GET', '/portfolio/positions', { market_positions: positions, event_positions: [], cursor: 'more' });
    const page = await trading.listPositions({}, PAGE);
    expect(page.items.map(({ outcome, size }) => [outcome.index, size])).toEqual([
      [0, '5'],
      [1, '2.5'],
    ]);
    expect(page.next).toBe('more');
    expect(calls()).toEqual(['GET /portfolio/positions?count_filter=position&limit=50']);
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
    const mine = exchange.trading({
      access_key: new Secret(VECTORS.api_key_id_TEST),
      private_key: new Secret(key.export({ type: 'pkcs1', format: 'pem' }).toString()),
    });
    await expect(mine.getBalance()).rejects.toMatchObject({ code: 'credentials_rejected' });
    const order = mine.prepareOrder(request(), 'c-1').then((prepared) => prepared.place());
    await expect(order).rejects.toMatchObject({ code: 'credentials_rejected' });
    expect(calls()).toEqual([]);
  });
});
