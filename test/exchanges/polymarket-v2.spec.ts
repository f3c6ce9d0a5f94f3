import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OrderSearch } from '../../src/exchanges/order-search.js';
import { CREDENTIALS, type FakePolymarket, sample, sampleObject } from '../support/fake-polymarket.js';
import {
  DEPOSIT_CREDENTIALS,
  SESSION_ADDRESS,
  INFO,
  KEYSET,
  NARROW,
  NO,
  prepare,
  startWithV2,
  vector,
  WIDE,
  wrongOrder,
  YES,
} from './polymarket-v2.fixture.js';

const FIRST = { limit: 50, cursor: null };
const ORDERS = 'GET /clob/data/orders';
const USER_TRADES = 'GET /clob/data/trades';
const POST = 'POST /clob/order';
const NOT_UNDERSTOOD = { code: 'not_supported', details: { reason: 'market_version' } };

let fake: FakePolymarket;

beforeEach(async () => {
  fake = await startWithV2();
});

afterEach(() => fake.close());

async function restart(change: Readonly<Record<string, unknown>>): Promise<void> {
  await fake.close();
  fake = await startWithV2(change);
}

describe('a V2 market', () => {
  it.each([WIDE, NARROW, NARROW.toUpperCase().replace('0X', '0x'), '2901455'])(
    'contract.md 5.2 is found by %s, and always has the wide id',
    async (id) => {
      expect((await fake.exchange.marketData.getMarket(id)).value.id).toBe(WIDE);
      const listed = await fake.exchange.marketData.listMarkets({ ids: [WIDE, NARROW] }, FIRST);
      expect(listed.value.items.map(({ id: one }) => one)).toEqual([WIDE]);
    },
  );

  it('polymarket.md 15 is asked for in both widths in one call', async () => {
    await fake.exchange.marketData.getMarket(NARROW);
    expect(fake.at(KEYSET)[0]?.query.getAll('condition_ids')).toEqual([WIDE, NARROW]);
    expect(fake.at(KEYSET)).toHaveLength(1);
  });

  it.each([WIDE, NARROW, '2901455'])('unified-schema.md 4 has a book by %s', async (market_id) => {
    fake.on('GET /clob/book', () => ({ body: sample('clob-book-v2') }));
    const { value } = await fake.exchange.marketData.getOrderBook({ market_id, outcome: 'yes', depth: 1 });
    expect(value).toMatchObject({ market_id: WIDE, outcome: { id: YES, index: 0 }, last_price: null });
    expect([value.bids[0]?.price, value.asks[0]?.price]).toEqual(['0.52', '0.53']);
  });

  it.each([{ version: 'v3' }, { positionIds: null }, { positionIds: [NO, YES] }])(
    'contract.md 5.2 with %j is not_supported by id, and left out of lists',
    async (change) => {
      await restart(change);
      const { marketData } = fake.exchange;
      for (const id of [WIDE, NARROW, '2901455']) {
        await expect(marketData.getMarket(id)).rejects.toMatchObject(NOT_UNDERSTOOD);
        await expect(marketData.getOrderBook({ market_id: id, outcome: '0' })).rejects.toMatchObject(NOT_UNDERSTOOD);
      }
      fake.on(KEYSET, () => ({
        body: { markets: [sample('gamma-market'), { ...sampleObject('gamma-market-v2'), ...change }] },
      }));
      const { value } = await marketData.listMarkets({ status: 'open' }, FIRST);
      expect(value.items.map(({ refs }) => refs.protocol)).toEqual(['v1']);
      await expect(prepare(fake, vector('v2-eoa-buy').post_order_body.order)).rejects.toMatchObject(NOT_UNDERSTOOD);
    },
  );
});

