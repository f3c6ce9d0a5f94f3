import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RecordedOrder } from '../../src/exchanges/orders.contract.js';
import type { Trading } from '../../src/exchanges/trading.contract.js';
import type { AppError } from '../../src/platform/errors/app-error.js';
import { CREATE, FakeKalshi, isSigned, madeOn, NOT_FOUND, sameOrder, sample, TICKER } from '../support/fake-kalshi.js';

const ON_SHARD_2 = 'KXBTCD-26NOV20-T95000';
const recorded: RecordedOrder = () => Promise.resolve(madeOn(ON_SHARD_2));
const order = (change: object = {}): Record<string, unknown> => ({
  ...sameOrder({ order_id: 'o-2', ticker: ON_SHARD_2, exchange_index: 2, status: 'resting', ...change }),
});

const aFill = (change: object): object => ({ ...(sample('fills') as { fills: object[] }).fills[0], ...change });

let fake: FakeKalshi;
let trading: Trading;

beforeEach(async () => {
  fake = await FakeKalshi.start();
  trading = fake.trading();
});

afterEach(() => fake.close());

describe('reading one order', () => {
  it('kalshi.md 9.2 reads it on the market that our own record names, in one call', async () => {
    fake.serveOrders([order()]);
    expect(await trading.getOrder('o-2', recorded)).toMatchObject({ id: 'o-2', market_id: ON_SHARD_2 });
    expect(fake.callsForOrders()).toEqual([`GET /portfolio/orders/o-2?market_ticker=${ON_SHARD_2}`]);
  });

  it.each([
    ['all', ['1', '1.5'], ['f-0', 'f-1']],
    ['a part', ['1'], null],
    ['more', ['1', '2'], null],
  ])('unified-schema.md 7 names its trades, where %s of what it filled shows', async (_, sizes, trade_ids) => {
    fake.serveOrders([order()]);
    const fills = sizes.map((count_fp, i) =>
      aFill({ fill_id: `f-${i}`, order_id: 'o-2', ticker: ON_SHARD_2, count_fp }),
    );
    fake.serve('GET /portfolio/fills', {
      fills: [...fills, aFill({ order_id: 'another', count_fp: '1.5' })],
      cursor: '',
    });
    expect(await trading.getOrder('o-2', recorded)).toMatchObject({ filled_size: '2.5', trade_ids });
    const [, read] = fake.calls();
    expect(read).toContain(`GET /portfolio/fills?ticker=${ON_SHARD_2}&order_id=o-2&`);
    const listed = await trading.listOrders({ status: 'open' }, { limit: 50, cursor: null });
    expect(listed.items).toMatchObject([{ id: 'o-2', trade_ids }]);
  });

  it('unified-schema.md 7 reads no fills of orders that have none', async () => {
    fake.serveOrders([order({ fill_count_fp: '0.00', remaining_count_fp: '10.00' })]);
    expect(await trading.getOrder('o-2', recorded)).toMatchObject({ trade_ids: [] });
    expect(fake.calls()).toEqual(fake.callsForOrders());
  });

  it('kalshi.md 9.2 finds the market of one that rests in the list of all shards, and reads it there', async () => {
    fake.serveOrders([order()]);
    fake.on('GET /portfolio/orders/o-2', ({ query }) =>
      query.get('market_ticker') === ON_SHARD_2
        ? { body: { order: order({ status: 'executed' }) } }
        : { status: 404, body: NOT_FOUND },
    );
    expect(await trading.getOrder('o-2')).toMatchObject({ id: 'o-2', status: 'filled' });
    expect(fake.callsForOrders()).toEqual([
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

  it('kalshi.md 8 finds one that is over: among the live ones, then in the archive', async () => {
    fake.serveOrders([order({ status: 'canceled' })], { archive: [order({ order_id: 'old', status: 'executed' })] });
    expect(await trading.getOrder('o-2')).toMatchObject({ status: 'cancelled' });
    expect(await trading.getOrder('old')).toMatchObject({ status: 'filled' });
    expect(await trading.getOrder('old', recorded)).toMatchObject({ status: 'filled' });
    expect(fake.callsForOrders().at(-1)).toBe(`GET /historical/orders?ticker=${ON_SHARD_2}&subaccount=0&limit=1000`);
    expect(
      fake
        .calls()
        .filter((call) => call.includes('/orders/'))
        .every((call) => call.includes('market_ticker=')),
    ).toBe(true);
  });

  it('contract.md 5.3 a 404 of the reading proves nothing: the lists are searched', async () => {
    fake.serveOrders([order()]);
    fake.serve('GET /portfolio/orders/o-2', NOT_FOUND, 404);
    expect(await trading.getOrder('o-2', recorded)).toMatchObject({ id: 'o-2', status: 'partially_filled' });
  });

  it('contract.md 5.3 says not found only where everything was searched', async () => {
    fake.serveOrders([order()]);
    await expect(trading.getOrder('none')).rejects.toMatchObject({ code: 'not_found' });
    expect(fake.callsForOrders()).toEqual([
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

  it('contract.md 5.3 looks through 30 pages at most', async () => {
    let page = 0;
    fake.on('GET /portfolio/orders', () => ({ body: { orders: [sameOrder()], cursor: `p${(page += 1)}` } }));
    await expect(trading.getOrder('none')).rejects.toMatchObject({
      code: 'exchange_unavailable',
      details: { reason: 'search_incomplete' },
    });
    expect(page).toBe(30);
  });

  it('contract.md 5.7 does not show the order of another subaccount, wherever it is', async () => {
    fake.serveOrders([order({ subaccount_number: 3 })], { archive: [order({ subaccount_number: 3 })] });
    await expect(trading.getOrder('o-2', recorded)).rejects.toMatchObject({ code: 'not_found' });
    expect((await trading.listOrders({ status: 'open' }, { limit: 50, cursor: null })).items).toEqual([]);
    const bound = fake.trading({ subaccount: '3', isBound: true });
    expect(await bound.getOrder('o-2', recorded)).toMatchObject({ id: 'o-2' });
    expect((await bound.listOrders({ status: 'open' }, { limit: 50, cursor: null })).items).toHaveLength(1);
    expect(fake.callsForOrders().at(-1)).toBe('GET /portfolio/orders?status=resting&limit=50');
  });
});

describe('cancelling one order', () => {
  const deletes = () => fake.sent('DELETE').map(({ query }) => Object.fromEntries(query));

  it('kalshi.md 9.2 cancels it on the recorded market, by one signed call', async () => {
    fake.serveOrders([order()]);
    expect(await trading.cancelOrder('o-2', recorded)).toEqual({
      exchange: 'kalshi',
      id: 'o-2',
      status: 'cancelled',
      cancelled_size: '10',
      filled_size: null,
      timestamp: '2026-11-20T15:00:09.112Z',
    });
    expect(fake.calls()).toEqual([`DELETE ${CREATE}/o-2?market_ticker=${ON_SHARD_2}&subaccount=0`]);
    expect(fake.sent('DELETE').every(isSigned)).toBe(true);
  });

  it('kalshi.md 9.2 finds its market in the list of all shards where there is no record', async () => {
    fake.serveOrders([order()]);
    expect(await trading.cancelOrder('o-2', () => Promise.resolve(null))).toMatchObject({ status: 'cancelled' });
    expect(deletes()).toEqual([{ market_ticker: ON_SHARD_2, subaccount: '0' }]);
  });

  it('kalshi.md 2.2 leaves the subaccount of a bound key to the exchange', async () => {
    fake.serveOrders([order({ subaccount_number: 3 })]);
    expect(await fake.trading({ isBound: true }).cancelOrder('o-2')).toMatchObject({ status: 'cancelled' });
    expect(deletes()).toEqual([{ market_ticker: ON_SHARD_2 }]);
    // To the primary account the same order is not there.
    await expect(trading.cancelOrder('o-2')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('kalshi.md 5.3 answers with the id asked for where the exchange speaks of another order', async () => {
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
    ['executed', { status: 'executed' }, { status: 'filled', cancelled_size: '0' }],
    ['cancelled', { status: 'canceled' }, { status: 'cancelled', filled_size: '2.5' }],
    ['cancelled, with sizes that say nothing', { status: 'canceled', fill_count_fp: '?' }, { cancelled_size: null }],
    ['resting', {}, { code: 'exchange_error' }],
  ])('contract.md 5 a cancel that is not found, of an order that is %s, says so', async (_, state, told) => {
    fake.serveOrders([order(state)]);
    fake.serve(`DELETE ${CREATE}/o-2`, NOT_FOUND, 404);
    const cancel = trading.cancelOrder('o-2', recorded);
    expect(await cancel.catch((error: unknown) => error)).toMatchObject(told);
    expect(deletes()).toHaveLength(1);
  });

  it.each([
    ['on its market', recorded],
    ['without a record', undefined],
  ])('contract.md 5 of one that is archived it says how it ended, %s', async (_, known) => {
    fake.serve('GET /portfolio/orders', { orders: [], cursor: '' });
    fake.serve('GET /portfolio/orders/o-2', NOT_FOUND, 404);
    fake.serve('GET /historical/orders', { orders: [order({ status: 'canceled' })], cursor: '' });
    fake.serve(`DELETE ${CREATE}/o-2`, NOT_FOUND, 404);
    expect(await trading.cancelOrder('o-2', known)).toMatchObject({ id: 'o-2', status: 'cancelled' });
    fake.on('GET /historical/orders', () => ({ status: 500 }));
    await expect(trading.cancelOrder('o-2', known)).rejects.toMatchObject({ code: 'exchange_error' });
  });

  it('contract.md 5 of one that was cancelled here and shows nowhere it says that it is cancelled', async () => {
    fake.serveOrders([]);
    fake.serve(`DELETE ${CREATE}/o-2`, NOT_FOUND, 404);
    const cancelled = () => Promise.resolve(madeOn(ON_SHARD_2, 1_000));
    expect(await trading.cancelOrder('o-2', cancelled)).toMatchObject({ status: 'cancelled', filled_size: null });
    await expect(trading.cancelOrder('o-2', recorded)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('contract.md 5.4 an order in a state that is new since may rest: it is cancelled, and never called not found', async () => {
    fake.serveOrders([order({ status: 'pending_amend' })]);
    expect(await trading.cancelOrder('o-2')).toMatchObject({ status: 'cancelled' });
    fake.serve(`DELETE ${CREATE}/o-2`, NOT_FOUND, 404);
    await expect(trading.cancelOrder('o-2')).rejects.toMatchObject({ code: 'exchange_error' });
    await expect(trading.cancelOrder('o-2', recorded)).rejects.toMatchObject({ code: 'exchange_error' });
  });

  it('contract.md 5 of one that was resting a moment ago and is over now it says how it ended', async () => {
    fake.serveOrders([order()]);
    fake.serve(`DELETE ${CREATE}/o-2`, NOT_FOUND, 404);
    fake.serve('GET /portfolio/orders/o-2', { order: order({ status: 'executed' }) });
    expect(await trading.cancelOrder('o-2')).toMatchObject({ status: 'filled', cancelled_size: '0' });
    expect(deletes()).toHaveLength(1);
  });

  it('contract.md 5.4 is not found where it is nowhere, and is not sent where it is over', async () => {
    fake.serveOrders([order({ status: 'canceled' })]);
    fake.serve(`DELETE ${CREATE}/none`, NOT_FOUND, 404);
    await expect(trading.cancelOrder('none')).rejects.toMatchObject({ code: 'not_found' });
    await expect(trading.cancelOrder('none', recorded)).rejects.toMatchObject({ code: 'not_found' });
    expect(deletes()).toHaveLength(2);
    expect(await trading.cancelOrder('o-2')).toMatchObject({ status: 'cancelled' });
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
    ['met by a reset', 'hangUp', 'exchange_error', true],
    ['met by a 503', { status: 503 }, 'exchange_unavailable', true],
    ["met by a gateway's 404", { status: 404 }, 'exchange_error', true],
    ['met by an answer of another form', { body: [] }, 'exchange_error', true],
    ['met by a rate limit', { status: 429, body: { error: 'too many' } }, 'exchange_rate_limited', undefined],
    ['refused', { status: 401, body: { error: { code: 'unauthorized' } } }, 'credentials_rejected', undefined],
  ] as const)('R-12 a cancel %s is sent once, and told as lost where it is', async (...[, answer, code, isLost]) => {
    fake.serveOrders([order()]);
    fake.on(`DELETE ${CREATE}/o-2`, () => answer);
    const error: unknown = await trading.cancelOrder('o-2', recorded).catch((one: unknown) => one);
    expect(error).toMatchObject({ code });
    expect((error as AppError).details?.may_have_been_cancelled).toBe(isLost);
    expect(fake.sent('DELETE')).toHaveLength(1);
  });
});

describe('finding an order by its client order id (unified-schema.md 7)', () => {
  const find = (): Promise<unknown> =>
    trading.listOrders({ client_order_id: 'mine' }, { limit: 50, cursor: null }).then(({ items }) => items);

  it('reads an archived one too, and one that a list shows resting once more on its market', async () => {
    fake.serve('GET /portfolio/orders', { orders: [], cursor: '' });
    const old = order({ client_order_id: 'mine', status: 'executed' });
    fake.serve('GET /historical/orders', { orders: [old], cursor: '' });
    expect(await find()).toMatchObject([{ id: 'o-2', status: 'filled' }]);
    fake.serve('GET /portfolio/orders', { orders: [order({ client_order_id: 'mine' })], cursor: '' });
    fake.serve('GET /portfolio/orders/o-2', { order: order({ client_order_id: 'mine', status: 'canceled' }) });
    expect(await find()).toMatchObject([{ id: 'o-2', status: 'cancelled' }]);
  });

  it('is 503 search_incomplete where there is too much to look through', async () => {
    let pages = 0;
    fake.on('GET /portfolio/orders', () => ({ body: { orders: [order()], cursor: `p${(pages += 1)}` } }));
    const incomplete = { code: 'exchange_unavailable', details: { reason: 'search_incomplete' } };
    await expect(find()).rejects.toMatchObject(incomplete);
    expect(pages).toBe(30);
  });
});
