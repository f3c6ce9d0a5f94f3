import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Trading } from '../../src/exchanges/trading.contract.js';
import { CREATE, FakeKalshi, madeOn, sameOrder, sample, TICKER } from '../support/fake-kalshi.js';
import type { ArrivedRequest } from '../support/fake-server.js';

const CANCELLED = sample('cancel-order.response');

let fake: FakeKalshi;
let trading: Trading;

beforeEach(async () => {
  fake = await FakeKalshi.start();
  trading = fake.trading();
});

afterEach(() => fake.close());

describe('a cancel that took nothing out', () => {
  const [NONE, ONE] = [{ order_id: 'o-1', reduced_by: '0.00' }, `DELETE ${CREATE}/o-1`];
  const serve = (status: string): void => {
    fake.serveOrders([{ ...sameOrder(), status }]);
    fake.serve(ONE, NONE);
    fake.serve(`DELETE ${CREATE}/batched`, { orders: [NONE] });
  };

  it.each([
    ['canceled', { status: 'cancelled', cancelled_size: expect.any(String), filled_size: expect.any(String) }],
    ['executed', { status: 'filled', cancelled_size: '0', filled_size: expect.any(String) }],
    ['resting', { code: 'exchange_error', details: { may_have_been_cancelled: true } }],
    ['pending_review', { code: 'exchange_error', details: { may_have_been_cancelled: true } }],
  ])('unified-schema.md 7 of an order that is %s then is told as %j', async (status, told) => {
    serve(status);
    const cancel = trading.cancelOrder('o-1', () => Promise.resolve(madeOn(TICKER)));
    expect(await cancel.catch((error: unknown) => error)).toMatchObject(told);
    expect(fake.sent('DELETE')).toHaveLength(1);
  });

  it('unified-schema.md 7 of an order that cannot be read then is exchange_error', async () => {
    fake.serve(ONE, NONE);
    fake.on('GET /portfolio/orders/o-1', () => ({ status: 500 }));
    const cancel = trading.cancelOrder('o-1', () => Promise.resolve(madeOn(TICKER)));
    await expect(cancel).rejects.toMatchObject({ code: 'exchange_error' });
  });

  it.each([
    ['canceled', { cancelled: ['o-1'], not_cancelled: [] }],
    ['executed', { cancelled: [], not_cancelled: [{ id: 'o-1', reason: 'not_cancellable' }] }],
    ['resting', { cancelled: [], not_cancelled: [{ id: 'o-1', reason: 'unknown' }] }],
  ])('unified-schema.md 7 of an order of a batch that is %s then is reported so', async (status, report) => {
    serve(status);
    fake.serve('GET /portfolio/orders', { orders: [sameOrder()], cursor: '' });
    expect(await trading.cancelAllOrders()).toEqual(report);
  });

  it('unified-schema.md 7 of many orders are ten read again, the others are of unknown fate', async () => {
    const orders = Array.from({ length: 12 }, (_, i) => sameOrder({ order_id: `o-${i}` }));
    fake.serveOrders(orders.map((order) => ({ ...order, status: 'canceled' })));
    fake.serve('GET /portfolio/orders', { orders, cursor: '' });
    fake.serve(`DELETE ${CREATE}/batched`, {
      orders: orders.map((_, i) => ({ order_id: `o-${i}`, reduced_by: '0.00' })),
    });
    const report = await trading.cancelAllOrders();
    expect(report.cancelled).toHaveLength(10);
    expect(report.not_cancelled.map(({ reason }) => reason)).toEqual(['unknown', 'unknown']);
  });
});

