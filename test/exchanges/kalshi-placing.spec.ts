import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Trading } from '../../src/exchanges/trading.contract.js';
import { OrderSearch } from '../../src/exchanges/order-search.js';
import { AppError } from '../../src/platform/errors/app-error.js';
import { API, CREATE, FakeKalshi, isSigned, ORDER, sameOrder, sample, TICKER } from '../support/fake-kalshi.js';
import { naming } from '../support/naming.js';

let fake: FakeKalshi;
let trading: Trading;

beforeEach(async () => {
  fake = await FakeKalshi.start();
  trading = fake.trading();
});

afterEach(() => fake.close());

const CREATED = {
  order_id: 'o-1',
  client_order_id: 'c-1',
  fill_count: '0.00',
  remaining_count: '10.00',
  ts_ms: 1795186800164,
};
const DUPLICATE = { error: { code: 'order_already_exists', message: 'order already exists' } };

describe('placing an order', () => {
  const place = async (change: object = {}) =>
    (await trading.prepareOrder(fake.orderRequest(change), naming())).place();

  it('contract.md 5 preparing sends nothing but, once, the reading of the clock', async () => {
    const prepared = await trading.prepareOrder(fake.orderRequest(), naming());
    expect(prepared.reference.details).toEqual({ client_order_id: 'c-1' });
    expect(fake.server.targets).toEqual([`GET ${API}/exchange/status`]);
  });

  it('kalshi.md 5.1 sends it once, signed, field for field, and answers the unified Order', async () => {
    fake.serve(`POST ${CREATE}`, CREATED, 201);
    expect(await place({ outcome: 'no', post_only: true })).toMatchObject({
      id: 'o-1',
      client_order_id: 'c-1',
      outcome: { index: 1 },
      side: 'buy',
      price: '0.42',
      status: 'open',
    });
    const [post] = fake.sent('POST');
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
    expect(post && isSigned(post)).toBe(true);
    expect(fake.calls()).toEqual([`POST ${CREATE}`]);
  });

  it.each([
    ['a reset', 'hangUp', 'order_outcome_unknown'],
    ['a 500', { status: 500 }, 'order_outcome_unknown'],
    ['a 503 of a gateway', { status: 503, body: { message: 'x' } }, 'order_outcome_unknown'],
    [
      'a 503 of the exchange',
      { status: 503, body: { error: { code: 'service_unavailable' } } },
      'order_outcome_unknown',
    ],
    ['a 201 without an order', { status: 201, body: {} }, 'order_outcome_unknown'],
    [
      'a 201 about another order',
      { status: 201, body: { ...CREATED, client_order_id: 'c-0' } },
      'order_outcome_unknown',
    ],
    ['a 201 that fills too much', { status: 201, body: { ...CREATED, fill_count: '0.01' } }, 'order_outcome_unknown'],
    [
      'a 201 that fills less than none',
      { status: 201, body: { ...CREATED, fill_count: '-1' } },
      'order_outcome_unknown',
    ],
    [
      'a 201 that leaves less than none',
      { status: 201, body: { ...CREATED, fill_count: '5', remaining_count: '-5' } },
      'order_outcome_unknown',
    ],
    ['a 400', { status: 400, body: { error: { code: 'insufficient_balance' } } }, 'exchange_rejected'],
    ['a 429', { status: 429, body: { error: 'too many requests' } }, 'exchange_rate_limited'],
  ] as const)('R-12, R-13 %s is told as it is, and nothing is sent again', async (...[, answer, code]) => {
    fake.on(`POST ${CREATE}`, () => answer);
    const error = await place().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
    expect(fake.sent('POST')).toHaveLength(1);
    expect(error).toMatchObject(code === 'order_outcome_unknown' ? { details: { client_order_id: 'c-1' } } : {});
  });

  it('contract.md 5 a failing clock is an ordinary error, and nothing is sent', async () => {
    fake.on('GET /exchange/status', () => 'hangUp');
    await expect(place()).rejects.toMatchObject({ code: 'exchange_error' });
    expect(fake.sent('POST')).toHaveLength(0);
  });

  it('kalshi.md 11 a duplicate is told as one, and nothing is sent again', async () => {
    fake.serve(`POST ${CREATE}`, DUPLICATE, 409);
    await expect(place()).rejects.toMatchObject({ code: 'exchange_rejected', details: { reason: 'duplicate_order' } });
    expect(fake.calls()).toEqual([`POST ${CREATE}`]);
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
    fake.serve(`POST ${CREATE}`, body, status);
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
  ])('kalshi.md 9.3 a %d %s is exchange_rejected with reason %s', async (status, code, reason) => {
    fake.serve(`POST ${CREATE}`, { error: { code, message: 'no' } }, status);
    await expect(place()).rejects.toMatchObject({ code: 'exchange_rejected', details: { reason } });
  });

  it.each(['ioc', 'fok'] as const)('unified-schema.md 7 refuses post_only with %s on that field', (time_in_force) => {
    const check = (change: object) => (): void => {
      fake.exchange.checkOrder(fake.orderRequest(change));
    };
    expect(check({ post_only: true, time_in_force })).toThrow('post_only goes only with gtc and gtd');
    expect(check({ post_only: true, time_in_force: 'gtc' })).not.toThrow();
    expect(check({ post_only: false, time_in_force })).not.toThrow();
  });

  it.each(['gtc', 'gtd', 'fok'] as const)(
    'contract.md 5.7 refuses reduce_only with %s on that field',
    (time_in_force) => {
      const check = (change: object) => (): void => {
        fake.exchange.checkOrder(fake.orderRequest(change));
      };
      expect(check({ reduce_only: true, time_in_force })).toThrow('reduce_only goes only with ioc');
      expect(check({ reduce_only: true, time_in_force: 'ioc' })).not.toThrow();
      expect(check({ reduce_only: false, time_in_force })).not.toThrow();
    },
  );

  it('kalshi.md 5.1 a post-only order of which nothing rests would have crossed', async () => {
    fake.serve(`POST ${CREATE}`, { ...CREATED, remaining_count: '0.00' }, 201);
    await expect(place({ post_only: true })).rejects.toMatchObject({
      code: 'exchange_rejected',
      details: { reason: 'would_cross', exchange: { id: 'kalshi', status: 201, code: null } },
    });
    expect(await place({ time_in_force: 'ioc' })).toMatchObject({ status: 'cancelled' });
  });

  it("kalshi.md 9.2 names the market's own shard once the market has been read, and none before", async () => {
    fake.serve(`POST ${CREATE}`, CREATED, 201);
    const market = { ...(sample('market').market as object), exchange_index: 2 };
    await place();
    fake.serve(`GET /markets/${TICKER}`, { market });
    await fake.exchange.marketData.getMarket(TICKER);
    await place();
    const bodies = fake.sent('POST').map(({ body }) => JSON.parse(body) as { exchange_index?: number });
    expect(bodies.map(({ exchange_index }) => exchange_index)).toEqual([undefined, 2]);
  });

  it.each([-1, 0.5, '2', null])('kalshi.md 9.2 a market that names the shard %j names none', async (exchange_index) => {
    fake.serve(`POST ${CREATE}`, CREATED, 201);
    const markets = [{ ...(sample('market').market as object), exchange_index }];
    fake.serve('GET /markets', { markets, cursor: '' });
    await fake.exchange.marketData.listMarkets({ ids: [TICKER] }, { limit: 1, cursor: null }).catch(() => undefined);
    await place();
    expect(fake.sent('POST')[0]?.body).not.toContain('exchange_index');
  });
});

