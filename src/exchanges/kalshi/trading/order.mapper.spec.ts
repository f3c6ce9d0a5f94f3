import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { complement, scaleDown, withPlaces } from '../../decimal.js';
import { KalshiOrderRequestDto } from './order.dto.js';
import { type OrderTerms, termsOf, toCreateBody, toCreatedOrder, toOrder } from './order.mapper.js';
import { wireCreated, wireOneOrder, type WireOrder, wireOrderPage } from './order.wire.js';

const sample = (name: string): unknown => JSON.parse(readFileSync(`test/vectors/kalshi/kalshi-${name}.json`, 'utf8'));

const TICKER = 'KXHIGHNY-26NOV20-B55.5';
const CLIENT_ID = '2b8394e0-515e-4b89-b624-f34067756855';

const request = (change: Partial<KalshiOrderRequestDto> = {}): KalshiOrderRequestDto =>
  Object.assign(new KalshiOrderRequestDto(), {
    market_id: TICKER,
    outcome: 'yes',
    side: 'buy',
    price: '0.42',
    size: '10',
    ...change,
  });
const terms = (change: Partial<KalshiOrderRequestDto> = {}): OrderTerms => termsOf(request(change), CLIENT_ID);
const created = (change: object = {}) =>
  wireCreated.parse({ order_id: 'o-1', fill_count: '0.00', remaining_count: '10.00', ts_ms: 1795186800164, ...change });

describe('toCreateBody', () => {
  it('kalshi.md 5.1 writes the order field for field as Kalshi documents it', () => {
    expect(toCreateBody(terms({ post_only: false }))).toEqual(sample('create-order.request'));
  });

  it.each([
    ['buy', 'yes', '0.42', 'bid', '0.4200'],
    ['sell', 'yes', '0.42', 'ask', '0.4200'],
    ['buy', 'no', '0.42', 'ask', '0.5800'],
    ['sell', 'no', '0.42', 'bid', '0.5800'],
    ['buy', 'no', '0.0001', 'ask', '0.9999'],
    ['sell', 'yes', '0.9', 'ask', '0.9000'],
  ] as const)('contract.md 5 %s %s at %s leaves as %s at %s', (...[side, outcome, price, bookSide, wirePrice]) => {
    const body = toCreateBody(terms({ side, outcome, price }));
    expect(body).toMatchObject({ ticker: TICKER, side: bookSide, price: wirePrice, count: '10.00' });
  });

  it('unified-schema.md 7 leaves what is finer than the exchange takes as it is, for it to refuse', () => {
    const body = toCreateBody(terms({ outcome: 'no', price: '0.12345', size: '1.005' }));
    expect(body).toMatchObject({ price: '0.87655', count: '1.005' });
  });

  it.each([
    ['gtc', 'good_till_canceled'],
    ['ioc', 'immediate_or_cancel'],
    ['fok', 'fill_or_kill'],
  ] as const)('unified-schema.md 7 writes %s as %s, without an expiry', (time_in_force, expected) => {
    const body = toCreateBody(terms({ time_in_force }));
    expect(body).toMatchObject({ time_in_force: expected, self_trade_prevention_type: 'taker_at_cross' });
    expect(body).not.toHaveProperty('expiration_time');
    expect(body).not.toHaveProperty('post_only');
    expect(body).not.toHaveProperty('reduce_only');
  });

  it('unified-schema.md 7 writes gtd with its expiry in whole seconds, cut', () => {
    const body = toCreateBody(terms({ time_in_force: 'gtd', expires_at: '2026-11-20T16:00:00.999+01:00' }));
    expect(body).toMatchObject({ time_in_force: 'good_till_canceled', expiration_time: 1795186800 });
  });

  it('passes post_only and reduce_only on', () => {
    expect(toCreateBody(terms({ post_only: true, reduce_only: true }))).toMatchObject({
      post_only: true,
      reduce_only: true,
    });
  });

  it('contract.md 5 every price and size reaches the exchange as exactly that', () => {
    const cases = fc.record({
      price: fc.integer({ min: 1, max: 9_999 }).map((units) => scaleDown(String(units), 4)),
      size: fc.integer({ min: 1, max: 100_000_000_000 }).map((units) => scaleDown(String(units), 2)),
      outcome: fc.constantFrom(0, 1),
      side: fc.constantFrom('buy' as const, 'sell' as const),
    });
    fc.assert(
      fc.property(cases, (order) => {
        expect(toCreateBody(terms(order))).toMatchObject({
          count: withPlaces(order.size, 2),
          price: withPlaces(order.outcome === 0 ? order.price : complement(order.price), 4),
          side: (order.outcome === 0) === (order.side === 'buy') ? 'bid' : 'ask',
        });
      }),
    );
  });
});

