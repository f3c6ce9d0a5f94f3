import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { complement, multiply } from '../../decimal.js';
import { isSameOrder, toFoundOrder } from './order-lookup.js';
import { KalshiOrderRequestDto } from './order.dto.js';
import { type OrderTerms, termsOf, toCreatedOrder } from './order.mapper.js';
import { wireCreated, wireOneOrder, type WireOrder } from './order.wire.js';

const SAMPLE: unknown = JSON.parse(readFileSync('test/vectors/kalshi/kalshi-order.json', 'utf8'));
const TICKER = 'KXHIGHNY-26NOV20-B55.5';
const CLIENT_ID = '2b8394e0-515e-4b89-b624-f34067756855';

const terms = (change: Partial<KalshiOrderRequestDto> = {}): OrderTerms => {
  const asked = { market_id: TICKER, outcome: 'yes', side: 'buy', price: '0.3', size: '10', ...change };
  return termsOf(Object.assign(new KalshiOrderRequestDto(), asked), CLIENT_ID);
};

/** How the exchange shows a filled order of these terms: fills at `average` of the outcome named. */
const shown = ({ index, side, price, size }: OrderTerms, average = price): WireOrder => {
  const exposed = (index === 0) === (side === 'buy') ? 'yes' : 'no';
  const yesPrice = index === 0 ? price : complement(price);
  const paid = side === 'buy' ? average : complement(average);
  return {
    ...wireOneOrder.parse(SAMPLE).order,
    ticker: TICKER,
    client_order_id: CLIENT_ID,
    outcome_side: exposed,
    yes_price_dollars: yesPrice,
    no_price_dollars: complement(yesPrice),
    initial_count_fp: size,
    fill_count_fp: size,
    remaining_count_fp: '0',
    status: 'executed',
    taker_fill_cost_dollars: multiply(paid, size),
    maker_fill_cost_dollars: '0',
    taker_fees_dollars: '0.01',
    maker_fees_dollars: '0',
    expiration_time: null,
  };
};

/** The same order, resting untouched in the book. */
const RESTING = {
  status: 'resting',
  fill_count_fp: '0',
  remaining_count_fp: '10',
  taker_fill_cost_dollars: '0',
  taker_fees_dollars: '0',
} as const;
const EXPIRY = '2026-11-20T15:00:00.000Z';

describe('toFoundOrder', () => {
  it.each([
    ['buy', 'yes'],
    ['sell', 'yes'],
    ['buy', 'no'],
    ['sell', 'no'],
  ] as const)(
    "unified-schema.md 7 a look-up of %s %s repeats the request's outcome, side and price",
    (side, outcome) => {
      const asked = terms({ side, outcome });
      const found = shown(asked, '0.31');
      expect(isSameOrder(asked, found)).toBe(true);
      const filled = wireCreated.parse({
        order_id: found.order_id,
        fill_count: '10.00',
        remaining_count: '0.00',
        average_fill_price: outcome === 'yes' ? '0.3100' : '0.6900',
        average_fee_paid: '0.00100',
        ts_ms: 1795186800164,
      });
      const { created_at, updated_at, time_in_force, ...order } = toFoundOrder(asked, found);
      expect(toCreatedOrder(asked, filled)).toMatchObject(order);
      expect([created_at, updated_at, time_in_force]).toEqual([found.created_time, found.last_update_time, null]);
    },
  );

  it.each([
    ['resting', { ...RESTING }, {}, { time_in_force: 'gtc', post_only: null, expires_at: null }],
    [
      'resting until a time',
      { ...RESTING, expiration_time: EXPIRY },
      { time_in_force: 'gtd', expires_at: EXPIRY },
      { time_in_force: 'gtd', post_only: null, expires_at: EXPIRY },
    ],
    ['filled as a taker', {}, { time_in_force: 'ioc' }, { time_in_force: null, post_only: false }],
    [
      'cancelled untouched',
      { ...RESTING, status: 'canceled' },
      { time_in_force: 'gtc', post_only: true },
      { time_in_force: null, post_only: null },
    ],
  ] as const)(
    'contract.md 5 of one %s it tells what the exchange tells, not what was asked',
    (...[, found, asked, told]) => {
      const wanted = terms(asked);
      expect(isSameOrder(wanted, { ...shown(wanted), ...found })).toBe(true);
      expect(toFoundOrder(wanted, { ...shown(wanted), ...found })).toMatchObject(told);
    },
  );

  it('contract.md 5 an order that was made smaller is told in its own size', () => {
    const asked = terms({ reduce_only: true });
    expect(toFoundOrder(asked, { ...shown(asked), initial_count_fp: '4', fill_count_fp: '4' })).toMatchObject({
      size: '4',
      filled_size: '4',
    });
  });
});

describe('isSameOrder', () => {
  it.each([
    ['another side', {}, { outcome_side: 'no' }],
    ['another price', {}, { yes_price_dollars: '0.31' }],
    ['another size', {}, { initial_count_fp: '11' }],
    ['another market', {}, { ticker: 'OTHER' }],
    ['an expiry, asked for none', {}, { expiration_time: EXPIRY }],
    ['no expiry, asked for one', { time_in_force: 'gtd', expires_at: EXPIRY }, {}],
    ['another expiry', { time_in_force: 'gtd', expires_at: EXPIRY }, { expiration_time: '2026-11-20T15:00:01.000Z' }],
  ] as const)(
    'unified-schema.md 11 an order of the same client order id but with %s is not the same',
    (...[, asked, change]) => {
      const wanted = terms(asked);
      expect(isSameOrder(wanted, { ...shown(wanted), ...change })).toBe(false);
    },
  );

  it.each([
    ['a fok that found nothing', { time_in_force: 'fok' }, { ...RESTING, status: 'canceled' }],
    ['an ioc filled in part', { time_in_force: 'ioc' }, { status: 'canceled', fill_count_fp: '3' }],
    ['a gtc that was cancelled', {}, { ...RESTING, status: 'canceled' }],
    ['a post-only filled as maker', { post_only: true }, { taker_fill_cost_dollars: '0', taker_fees_dollars: '0' }],
    ['a rest in the book, asked for ioc', { time_in_force: 'ioc' }, RESTING],
    ['a part filled, asked for fok', { time_in_force: 'fok' }, { status: 'canceled', fill_count_fp: '3' }],
    ['a fill as taker, asked for post-only', { post_only: true }, {}],
  ] as const)('R-13 states and counts say nothing: %s may be the same', (...[, asked, change]) => {
    const wanted = terms(asked);
    expect(isSameOrder(wanted, { ...shown(wanted), ...change })).toBe(true);
  });

  it('an order that may only reduce may have been made smaller', () => {
    const asked = terms({ reduce_only: true });
    expect(isSameOrder(asked, { ...shown(asked), initial_count_fp: '4' })).toBe(true);
    expect(isSameOrder(asked, { ...shown(asked), initial_count_fp: '11' })).toBe(false);
  });
});
