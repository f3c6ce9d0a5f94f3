import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RecordedMarket, Trading } from '../../src/exchanges/exchange.js';
import { CREATE, FakeKalshi, isSigned, NOT_FOUND, sameOrder, TICKER } from '../support/fake-kalshi.js';

const ON_SHARD_2 = 'KXBTCD-26NOV20-T95000';
const recorded: RecordedMarket = () => Promise.resolve(ON_SHARD_2);
const order = (change: object = {}): Record<string, unknown> => ({
  ...sameOrder({ order_id: 'o-2', ticker: ON_SHARD_2, exchange_index: 2, status: 'resting', ...change }),
});

let fake: FakeKalshi;
let trading: Trading;

beforeEach(async () => {
  fake = await FakeKalshi.start();
  trading = fake.trading();
});

afterEach(() => fake.close());

describe('reading one order', () => {
  it('kalshi-2026.md 2 reads it on the market that our own record names, in one call', async () => {
    fake.serveOrders([order()]);
    expect(await trading.getOrder('o-2', recorded)).toMatchObject({ id: 'o-2', market_id: ON_SHARD_2 });
    expect(fake.calls()).toEqual([`GET /portfolio/orders/o-2?market_ticker=${ON_SHARD_2}`]);
  });

  it('kalshi-2026.md 2 finds the market of one that rests in the list of all shards, and reads it there', async () => {
    fake.serveOrders([order()]);
    fake.on('GET /portfolio/orders/o-2', ({ query }) =>
      query.get('market_ticker') === ON_SHARD_2
        ? { body: { order: order({ status: 'executed' }) } }
        : { status: 404, body: NOT_FOUND },
    );
    expect(await trading.getOrder('o-2')).toMatchObject({ id: 'o-2', status: 'filled' });
    expect(fake.calls()).toEqual([
      'GET /portfolio/orders?status=resting&subaccount=0&limit=1000',
      `GET /portfolio/orders/o-2?market_ticker=${ON_SHARD_2}`,
    ]);
  });

  it.each([
    ['is not found', { status: 404, body: NOT_FOUND }],
    ['fails', { status: 500 }],
    ['speaks of another order', { body: { order: sameOrder() } }],
  ])('answers as the list has it where the second reading %s', async (_, answer) => {
    fake.serveOrders([order()]);
    fake.on('GET /portfolio/orders/o-2', () => answer);
    expect(await trading.getOrder('o-2')).toMatchObject({
      id: 'o-2',
      market_id: ON_SHARD_2,
      status: 'partially_filled',
    });
  });

  it('kalshi-2026.md 6 finds one that is over: among the live ones, then in the archive', async () => {
    fake.serveOrders([order({ status: 'canceled' })], { archive: [order({ order_id: 'old', status: 'executed' })] });
    expect(await trading.getOrder('o-2')).toMatchObject({ status: 'cancelled' });
    expect(await trading.getOrder('old')).toMatchObject({ status: 'filled' });
    expect(await trading.getOrder('old', recorded)).toMatchObject({ status: 'filled' });
    expect(fake.calls().at(-1)).toBe(`GET /historical/orders?ticker=${ON_SHARD_2}&subaccount=0&limit=1000`);
    expect(
      fake
        .calls()
        .filter((call) => call.includes('/orders/'))
        .every((call) => call.includes('market_ticker=')),
    ).toBe(true);
  });

  it('contract.md 9 a 404 of the reading proves nothing: the lists are searched', async () => {
    fake.serveOrders([order()]);
    fake.serve('GET /portfolio/orders/o-2', NOT_FOUND, 404);
    expect(await trading.getOrder('o-2', recorded)).toMatchObject({ id: 'o-2', status: 'partially_filled' });
  });

  it('contract.md 9 says not found only where everything was searched', async () => {
    fake.serveOrders([order()]);
    await expect(trading.getOrder('none')).rejects.toMatchObject({ code: 'not_found' });
    expect(fake.calls()).toEqual([
      'GET /portfolio/orders?status=resting&subaccount=0&limit=1000',
      'GET /portfolio/orders?subaccount=0&limit=1000',
      'GET /historical/orders?subaccount=0&limit=1000',
    ]);
    fake.serve('GET /historical/orders', {}, 404);
    await expect(trading.getOrder('none')).rejects.toMatchObject({ code: 'exchange_error' });
    fake.serve('GET /historical/orders', NOT_FOUND, 404);
    await expect(trading.getOrder('none')).rejects.toMatchObject({ code: 'not_found' });
    fake.serve('GET /portfolio/orders', NOT_FOUND, 404);
    await expect(trading.getOrder('none')).rejects.toMatchObject({ code: 'exchange_error' });
  });

  it('contract.md 9 looks through 30 pages at most', async () => {
    let page = 0;
    fake.on('GET /portfolio/orders', () => ({ body: { orders: [sameOrder()], cursor: `p${(page += 1)}` } }));
    await expect(trading.getOrder('none')).rejects.toMatchObject({
      code: 'exchange_unavailable',
      details: { reason: 'search_incomplete' },
    });
    expect(page).toBe(30);
  });

  it('contract.md 9 does not show the order of another subaccount, wherever it is', async () => {
    fake.serveOrders([order({ subaccount_number: 3 })], { archive: [order({ subaccount_number: 3 })] });
    await expect(trading.getOrder('o-2', recorded)).rejects.toMatchObject({ code: 'not_found' });
    expect((await trading.listOrders({ status: 'open' }, { limit: 50, cursor: null })).items).toEqual([]);
    const bound = fake.trading({ subaccount: '3', isBound: true });
    expect(await bound.getOrder('o-2', recorded)).toMatchObject({ id: 'o-2' });
    expect((await bound.listOrders({ status: 'open' }, { limit: 50, cursor: null })).items).toHaveLength(1);
    expect(fake.calls().at(-1)).toBe('GET /portfolio/orders?status=resting&limit=50');
  });
});