describe('candles of a V2 market', () => {
  const HISTORY = 'GET /clob/prices-history';
  const PRICES = 'GET /data/v2/prices-history';
  const HOUR = 3_600;
  const DAY = 86_400;
  const hour = Math.floor(Date.now() / 1_000 / HOUR) * HOUR;
  const date = (second: number): Date => new Date(second * 1_000);
  const query = {
    market_id: NARROW,
    outcome: '1',
    interval: '1h',
    start: date(hour - 4 * HOUR),
    end: date(hour),
  } as const;
  const page = (times: readonly number[], next: string | null = null) => ({
    body: {
      data: times.map((timestamp) => ({ timestamp, price: 0.5, resolution_seconds: 300 })),
      pagination: { limit: 10_000, offset: 0, has_more: next !== null, next_cursor: next },
    },
  });

  it('polymarket.md 15 are the CLOB’s where it has prices', async () => {
    fake.on(HISTORY, () => ({ body: { history: [{ t: hour - HOUR, p: 0.4 }] } }));
    const { value } = await fake.exchange.marketData.listCandlesticks(query);
    expect(value).toMatchObject([{ market_id: WIDE, close: '0.4', outcome: { id: NO, index: 1 } }]);
    expect(fake.at(PRICES)).toEqual([]);
  });

  it.each([
    ['400', { status: 400, body: { error: 'invalid token' } }],
    ['404', { status: 404, body: { error: 'not found' } }],
    ['no points', { body: { history: [] } }],
  ])('polymarket.md 15 are the Data API’s where the CLOB says %s', async (_name, answer) => {
    fake.on(HISTORY, () => answer);
    fake.on(PRICES, ({ query: asked }) =>
      asked.has('cursor') ? page([hour - HOUR]) : page([hour - 2 * HOUR], 'more'),
    );
    const { value } = await fake.exchange.marketData.listCandlesticks(query);
    expect(value.map(({ start }) => start)).toEqual([hour - 2 * HOUR, hour - HOUR].map((at) => date(at).toISOString()));
    const filters = {
      token_id: NO,
      start: String(hour - 4 * HOUR),
      end: String(hour),
      bucket_seconds: '300',
      limit: '10000',
    };
    const asked = fake.at(PRICES).map((request) => Object.fromEntries(request.query));
    expect(asked).toEqual([filters, { ...filters, cursor: 'more' }]);
  });

  it.each([
    ['1m', 3, ['60']],
    ['1m', 5 / 2, ['60']],
    ['1h', 70, ['1800', '300']],
    ['1d', 100, ['10800', '1800']],
  ] as const)(
    'polymarket.md 6.3 of %s for %s days are asked for as far apart as is kept: %j',
    async (interval, days, wanted) => {
      fake.on(PRICES, () => page([]));
      const start = date(hour - days * DAY);
      await fake.exchange.marketData.listCandlesticks({ ...query, interval, start });
      const asked = fake.at(PRICES).map((request) => request.query);
      expect([...new Set(asked.map((one) => one.get('bucket_seconds')))]).toEqual(wanted);
      expect(Math.max(...asked.map((one) => Number(one.get('end')) - Number(one.get('start'))))).toBeLessThanOrEqual(
        15 * DAY,
      );
      expect(asked.map((one) => Number(one.get('start'))).every((from) => from > 0)).toBe(true);
    },
  );

  it.each([429, 500])('R-15 fail where the CLOB says %i', async (status) => {
    fake.on(HISTORY, () => ({ status, body: { error: 'x' } }));
    const code = status === 429 ? 'exchange_rate_limited' : 'exchange_error';
    await expect(fake.exchange.marketData.listCandlesticks(query)).rejects.toMatchObject({ code });
    expect(fake.at(PRICES)).toEqual([]);
  });
});