describe('an order that lacks funds', () => {
  const place = async () => (await trading.prepareOrder(fake.orderRequest(), naming())).place();
  const refused = async (): Promise<AppError> => {
    const error: unknown = await place().catch((thrown: unknown) => thrown);
    if (!(error instanceof AppError)) throw error;
    expect(error).toMatchObject({ code: 'exchange_rejected', details: { reason: 'insufficient_funds' } });
    return error;
  };

  beforeEach(() => {
    fake.serve(`POST ${CREATE}`, { error: { code: 'insufficient_shard_balance', message: 'no' } }, 404);
    fake.serve('GET /portfolio/balance', sample('balance-shards'));
    fake.serve(`GET /markets/${TICKER}`, { market: { ticker: TICKER, exchange_index: 1 } });
  });

  it('contract.md 5.7 is told where the money lies and which shard the market needs', async () => {
    const error = await refused();
    expect(error.details?.shard).toEqual({
      needed: '1',
      available: [
        { shard: '0', available: '53.0186' },
        { shard: '2', available: '20' },
        { shard: '3', available: '25' },
      ],
    });
    expect(error.message).toContain('shard 1');
    expect(fake.calls()).toEqual([`POST ${CREATE}`, expect.stringMatching(/^GET/), expect.stringMatching(/^GET/)]);
    await refused();
    // Which shard it is, is known from now on; where the money is may change.
    expect(fake.calls().slice(3)).toEqual([`POST ${CREATE}`, 'GET /portfolio/balance?subaccount=0']);
  });

  it.each([
    ['the balance', 'GET /portfolio/balance', { status: 403, body: { error: { code: 'forbidden' } } }],
    ['the balance', 'GET /portfolio/balance', { body: { balance_dollars: '98.0186' } }],
    ['the market', `GET /markets/${TICKER}`, { status: 404, body: {} }],
    ['the market', `GET /markets/${TICKER}`, { body: { market: { ticker: 'OTHER', exchange_index: 1 } } }],
    ['the market', `GET /markets/${TICKER}`, { body: { market: { ticker: TICKER } } }],
  ])('contract.md 5.7 is told without it where %s does not say (%s, %j)', async (_, route, answer) => {
    fake.on(route, () => answer);
    expect((await refused()).details?.shard).toBeUndefined();
  });

  it('contract.md 5.7 waits for it one second at most', async () => {
    fake.on('GET /portfolio/balance', () => 'hang');
    const startedAt = performance.now();
    expect((await refused()).details?.shard).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(1_900);
  });
});

