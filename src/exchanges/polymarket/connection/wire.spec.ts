import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import {
  wireClobMarket,
  wireEventPage,
  wireEvent,
  wireMarket,
  wireMarketByToken,
  wireMarketPage,
  wireSearchPage,
} from '../market-data/market.wire.js';
import { wirePriceHistory, wirePricePage } from '../market-data/candlestick.wire.js';
import { wireOrderBook, wireTrades } from '../market-data/order-book.wire.js';
import { wireAccountValue, wireBalance, wirePositions, wireUserTrade } from '../trading/account.wire.js';
import { wireCancelled, wireCreated, wireOneOrder, wireOrder } from '../trading/order.wire.js';
import { decimal, maybeDecimal, maybeTextList, maybeTime, milliseconds, seconds, wirePage } from './wire.js';

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  'gamma-market': wireMarket,
  'gamma-market-closed': wireMarket,
  'gamma-market-v1-with-position-ids': wireMarket,
  'gamma-market-v2': wireMarket,
  'gamma-market-v2-no-ids': wireMarket,
  'gamma-market-v2-resolved': wireMarket,
  'gamma-markets-keyset': wireMarketPage,
  'gamma-event': wireEvent,
  'gamma-event-mixed': wireEvent,
  'gamma-events-keyset': wireEventPage,
  'gamma-public-search': wireSearchPage,
  'clob-book': wireOrderBook,
  'clob-book-no-token': wireOrderBook,
  'clob-book-v2': wireOrderBook,
  'clob-market-info': wireClobMarket,
  'clob-market-info-v2': wireClobMarket,
  'clob-markets-by-token-v2': wireMarketByToken,
  'clob-prices-history': wirePriceHistory,
  'data-v2-trades': wireTrades,
  'data-v2-trades-v2-market': wireTrades,
  'data-v2-prices-history': wirePricePage,
  'clob-open-orders': wirePage(wireOrder),
  'clob-order': wireOrder,
  'clob-order-v2': wireOrder,
  'clob-user-trades': wirePage(wireUserTrade),
  'post-order.response': wireCreated,
  'post-order-matched.response': wireCreated,
  'cancel-order.response': wireCancelled,
  'cancel-order-failed.response': wireCancelled,
  'clob-balance-allowance': wireBalance,
  'clob-balance-allowance-conditional-v2': wireBalance,
  'clob-balance-allowance-three-exchanges': wireBalance,
  'data-v2-positions': wirePositions,
  'data-v2-positions-closed': wirePositions,
  'data-v2-empty': wirePositions,
  'data-v2-value': wireAccountValue,
};

function sample(name: string): unknown {
  const file = new URL(`../../../../test/vectors/polymarket/polymarket-${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The same with a field that nobody knows in each of its objects. */
function withMore(value: unknown): unknown {
  if (Array.isArray(value)) {
    const list: unknown[] = value;
    return list.map(withMore);
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]: [string, unknown]) => [
    key,
    key === 'not_canceled' ? inner : withMore(inner),
  ]);
  return { ...Object.fromEntries(entries), brandNew: { deep: [1] } };
}

describe('answers of the exchange', () => {
  it.each(Object.entries(SCHEMAS))('polymarket.md 15 fits the sample %s, with unknown fields too', (name, schema) => {
    const answer = sample(name);
    expect(schema.safeParse(answer).error).toBeUndefined();
    expect(schema.safeParse(withMore(answer)).success).toBe(true);
  });

  it.each(Object.entries(SCHEMAS))('S-50 refuses other things for %s', (_name, schema) => {
    const others = ['text', 5, true, [[]], {}, { error: 'no' }];
    expect(others.filter((other) => schema.safeParse(other).success)).toEqual([]);
  });

  it('polymarket.md 7.2 takes no body and null for an order that is not there', () => {
    expect([wireOneOrder.parse(undefined), wireOneOrder.parse(null)]).toEqual([null, null]);
  });
});

describe('wireDataPage', () => {
  const page = (pagination: object) => wireTrades.safeParse({ data: [], pagination }).data;

  it.each([
    [{ has_more: true, next_cursor: 'c' }, 'c'],
    [{ has_more: false, next_cursor: 'c' }, null],
    [{ has_more: false, next_cursor: null }, null],
    [{ next_cursor: 'c' }, 'c'],
  ])('polymarket.md 6.1 goes on from %j at %j', (pagination, next) => {
    expect(page(pagination)).toEqual({ items: [], next });
  });

  it.each([{ has_more: true }, { has_more: true, next_cursor: null }, { has_more: true, next_cursor: '' }])(
    'polymarket.md 6.1 takes %j for no page, since the list would seem whole',
    (pagination) => {
      expect(page(pagination)).toBeUndefined();
    },
  );
});

describe('scalars', () => {
  const fields = z.object({ money: maybeDecimal, at: maybeTime, list: maybeTextList });

  it.each([{}, { money: null, at: null, list: null }, { money: '', at: '', list: '' }])(
    'unified-schema.md 1 reads %j as unknown',
    (answer) => {
      expect(fields.parse(answer)).toEqual({ money: null, at: null, list: null });
    },
  );

  it.each([
    ['0.4200', '0.42'],
    [5, '5'],
    [1e-7, '0.0000001'],
    [8010332.710000001, '8010332.710000001'],
  ])('unified-schema.md 1 reads %j as the decimal %s', (value, text) => {
    expect(decimal.parse(value)).toBe(text);
  });

  it.each(['1e5', 'x', '0x1', ' 1', NaN, Infinity, {}, true])('S-50 does not take %j for a decimal', (value) => {
    expect(decimal.safeParse(value).success).toBe(false);
  });

  it.each([
    ['2026-11-05 03:11:20+00', '2026-11-05T03:11:20.000Z'],
    ['2026-11-20T14:58:00.784449Z', '2026-11-20T14:58:00.784Z'],
    ['2027-01-01T00:00:00Z', '2027-01-01T00:00:00.000Z'],
    ['soon', null],
    ['0001-01-01T00:00:00Z', null],
  ])('unified-schema.md 1 reads the time %s as %s', (text, iso) => {
    expect(maybeTime.parse(text)).toBe(iso);
  });

  it('polymarket.md 5 reads milliseconds as text, and seconds where they can be nothing else', () => {
    const times = ['1795186800641', 1795186800641, '1795186800'].map((value) =>
      milliseconds.parse(value).toISOString(),
    );
    expect(times).toEqual(['2026-11-20T15:00:00.641Z', '2026-11-20T15:00:00.641Z', '2026-11-20T15:00:00.000Z']);
    expect([seconds.parse('1795186800'), seconds.parse(1795186800)]).toEqual([
      new Date('2026-11-20T15:00:00Z'),
      new Date('2026-11-20T15:00:00Z'),
    ]);
    expect(seconds.safeParse('soon').success).toBe(false);
  });
});