describe('cancelling one order', () => {
  const deletes = () => fake.sent('DELETE').map(({ query }) => Object.fromEntries(query));

  it('kalshi-2026.md 2 cancels it on the recorded market, by one signed call', async () => {
    fake.serveOrders([order()]);
    expect(await trading.cancelOrder('o-2', recorded)).toEqual({
      exchange: 'kalshi',
      id: 'o-2',
      status: 'cancelled',
      cancelled_size: '10',
      timestamp: '2026-11-20T15:00:09.112Z',
    });
    expect(fake.calls()).toEqual([`DELETE ${CREATE}/o-2?market_ticker=${ON_SHARD_2}&subaccount=0`]);
    expect(fake.sent('DELETE').every(isSigned)).toBe(true);
  });

  it('kalshi-2026.md 2 finds its market in the list of all shards where there is no record', async () => {
    fake.serveOrders([order()]);
    expect(await trading.cancelOrder('o-2', () => Promise.resolve(null))).toMatchObject({ status: 'cancelled' });
    expect(deletes()).toEqual([{ market_ticker: ON_SHARD_2, subaccount: '0' }]);
  });

  it('kalshi-2026.md 3 leaves the subaccount of a bound key to the exchange', async () => {
    fake.serveOrders([order({ subaccount_number: 3 })]);
    expect(await fake.trading({ isBound: true }).cancelOrder('o-2')).toMatchObject({ status: 'cancelled' });
    expect(deletes()).toEqual([{ market_ticker: ON_SHARD_2 }]);
    // To the primary account the same order is not there.
    await expect(trading.cancelOrder('o-2')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('kalshi-2026.md 5 answers with the id asked for where the exchange speaks of another order', async () => {
    fake.serveOrders([order()]);
    fake.serve(`DELETE ${CREATE}/o-2`, { order_id: 'o-9', reduced_by: '3.00', ts_ms: 1 });
    expect(await trading.cancelOrder('o-2', recorded)).toMatchObject({
      id: 'o-2',
      cancelled_size: null,
      timestamp: expect.stringMatching(/^20/),
    });
  });

  it('a cancel that the exchange acknowledges is one, whatever else it tells', async () => {
    fake.serve(`DELETE ${CREATE}/o-2`, { order_id: 'o-2' });
    expect(await trading.cancelOrder('o-2', recorded)).toMatchObject({ id: 'o-2', cancelled_size: null });
  });

  it.each([
    ['which is over', { status: 'executed' }, 'not_found'],
    ['which the exchange shows resting', {}, 'exchange_error'],
  ])('contract.md 9 a cancel that is not found, of an order %s, is %s', async (_, state, code) => {
    fake.serveOrders([order(state)]);
    fake.serve(`DELETE ${CREATE}/o-2`, NOT_FOUND, 404);
    await expect(trading.cancelOrder('o-2', recorded)).rejects.toMatchObject({ code });
    expect(deletes()).toHaveLength(1);
  });

  it('contract.md 9 an order in a state that is new since may rest: it is cancelled, and never called not found', async () => {
    fake.serveOrders([order({ status: 'pending_amend' })]);
    expect(await trading.cancelOrder('o-2')).toMatchObject({ status: 'cancelled' });
    fake.serve(`DELETE ${CREATE}/o-2`, NOT_FOUND, 404);
    await expect(trading.cancelOrder('o-2')).rejects.toMatchObject({ code: 'exchange_error' });
    await expect(trading.cancelOrder('o-2', recorded)).rejects.toMatchObject({ code: 'exchange_error' });
  });

  it('contract.md 9 one that was resting a moment ago and is over now was not cancellable', async () => {
    fake.serveOrders([order()]);
    fake.serve(`DELETE ${CREATE}/o-2`, NOT_FOUND, 404);
    fake.serve('GET /portfolio/orders/o-2', { order: order({ status: 'executed' }) });
    await expect(trading.cancelOrder('o-2')).rejects.toMatchObject({
      code: 'exchange_rejected',
      details: { reason: 'not_cancellable' },
    });
    expect(deletes()).toHaveLength(1);
  });

  it('contract.md 9 is not found where it is nowhere, and is not sent where it is over', async () => {
    fake.serveOrders([order({ status: 'canceled' })]);
    fake.serve(`DELETE ${CREATE}/none`, NOT_FOUND, 404);
    await expect(trading.cancelOrder('none')).rejects.toMatchObject({ code: 'not_found' });
    await expect(trading.cancelOrder('none', recorded)).rejects.toMatchObject({ code: 'not_found' });
    expect(deletes()).toHaveLength(2);
    await expect(trading.cancelOrder('o-2')).rejects.toMatchObject({ code: 'not_found' });
    expect(deletes()).toHaveLength(2);
  });

  it.each([
    ['may not be read', { status: 403, body: { error: { code: 'forbidden', message: 'no' } } }, 'exchange_rejected'],
    ['fail', { status: 500 }, 'exchange_error'],
    ['are not there', { status: 404 }, 'exchange_error'],
    ['ask for fewer calls', { status: 429, body: { error: 'too many requests' } }, 'exchange_rate_limited'],
    ['break off', 'hangUp', 'exchange_error'],
  ] as const)('where the lists %s the cancel is sent all the same, but proves nothing', async (...[, answer, code]) => {
    fake.serveOrders([order(), { ...order(), order_id: 'o-1', ticker: TICKER, exchange_index: 0 }]);
    fake.on('GET /portfolio/orders', () => answer);
    expect(await trading.cancelOrder('o-1')).toMatchObject({ id: 'o-1', status: 'cancelled' });
    await expect(trading.cancelOrder('o-2')).rejects.toMatchObject({ code });
    expect(deletes()).toEqual([{ subaccount: '0' }, { subaccount: '0' }]);
  });

  it('a key that may not read believes the cancel on the recorded market', async () => {
    fake.serve(`DELETE ${CREATE}/o-2`, NOT_FOUND, 404);
    fake.serve('GET /portfolio/orders/o-2', { error: { code: 'forbidden', message: 'missing scope' } }, 403);
    await expect(trading.cancelOrder('o-2', recorded)).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each([
    ['met by a reset', 'hangUp', 'exchange_error'],
    ['met by a 503', { status: 503 }, 'exchange_unavailable'],
    ["met by a gateway's 404", { status: 404 }, 'exchange_error'],
  ] as const)('R-12 a cancel %s is sent once', async (...[, answer, code]) => {
    fake.serveOrders([order()]);
    fake.on(`DELETE ${CREATE}/o-2`, () => answer);
    await expect(trading.cancelOrder('o-2', recorded)).rejects.toMatchObject({ code });
    expect(fake.sent('DELETE')).toHaveLength(1);
  });
});