describe('orders of a V2 market', () => {
  const { order, orderType } = vector('v2-eoa-buy').post_order_body;
  const HASH = vector('v2-eoa-buy').order_hash;

  it.each([true, false])('polymarket.md 3.3 are hashed under domain "3", with neg-risk %s', async (negRisk) => {
    await restart({ negRisk });
    expect((await prepare(fake, order)).reference.details).toEqual({ order_id: HASH });
    expect([orderType, fake.at('GET /clob/neg-risk')]).toEqual(['GTC', []]);
  });

  it('polymarket.md 14.1 need no call to find the market of an outcome that Gamma does not list', async () => {
    await restart({ conditionId: '' });
    expect((await prepare(fake, order)).reference.details).toEqual({ order_id: HASH });
    expect(fake.arrived.filter(({ path }) => path.includes('markets-by-token'))).toEqual([]);
  });

  it.each([
    ['not_supported', { v: 'v3' }],
    ['not_supported', { v: undefined }],
    ['exchange_error', { c: `0x${'9'.repeat(64)}` }],
  ])('contract.md 5.2 are %s where the CLOB says %j of the market', async (code, change) => {
    await restart({ conditionId: '' });
    fake.on(INFO, () => ({ body: { ...sampleObject('clob-market-info-v2'), ...change } }));
    await expect(prepare(fake, order)).rejects.toMatchObject({ code });
  });

  it.each([
    ['an unknown market', `0x02${'7'.repeat(36)}`],
    ['a third outcome', BigInt(NO)],
  ])('unified-schema.md 7 are not_found for a position of %s', async (_name, place) => {
    const tokenId = typeof place === 'bigint' ? place + 1n : BigInt(`${place}${'0'.repeat(26)}`);
    await expect(prepare(fake, { ...order, tokenId: String(tokenId) })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('polymarket.md 10.2 cannot name a V1 market by its unused positions', async () => {
    fake.on(KEYSET, () => ({ body: { markets: [sample('gamma-market-v1-with-position-ids')] } }));
    const [tokenId] = sampleObject('gamma-market-v1-with-position-ids').positionIds as string[];
    await expect(prepare(fake, { ...order, tokenId })).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each(['clob_token_ids', 'condition_ids'])(
    'contract.md 5.2 are not_supported where Gamma names an unknown version by %s, whatever the CLOB says',
    async (filter) => {
      const tokenId = '73';
      const conditionId = `0x${'7'.repeat(64)}`;
      const ids = filter === 'clob_token_ids' ? { clobTokenIds: [tokenId, '5'] } : {};
      const odd = { ...sampleObject('gamma-market'), clobTokenIds: null, ...ids, conditionId, version: 'v3' };
      fake.on(KEYSET, ({ query }) => ({ body: { markets: query.has(filter) ? [odd] : [] } }));
      fake.on(`GET /clob/markets-by-token/${tokenId}`, () => ({ body: { condition_id: conditionId } }));
      const t = [
        { t: tokenId, o: 'Yes' },
        { t: '5', o: 'No' },
      ];
      fake.on(`GET /clob/clob-markets/${conditionId}`, () => ({ body: { c: conditionId, t, nr: false } }));
      await expect(prepare(fake, { ...order, tokenId })).rejects.toMatchObject(NOT_UNDERSTOOD);
      const market_id = conditionId;
      fake.on(ORDERS, () => ({
        body: { data: [{ ...sampleObject('clob-order-v2'), market: conditionId, asset_id: tokenId }] },
      }));
      const { items } = await fake.trading(CREDENTIALS).listOrders({ status: 'open' }, FIRST);
      expect(items).toMatchObject([{ market_id, outcome: { id: tokenId } }]);
      await expect(fake.exchange.marketData.getOrderBook({ market_id, outcome: '0' })).rejects.toMatchObject(
        filter === 'condition_ids' ? NOT_UNDERSTOOD : { code: 'not_found' },
      );
    },
  );

  it.each([
    ['v2-market-signed-with-version-2', CREDENTIALS],
    ['v2-market-signed-for-old-exchange', CREDENTIALS],
    ['v2-market-signed-for-stale-document-domain', CREDENTIALS],
  ])('contract.md 5.6 refuses %s before the exchange sees it', async (name, credentials) => {
    await expect(prepare(fake, wrongOrder(name), credentials)).rejects.toMatchObject({
      code: 'bad_request',
      details: { reason: 'wrong_domain', fields: [{ field: 'signed_order.signature' }] },
    });
    expect(fake.at(POST)).toEqual([]);
  });

  it.each([
    ['v2-deposit-owner-buy', DEPOSIT_CREDENTIALS],
    ['v2-deposit-session-buy', { ...DEPOSIT_CREDENTIALS, signer_address: SESSION_ADDRESS }],
    ['v2-deposit-session-buy', { ...DEPOSIT_CREDENTIALS, signer_address: SESSION_ADDRESS.toLowerCase() }],
  ])('polymarket.md 3.4 takes the envelope of %s', async (name, credentials) => {
    const { post_order_body: body, order_hash: hash } = vector(name);
    const prepared = await prepare(fake, body.order, credentials);
    expect(prepared.reference.details).toEqual({ order_id: hash });
  });

  it('contract.md 5.6 refuses the layer of another session key than the API key belongs to', async () => {
    const { order } = vector('v2-deposit-session-buy').post_order_body;
    await expect(prepare(fake, order, DEPOSIT_CREDENTIALS)).rejects.toMatchObject({
      code: 'bad_request',
      details: { fields: [{ field: 'signed_order.signature' }] },
    });
    expect(fake.arrived).toEqual([]);
  });

  it.each([WIDE, NARROW])(
    'polymarket.md 2.3 are told under the wide id, whichever the exchange writes: %s',
    async (market) => {
      const listed = { ...sampleObject('clob-order-v2'), market };
      fake.on(ORDERS, () => ({ body: { data: [listed], next_cursor: 'LTE=' } }));
      const { items } = await fake.trading(CREDENTIALS).listOrders({ status: 'open', market_id: NARROW }, FIRST);
      expect(items).toMatchObject([{ market_id: WIDE, outcome: { id: YES, index: 0, label: 'Yes' } }]);
      expect(fake.at(ORDERS)[0]?.query.get('market')).toBe(WIDE);
    },
  );

  it('polymarket.md 14.1 are found in the trades by outcome, or by market where that shows nothing', async () => {
    const [trade = {}] = (sample('clob-user-trades') as { data: object[] }).data;
    const own = { ...trade, taker_order_id: HASH, market: NARROW, asset_id: YES, size: '10' };
    for (const filter of ['asset_id', 'market']) {
      fake.on(USER_TRADES, ({ query }) => ({ body: { data: query.has(filter) ? [own] : [], next_cursor: 'LTE=' } }));
      const found = await (await prepare(fake, order)).find(new OrderSearch());
      expect(found?.order).toMatchObject({ id: HASH, market_id: WIDE, status: 'filled', filled_size: '10' });
    }
    const asked = fake.at(USER_TRADES).map(({ query }) => query.get('asset_id') ?? query.get('market'));
    expect(asked).toEqual([YES, NO, YES, NO, WIDE]);
  });

  it('polymarket.md 14.1 counts what traded against the other outcome, and each trade once', async () => {
    const [trade = {}] = (sample('clob-user-trades') as { data: object[] }).data;
    const own = { ...trade, id: 't1', taker_order_id: HASH, market: WIDE, asset_id: YES, size: '4' };
    const maker = { order_id: HASH, owner: CREDENTIALS.api_key, matched_amount: '6', price: '0.5', asset_id: YES };
    const minted = { ...trade, id: 't2', market: WIDE, asset_id: NO, size: '6', trader_side: 'MAKER' };
    const listed: Readonly<Record<string, object[]>> = {
      [YES]: [own],
      [NO]: [own, { ...minted, maker_orders: [{ ...maker, outcome: 'Yes', side: 'BUY' }] }],
    };
    fake.on(USER_TRADES, ({ query }) => ({
      body: { data: listed[query.get('asset_id') ?? ''] ?? [], next_cursor: 'LTE=' },
    }));
    const found = await (await prepare(fake, order)).find(new OrderSearch());
    expect(found?.order).toMatchObject({ status: 'filled', filled_size: '10', trade_ids: ['t1', 't2'] });
  });
});

describe('cancelAllOrders of one market', () => {
  const CANCEL = 'DELETE /clob/orders';
  const V1 = `0x${'7'.repeat(64)}`;
  const open = [
    { id: '0x1', market: WIDE },
    { id: '0x2', market: V1 },
    { id: '0x3', market: NARROW },
    { id: '0x4', market: 5 },
    { id: '0x5' },
  ];

  beforeEach(() => {
    fake.on(ORDERS, () => ({ body: { data: open, next_cursor: 'LTE=' } }));
    fake.on(CANCEL, ({ body }) => ({ body: { canceled: JSON.parse(body) as string[], not_canceled: {} } }));
    fake.on('GET /gamma/markets/slug/a-slug', () => ({ body: sample('gamma-market-v2') }));
    fake.on('GET /gamma/markets/slug/odd', () => ({ body: { ...sampleObject('gamma-market-v2'), version: 'v3' } }));
  });

  it.each([WIDE, NARROW, '2901455', 'a-slug', 'odd'])(
    'contract.md 5.4 cancels the orders of %s alone',
    async (market_id) => {
      const report = await fake.trading(CREDENTIALS).cancelAllOrders({ market_id });
      const unknown = ['0x4', '0x5'].map((id) => ({ id, reason: 'unknown' }));
      expect(report).toEqual({ cancelled: ['0x1', '0x3'], not_cancelled: unknown });
      expect(fake.at(CANCEL).map(({ body }) => body)).toEqual(['["0x1","0x3"]']);
      expect(fake.at(ORDERS)[0]?.query.has('market')).toBe(false);
    },
  );

  it.each([`0x${'8'.repeat(64)}`, 'no-such-slug', '99'])(
    'contract.md 5.4 has an empty report for %s',
    async (market_id) => {
      fake.on(ORDERS, () => ({ body: { data: open.slice(0, 3), next_cursor: 'LTE=' } }));
      const report = await fake.trading(CREDENTIALS).cancelAllOrders({ market_id });
      expect(report).toEqual({ cancelled: [], not_cancelled: [] });
      expect(fake.at(CANCEL)).toEqual([]);
    },
  );

  it('contract.md 5.4 cancels all where no market is named', async () => {
    const { cancelled } = await fake.trading(CREDENTIALS).cancelAllOrders({});
    expect(cancelled).toEqual(['0x1', '0x2', '0x3', '0x4', '0x5']);
  });

  it('R-15 fails where the market cannot be looked up, and cancels nothing', async () => {
    fake.on('GET /gamma/markets/slug/a-slug', () => ({ status: 500, body: { error: 'x' } }));
    const report = fake.trading(CREDENTIALS).cancelAllOrders({ market_id: 'a-slug' });
    await expect(report).rejects.toMatchObject({ code: 'exchange_error' });
    expect(fake.at(CANCEL)).toEqual([]);
  });
});