describe('finding an order', () => {
  const find = async (change: object = {}, search = new OrderSearch()) =>
    (await trading.prepareOrder(fake.orderRequest(change), naming())).find(search);

  it.each([
    ['at another price', {}, { yes_price_dollars: '0.4300' }],
    ['that expires, asked for gtc', {}, { expiration_time: '2026-11-21T15:00:00Z' }],
  ])('unified-schema.md 11 an order of the same id (%s) is another', async (_, asked, found) => {
    fake.serve('GET /portfolio/orders', { orders: [sameOrder(found)], cursor: '' });
    expect(await find(asked)).toMatchObject({ isAsAsked: false, isOnSide: true, order: { id: 'o-1' } });
  });

  it.each([
    ['ioc', { time_in_force: 'ioc' }, {}],
    ['fok', { time_in_force: 'fok' }, {}],
    ['fok', { time_in_force: 'fok' }, { status: 'canceled', fill_count_fp: '1.00', remaining_count_fp: '0.00' }],
  ])(
    'R-13 the order of an id (%s, %j) whose shown state cannot be its own is pending: states lag',
    async (_, asked, found) => {
      fake.serve('GET /portfolio/orders', { orders: [sameOrder(found)], cursor: '' });
      const order = { id: 'o-1', status: 'pending', status_reason: 'unknown_status' };
      expect(await find(asked)).toMatchObject({ isAsAsked: true, isOnSide: true, order });
    },
  );

  it("R-13 under an id of ours an order on the other side is no answer, and under the client's own another order", async () => {
    fake.serve('GET /portfolio/orders', { orders: [sameOrder({ outcome_side: 'no' })], cursor: '' });
    await expect(find()).rejects.toMatchObject({ code: 'exchange_error' });
    expect(await find({ client_order_id: 'c-1' })).toMatchObject({ isAsAsked: false, isOnSide: false });
  });

  it('unified-schema.md 11 one on another market is another, where it is not known when this one was sent', async () => {
    fake.on('GET /portfolio/orders', ({ query }) => ({
      body: { orders: query.get('ticker') === TICKER ? [] : [sameOrder({ ticker: 'OTHER' })], cursor: '' },
    }));
    fake.serve('GET /historical/orders', { orders: [], cursor: '' });
    const named = { client_order_id: 'c-1' };
    expect(await find(named)).toMatchObject({ isAsAsked: false, isOnSide: false, order: { market_id: 'OTHER' } });
    expect(await find(named, new OrderSearch(1_000))).toBeNull();
  });

  it('R-25 looks only at its market since the first sending, and not in the archive', async () => {
    fake.serve('GET /portfolio/orders', { orders: [], cursor: '' });
    const since = Math.floor((Date.now() - 60_000 - 300_000) / 1_000);
    expect(await find({}, new OrderSearch(60_000))).toBeNull();
    expect(fake.calls()).toEqual([expect.stringMatching(/^GET \/portfolio\/orders\?/)]);
    const query = new URLSearchParams(fake.calls()[0]?.split('?')[1]);
    expect(query.get('ticker')).toBe(TICKER);
    expect(Math.abs(Number(query.get('min_ts')) - since)).toBeLessThanOrEqual(2);
  });

  it('R-25 gives up after 30 calls, announces each, and stops where that throws', async () => {
    let page = 0;
    fake.on('GET /portfolio/orders', () => ({ body: { orders: [ORDER], cursor: `p${(page += 1)}` } }));
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
    fake.on('GET /portfolio/orders', ({ query }) => ({
      body: query.get('cursor') === 'p2' ? { orders: [sameOrder()], cursor: '' } : { orders: [ORDER], cursor: 'p2' },
    }));
    expect(await find()).toMatchObject({
      isAsAsked: true,
      order: { id: 'o-1', side: 'buy', outcome: { index: 0 }, price: '0.42' },
    });
    expect(fake.calls()).toEqual([
      `GET /portfolio/orders?ticker=${TICKER}&subaccount=0&limit=1000`,
      `GET /portfolio/orders?ticker=${TICKER}&subaccount=0&limit=1000&cursor=p2`,
    ]);
  });

  it('kalshi.md 8 finds it in the archive', async () => {
    fake.serve('GET /portfolio/orders', { orders: [], cursor: '' });
    fake.serve('GET /historical/orders', { orders: [sameOrder({ status: 'executed' })], cursor: '' });
    expect(await find()).toMatchObject({ isAsAsked: true, order: { id: 'o-1', status: 'filled' } });
  });

  it('contract.md 5 says null only after all pages; what fails is an error', async () => {
    fake.serve('GET /historical/orders', { orders: [], cursor: '' });
    fake.serve('GET /portfolio/orders', { orders: [], cursor: '' });
    expect(await find()).toBeNull();
    fake.serve('GET /historical/orders', { orders: [], cursor: '' }, 500);
    await expect(find()).rejects.toMatchObject({ code: 'exchange_error' });
    fake.serve('GET /portfolio/orders', {}, 404);
    await expect(find()).rejects.toMatchObject({ code: 'exchange_error' });
  });

  it('contract.md 5 a page that repeats itself is 502, not an endless loop, under whatever cursors', async () => {
    fake.serve('GET /portfolio/orders', { orders: [], cursor: 'again' });
    await expect(find()).rejects.toMatchObject({ code: 'exchange_error', status: 502 });
    let pages = 0;
    fake.on('GET /portfolio/orders', () => ({ body: { orders: [], cursor: `p${(pages += 1)}` } }));
    await expect(trading.cancelAllOrders()).rejects.toMatchObject({ code: 'exchange_error', status: 502 });
    expect(fake.sent('DELETE')).toEqual([]);
  });
});