describe('toCreatedOrder', () => {
  it('unified-schema.md 7 builds an Order of request and acknowledgement', () => {
    const answer = wireCreated.parse(sample('create-order.response'));
    expect(toCreatedOrder(terms({ price: '0.4200', size: '10.00' }), answer)).toEqual({
      exchange: 'kalshi',
      id: '97ec18b7-10d3-4557-9de0-8598aad625f0',
      client_order_id: CLIENT_ID,
      market_id: TICKER,
      outcome: { id: `${TICKER}:yes`, index: 0, label: 'Yes' },
      side: 'buy',
      type: 'limit',
      time_in_force: 'gtc',
      post_only: false,
      price: '0.42',
      size: '10',
      filled_size: '0',
      remaining_size: '10',
      average_fill_price: null,
      fees: '0',
      currency: 'USD',
      status: 'open',
      status_reason: null,
      created_at: '2026-11-20T15:00:00.164Z',
      updated_at: '2026-11-20T15:00:00.164Z',
      expires_at: null,
      trade_ids: [],
    });
  });

  it.each([
    [true, '1.50', '2.00', '3.5', 'partially_filled'],
    [true, '0.00', '3.50', '3.5', 'open'],
    [true, '4.00', '0.00', '10', 'cancelled'],
    [false, '1.50', '2.00', '10', 'partially_filled'],
  ] as const)('kalshi.md 5.1 reduce_only %s: of %s filled and %s left the size is %s', (...row) => {
    const [reduce_only, fill_count, remaining_count, size, status] = row;
    const order = toCreatedOrder(terms({ reduce_only }), created({ fill_count, remaining_count }));
    expect(order).toMatchObject({ size, status });
  });

  it('an acknowledgement that tells no time is one all the same', () => {
    const times = { created_at: null, updated_at: null };
    for (const ts_ms of [null, undefined]) expect(toCreatedOrder(terms(), created({ ts_ms }))).toMatchObject(times);
  });

  it.each([
    ['buy', 'yes', '0.52'],
    ['sell', 'yes', '0.52'],
    ['buy', 'no', '0.48'],
    ['sell', 'no', '0.48'],
  ] as const)(
    'unified-schema.md 7 %s %s: the average, on the wire of YES, is of the outcome named: %s',
    (...[side, outcome, average]) => {
      const answer = wireCreated.parse(sample('create-order-filled.response'));
      const order = toCreatedOrder(terms({ side, outcome, price: '0.5', size: '5' }), answer);
      expect(order).toMatchObject({
        side,
        price: '0.5',
        average_fill_price: average,
        fees: '0.0875',
        status: 'filled',
      });
      expect(order.outcome.index).toBe(outcome === 'yes' ? 0 : 1);
    },
  );

  it.each([
    ['gtc', '0.00', '10.00', 'open'],
    ['gtc', '4.00', '6.00', 'partially_filled'],
    ['gtc', '10.00', '0.00', 'filled'],
    ['gtc', '4.00', '0.00', 'cancelled'],
    ['ioc', '0.00', '0.00', 'cancelled'],
    ['ioc', '4.00', '0.00', 'cancelled'],
    ['ioc', '10.00', '0.00', 'filled'],
    ['fok', '0.00', '0.00', 'cancelled'],
  ] as const)(
    'unified-schema.md 7 %s with %s filled and %s left is %s',
    (...[time_in_force, fill_count, remaining_count, status]) => {
      expect(toCreatedOrder(terms({ time_in_force }), created({ fill_count, remaining_count })).status).toBe(status);
    },
  );

  it('unified-schema.md 1 an average that the exchange does not tell is null', () => {
    const order = toCreatedOrder(terms(), created({ fill_count: '10.00', remaining_count: '0.00' }));
    expect(order).toMatchObject({ average_fill_price: null, fees: null });
  });

  it('gives the expiry that was sent', () => {
    const order = toCreatedOrder(terms({ time_in_force: 'gtd', expires_at: '2026-11-20T15:00:00.999Z' }), created());
    expect(order.expires_at).toBe('2026-11-20T15:00:00.000Z');
  });
});