describe('cancelling many', () => {
  const resting = (count: number) => Array.from({ length: count }, (_, i) => sameOrder({ order_id: `o-${i}` }));
  const batchOf = ({ body }: ArrivedRequest) => (JSON.parse(body) as { orders: { order_id: string }[] }).orders;

  it('unified-schema.md 7 cancels all open orders in batches of twenty, never by cancel-all', async () => {
    fake.serve('GET /portfolio/orders', { orders: resting(45), cursor: '' });
    fake.on(`DELETE ${CREATE}/batched`, (batch) => ({
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
    expect(fake.sent('DELETE').map((batch) => batchOf(batch).length)).toEqual([20, 20, 5]);
    expect(fake.sent('DELETE').map((batch) => batchOf(batch)[0])[0]).toEqual({
      order_id: 'o-0',
      market_ticker: TICKER,
      subaccount: 0,
    });
    expect(fake.calls()[0]).toBe('GET /portfolio/orders?status=resting&subaccount=0&limit=1000');
  });

  it('R-25 cancels what a page shows before the next is read: one that hangs keeps none of them in the book', async () => {
    await fake.close();
    fake = await FakeKalshi.start({ UPSTREAM_TIMEOUT: '500ms' });
    fake.on('GET /portfolio/orders', ({ query }) =>
      query.get('cursor') === null ? { body: { orders: resting(5), cursor: 'p2' } } : 'hang',
    );
    fake.on(`DELETE ${CREATE}/batched`, (batch) => ({ body: { orders: batchOf(batch) } }));
    const report = await fake.trading().cancelAllOrders();
    expect(report).toMatchObject({ not_cancelled: [], failure: { code: 'exchange_timeout' } });
    expect(report.cancelled).toHaveLength(5);
  });

  it('unified-schema.md 7 an order whose market cannot be read is told as unknown, and keeps no other in the book', async () => {
    const odd = [sameOrder({ order_id: 'o-8', ticker: null }), sameOrder({ order_id: 'o-9', ticker: 7 })];
    fake.serve('GET /portfolio/orders', { orders: [...odd, ...resting(1)], cursor: '' });
    fake.on(`DELETE ${CREATE}/batched`, (batch) => ({ body: { orders: batchOf(batch) } }));
    const not_cancelled = ['o-8', 'o-9'].map((id) => ({ id, reason: 'unknown' }));
    for (const filters of [{}, { market_id: TICKER }]) {
      expect(await trading.cancelAllOrders(filters)).toEqual({ cancelled: ['o-0'], not_cancelled });
    }
    fake.serve('GET /portfolio/orders', { orders: [sameOrder({ order_id: null }), ...resting(1)], cursor: '' });
    expect(await trading.cancelAllOrders()).toMatchObject({ cancelled: ['o-0'], failure: { code: 'exchange_error' } });
  });

  it('contract.md 5 a list without end is a failure; each of its orders is cancelled once', async () => {
    let pages = 0;
    fake.on('GET /portfolio/orders', () => ({ body: { orders: resting(2), cursor: `p${(pages += 1)}` } }));
    fake.on(`DELETE ${CREATE}/batched`, (batch) => ({ body: { orders: batchOf(batch) } }));
    const report = await trading.cancelAllOrders();
    expect(report).toMatchObject({ cancelled: ['o-0', 'o-1'], failure: { code: 'exchange_error' } });
    expect(fake.sent('DELETE')).toHaveLength(1);
  });

  it('what of an order no cancel needs stands in the way of none, and each is cancelled once', async () => {
    const order = { order_id: 'o-1', ticker: TICKER, status: 'resting', yes_price_dollars: null };
    fake.on('GET /portfolio/orders', ({ query }) => ({
      body: { orders: [order], cursor: query.get('cursor') === 'p2' ? '' : 'p2' },
    }));
    fake.serve(`DELETE ${CREATE}/batched`, { orders: [{ order_id: 'o-1' }] });
    fake.serve(`DELETE ${CREATE}/o-1`, CANCELLED);
    expect(await trading.cancelAllOrders()).toEqual({ cancelled: ['o-1'], not_cancelled: [] });
    await trading.cancelOrder('o-1');
    expect(fake.sent('DELETE').map(({ body, query }) => body || Object.fromEntries(query))).toEqual([
      JSON.stringify({ orders: [{ order_id: 'o-1', market_ticker: TICKER, subaccount: 0 }] }),
      { market_ticker: TICKER, subaccount: '0' },
    ]);
  });

  it('tells what was cancelled before a batch failed, and fails where it was the first', async () => {
    fake.serve('GET /portfolio/orders', { orders: resting(21), cursor: '' });
    fake.on(`DELETE ${CREATE}/batched`, (batch) => {
      const orders = batchOf(batch);
      return orders.length === 1 ? { status: 429 } : { body: { orders } };
    });
    const report = await trading.cancelAllOrders();
    expect(report.cancelled).toHaveLength(20);
    expect(report.not_cancelled).toEqual([{ id: 'o-20', reason: 'exchange_rate_limited' }]);
    fake.serve('GET /portfolio/orders', { orders: resting(1), cursor: '' });
    await expect(trading.cancelAllOrders()).rejects.toMatchObject({ code: 'exchange_rate_limited' });
  });

  it.each([
    [null, undefined],
    [{ code: 'not_found' }, 'not_found'],
    [{ code: 'order_already_executed' }, 'not_cancellable'],
    [{ code: 'internal_server_error' }, 'unknown'],
    [{ code: 'exchange_paused' }, 'unknown'],
    [{ code: 'too_many_requests' }, 'exchange_rate_limited'],
    [{ message: 'x' }, 'unknown'],
    ['too late', 'unknown'],
  ])('an order that a batch answers with the error %j is cancelled only without one', async (error, reason) => {
    fake.serve('GET /portfolio/orders', { orders: resting(1), cursor: '' });
    fake.serve(`DELETE ${CREATE}/batched`, { orders: [{ order_id: 'o-0', error }] });
    expect((await trading.cancelAllOrders()).not_cancelled).toEqual(reason ? [{ id: 'o-0', reason }] : []);
  });

  it('an order that a batch does not mention counts as not cancelled', async () => {
    fake.serve('GET /portfolio/orders', { orders: resting(1), cursor: '' });
    fake.serve(`DELETE ${CREATE}/batched`, { orders: [] });
    expect(await trading.cancelAllOrders()).toEqual({
      cancelled: [],
      not_cancelled: [{ id: 'o-0', reason: 'unknown' }],
    });
  });

  it('kalshi.md 6 an order that a batch mentions twice counts as not cancelled', async () => {
    fake.serve('GET /portfolio/orders', { orders: resting(2), cursor: '' });
    const orders = [{ order_id: 'o-0', error: { code: 'not_found' } }, { order_id: 'o-0' }, { order_id: 'o-1' }];
    fake.serve(`DELETE ${CREATE}/batched`, { orders });
    expect(await trading.cancelAllOrders()).toEqual({
      cancelled: ['o-1'],
      not_cancelled: [{ id: 'o-0', reason: 'unknown' }],
    });
  });

  it('without open orders cancels nothing', async () => {
    fake.serve('GET /portfolio/orders', { orders: null, cursor: '' });
    expect(await trading.cancelAllOrders()).toEqual({ cancelled: [], not_cancelled: [] });
    expect(fake.sent('DELETE')).toHaveLength(0);
  });

  it('contract.md 5.4 cancels those of one market alone, also where the list ignores its filter', async () => {
    const orders = [sameOrder(), sameOrder({ order_id: 'o-2', ticker: 'OTHER-1' })];
    fake.serve('GET /portfolio/orders', { orders, cursor: '' });
    fake.on(`DELETE ${CREATE}/batched`, (batch) => ({ body: { orders: batchOf(batch) } }));
    expect(await trading.cancelAllOrders({ market_id: TICKER })).toEqual({ cancelled: ['o-1'], not_cancelled: [] });
    expect(fake.calls()[0]).toBe(`GET /portfolio/orders?status=resting&ticker=${TICKER}&subaccount=0&limit=1000`);
  });

  it.each([
    ['an empty list', 200, { orders: [], cursor: '' }],
    ['its own 404', 404, { error: { code: 'market_not_found' } }],
  ])('contract.md 5.4 an unknown market, told by %s, is an empty report', async (_, status, body) => {
    fake.serve('GET /portfolio/orders', body, status);
    expect(await trading.cancelAllOrders({ market_id: 'NONE-1' })).toEqual({ cancelled: [], not_cancelled: [] });
    expect(fake.sent('DELETE')).toEqual([]);
  });

  it("contract.md 5.4 leaves other subaccounts' orders alone; a bound key's are its own", async () => {
    const orders = [sameOrder({ subaccount_number: 0 }), sameOrder({ order_id: 'o-2', subaccount_number: 2 })];
    fake.serve('GET /portfolio/orders', { orders, cursor: '' });
    fake.on(`DELETE ${CREATE}/batched`, (batch) => ({ body: { orders: batchOf(batch) } }));
    expect((await trading.cancelAllOrders()).cancelled).toEqual(['o-1']);
    const bound = fake.trading({ subaccount: '2', isBound: true });
    expect((await bound.cancelAllOrders()).cancelled).toEqual(['o-1', 'o-2']);
    expect(fake.sent('DELETE').map((batch) => batchOf(batch)[0])).toEqual([
      { order_id: 'o-1', market_ticker: TICKER, subaccount: 0 },
      { order_id: 'o-1', market_ticker: TICKER },
    ]);
  });
});
