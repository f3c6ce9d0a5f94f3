import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type KnownEnd, OrderSearch } from '../../src/exchanges/order-search.js';
import { CREDENTIALS, type FakePolymarket } from '../support/fake-polymarket.js';
import type { FakeAnswer } from '../support/fake-server.js';
import {
  HASH,
  listed,
  MARKET,
  prepareAt,
  READ,
  startWithMarket,
  taken,
  TOKEN,
  tradesPage,
  USER_TRADES,
} from './polymarket-order.fixture.js';

const OPEN = 'GET /clob/data/orders';

let fake: FakePolymarket;

beforeEach(async () => {
  fake = await startWithMarket();
});

afterEach(async () => {
  await fake.close();
});

describe('find', () => {
  it('contract.md 5 gives the order as the exchange lists it, with the terms that the hash proves', async () => {
    fake.on(READ, () => ({ body: { ...listed, status: 'ORDER_STATUS_LIVE' } }));
    const { order, isAsAsked } = (await (await prepareAt(fake, {}, { post_only: true })).find(new OrderSearch())) ?? {};
    expect(isAsAsked).toBe(true);
    expect(order).toMatchObject({
      id: HASH,
      side: 'buy',
      outcome: { id: TOKEN },
      price: '0.52',
      size: '10',
      time_in_force: 'gtc',
      // The exchange does not tell it.
      post_only: null,
      expires_at: null,
      status: 'partially_filled',
      filled_size: '4',
      created_at: '2026-10-14T17:46:41.000Z',
    });
  });

  it.each<[string, FakeAnswer]>([
    ['404', { status: 404, body: { error: 'Order not found' } }],
    ['an empty answer', { status: 200 }],
    ['null', { body: null }],
  ])('contract.md 5 knows after %s and no trade that it is not there', async (_name, answer) => {
    fake.on(READ, () => answer);
    expect(await (await prepareAt(fake)).find(new OrderSearch())).toBeNull();
    const [trades] = fake.at(USER_TRADES);
    expect(Object.fromEntries(trades?.query ?? [])).toEqual({
      maker_address: CREDENTIALS.wallet_address,
      market: MARKET,
      after: String(1_792_000_001 - 86_400),
    });
  });

  it('polymarket.md 7.2 finds an order that is listed no more in the trades, on any page', async () => {
    const pages = new Map([
      ['', { data: [taken], next_cursor: 'MTAw' }],
      ['MTAw', { data: [{ ...taken, id: 'second', size: '6' }], next_cursor: 'LTE=' }],
    ]);
    fake.on(USER_TRADES, ({ query }) => ({ body: pages.get(query.get('next_cursor') ?? '') }));
    const { order } = (await (await prepareAt(fake)).find(new OrderSearch())) ?? {};
    expect(order).toMatchObject({ status: 'filled', filled_size: '10', trade_ids: [taken.id, 'second'] });
    // Trades do not tell how long their order was to live.
    expect(order).toMatchObject({ time_in_force: null, post_only: null, expires_at: null });
  });

  it('polymarket.md 9.1 finds it as a maker, and does not count failed trades', async () => {
    const maker = {
      order_id: HASH,
      owner: CREDENTIALS.api_key,
      maker_address: CREDENTIALS.wallet_address,
      matched_amount: '3',
      price: '0.52',
      asset_id: TOKEN,
      side: 'BUY',
    };
    const made = { ...taken, id: 'made', trader_side: 'MAKER', taker_order_id: '0x1', maker_orders: [maker] };
    fake.on(USER_TRADES, () => tradesPage([made, { ...taken, status: 'FAILED' }]));
    fake.on(OPEN, () => ({ body: { data: [], next_cursor: 'LTE=' } }));
    const { order } = (await (await prepareAt(fake)).find(new OrderSearch())) ?? {};
    const part = { filled_size: '3', remaining_size: '7', trade_ids: ['made'] };
    expect(order).toMatchObject({ status: 'pending', status_reason: 'unknown_status', ...part });
  });

  describe('R-13 trades prove the least that was filled, never an end', () => {
    const part = { ...taken, size: '3' };
    const look = async (known: KnownEnd) => (await prepareAt(fake)).find(new OrderSearch(null, undefined, known));
    const open = (ids: readonly string[]) => {
      fake.on(OPEN, () => ({ body: { data: ids.map((id) => ({ ...listed, id })), next_cursor: 'LTE=' } }));
    };
    const pending = { status: 'pending', status_reason: 'unknown_status', filled_size: '3' };

    it.each([
      ['is in the list of open orders', [HASH], { absentMs: 60_000 }, pending, false],
      ['is in no list yet', [], {}, pending, true],
      ['was in no list a moment ago', [], { absentMs: 29_000 }, pending, true],
      ['was in no list 30 s ago', [], { absentMs: 30_000 }, { status: 'cancelled', filled_size: '3' }, undefined],
      ['was cancelled here just now', [], { isCancelled: true }, { status: 'cancelled', filled_size: '3' }, true],
      [
        'was cancelled here 30 s ago',
        [],
        { isCancelled: true, absentMs: 30_000 },
        { status: 'cancelled', filled_size: '3' },
        undefined,
      ],
    ])('what %s', async (_, ids, known, order, isAbsent) => {
      fake.on(USER_TRADES, () => tradesPage([part]));
      open(ids);
      const found = await look(known);
      expect(found).toMatchObject({ order, isAsAsked: true });
      expect(found?.isAbsent).toBe(isAbsent);
    });

    it('a trade after the first list begins the count anew', async () => {
      fake.on(USER_TRADES, () => tradesPage([{ ...part, match_time: String(Math.floor(Date.now() / 1_000)) }]));
      open([]);
      expect(await look({ absentMs: 60_000 })).toMatchObject({ order: pending, isAbsent: false });
    });

    it('the trades are read again after the second list', async () => {
      const pages = [tradesPage([part]), tradesPage([part, { ...part, id: 'late', size: '4' }])];
      fake.on(USER_TRADES, () => pages.shift() ?? tradesPage([]));
      open([]);
      expect(await look({ absentMs: 31_000 })).toMatchObject({ order: { status: 'cancelled', filled_size: '7' } });
    });

    it('what was cancelled here and never traded is cancelled', async () => {
      fake.on(USER_TRADES, () => tradesPage([]));
      expect(await look({ isCancelled: true })).toMatchObject({ order: { status: 'cancelled', filled_size: '0' } });
      expect(await look({})).toBeNull();
    });
  });

  it.each(['ioc', 'fok'])('R-13 an %s order that is shown as resting is pending: states lag', async (time_in_force) => {
    fake.on(READ, () => ({ body: { ...listed, order_type: null } }));
    const order = { status: 'pending', status_reason: 'unknown_status' };
    const found = await (await prepareAt(fake, {}, { time_in_force })).find(new OrderSearch());
    expect(found).toMatchObject({ order, isAsAsked: true, isOnSide: true });
  });

  it('contract.md 5 tells the expiry that the order has at the exchange', async () => {
    fake.on(READ, () => ({ body: { ...listed, order_type: 'GTD', expiration: '1792003600' } }));
    const order = await prepareAt(fake, { expiration: '1792003600' }, { time_in_force: 'gtd' });
    expect((await order.find(new OrderSearch()))?.order).toMatchObject({
      time_in_force: 'gtd',
      expires_at: '2026-10-14T18:46:40.000Z',
    });
    fake.on(READ, () => ({ body: { ...listed, order_type: 'GTD', expiration: '1792003601' } }));
    expect(await order.find(new OrderSearch())).toMatchObject({ isAsAsked: false });
  });

  it.each([{ asset_id: '5' }, { side: 'SELL' }])(
    'S-50 believes no order that its hash disproves: %j',
    async (change) => {
      fake.on(READ, () => ({ body: { ...listed, ...change } }));
      await expect((await prepareAt(fake)).find(new OrderSearch())).rejects.toMatchObject({ code: 'exchange_error' });
    },
  );

  it.each<[string, FakeAnswer]>([
    ['the order', { status: 500, body: { error: 'Internal server error' } }],
    ['it in time', 'hang'],
  ])('contract.md 5 proves nothing where it cannot read %s', async (_name, answer) => {
    fake.on(READ, () => answer);
    await expect((await prepareAt(fake)).find(new OrderSearch())).rejects.toMatchObject({ name: 'AppError' });
  });

  it('R-25 reads no trades from before the first sending, less the clocks’ slack', async () => {
    const sentAt = Math.floor(Date.now() / 1_000) - 60;
    const order = await prepareAt(fake, { timestamp: String(Date.now()) });
    await order.find(new OrderSearch(60_000));
    const after = Number(fake.at(USER_TRADES)[0]?.query.get('after'));
    expect(Math.abs(after - (sentAt - 300))).toBeLessThan(10);
  });

  it('R-25 gives up after 30 calls, and announces each', async () => {
    await fake.close();
    // All calls of a search share one time: long enough for 30 on a busy machine.
    fake = await startWithMarket({ UPSTREAM_TIMEOUT: '25s' });
    let page = 0;
    fake.on(USER_TRADES, () => ({ body: { data: [], next_cursor: `p${(page += 1)}` } }));
    let announced = 0;
    const search = new OrderSearch(null, () => Promise.resolve(void (announced += 1)));
    await expect((await prepareAt(fake)).find(search)).rejects.toMatchObject({
      code: 'exchange_unavailable',
      details: { reason: 'search_incomplete' },
    });
    expect([announced, page]).toEqual([30, 29]);
  });

  it('contract.md 5 proves nothing where the trades repeat themselves', async () => {
    fake.on(USER_TRADES, () => ({ body: { data: [], next_cursor: 'MTAw' } }));
    await expect((await prepareAt(fake)).find(new OrderSearch())).rejects.toMatchObject({ code: 'exchange_error' });
  });
});