const wire = (change: Partial<WireOrder> = {}): WireOrder => ({
  ...wireOneOrder.parse(sample('order')).order,
  ...change,
});

describe('toOrder', () => {
  it('unified-schema.md 7 reads an order as buy of the outcome exposed', () => {
    expect(toOrder(wire())).toEqual({
      exchange: 'kalshi',
      id: '7b76274e-d549-4e14-ae57-61f63c1fbde3',
      client_order_id: '92295710-4c7e-4c67-ad1b-0b523e8b0464',
      market_id: 'KXFEDDECISION-26DEC-H0',
      outcome: { id: 'KXFEDDECISION-26DEC-H0:no', index: 1, label: 'No' },
      side: 'buy',
      type: 'limit',
      time_in_force: 'gtd',
      post_only: null,
      price: '0.25',
      size: '10',
      filled_size: '2.5',
      remaining_size: '7.5',
      average_fill_price: '0.25',
      fees: '0.0109',
      currency: 'USD',
      status: 'partially_filled',
      status_reason: null,
      created_at: '2026-11-20T13:53:20.674Z',
      updated_at: '2026-11-20T14:55:00.238Z',
      expires_at: '2026-11-21T15:00:00.000Z',
      trade_ids: null,
    });
  });

  it('reads every order of the list, also one without an expiry', () => {
    const [first] = wireOrderPage.parse(sample('orders-list')).items.map(toOrder);
    expect(first).toMatchObject({ status: 'open', price: '0.42', time_in_force: null, average_fill_price: null });
  });

  it.each([
    ['resting', '0', 'open'],
    ['resting', '1', 'partially_filled'],
    ['executed', '10', 'filled'],
    ['canceled', '0', 'cancelled'],
    ['canceled', '3', 'cancelled'],
  ] as const)('unified-schema.md 7 %s with %s filled is %s', (status, fill_count_fp, expected) => {
    expect(toOrder(wire({ status, fill_count_fp })).status).toBe(expected);
  });

  const UNKNOWN = { status: 'pending', status_reason: 'unknown_status' };

  it.each([
    [{ status: 'pending_review' }, {}],
    [{ type: 'pegged' }, { type: 'limit' }],
    [{ outcome_side: 'both' }, { outcome: { id: TICKER, index: null, label: null }, average_fill_price: null }],
  ])('unified-schema.md 7 an order with %j hides none of its list, and its end is not known', (change, told) => {
    const known = { ...wire(), ticker: TICKER };
    const page = wireOrderPage.parse({ orders: [{ ...known, ...change }, known] });
    const [first, second] = page.items.map(toOrder);
    expect(first).toMatchObject({ ...UNKNOWN, ...told });
    expect(second).toMatchObject({ status: 'partially_filled', status_reason: null });
  });

  it.each([
    [['10', '-3', '7'], ['10', '0', '7'], UNKNOWN],
    [['10', '3', '-7'], ['10', '3', '0'], UNKNOWN],
    [['-10', '0', '0'], ['0', '0', '0'], UNKNOWN],
    [['10', '3', '12'], ['15', '3', '12'], { status: 'partially_filled', status_reason: null }],
  ])('unified-schema.md 7 of counts %j sizes are %j, and the end is not known where one is negative', (...row) => {
    const [[initial_count_fp = '', fill_count_fp = '', remaining_count_fp = ''], sizes, state] = row;
    const order = toOrder(wire({ initial_count_fp, fill_count_fp, remaining_count_fp }));
    expect([order.size, order.filled_size, order.remaining_size]).toEqual(sizes);
    expect(order).toMatchObject(state);
  });

  it('unified-schema.md 7 adds what was paid as taker and as maker', () => {
    const order = toOrder(
      wire({
        fill_count_fp: '3',
        taker_fill_cost_dollars: '0.5',
        maker_fill_cost_dollars: '0.25',
        taker_fees_dollars: '0.01',
        maker_fees_dollars: '0.002',
      }),
    );
    expect(order).toMatchObject({ average_fill_price: '0.25', fees: '0.012' });
  });
});
