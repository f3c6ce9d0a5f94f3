import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { add } from '../../decimal.js';
import { toOrderBook } from './order-book.mapper.js';
import { wireOrderBook } from './order-book.wire.js';

const sample = (name: string): unknown => JSON.parse(readFileSync(`test/vectors/kalshi/kalshi-${name}.json`, 'utf8'));

describe('toOrderBook', () => {
  const wire = wireOrderBook.parse(sample('orderbook'));
  const yes = toOrderBook({ ticker: 'T', index: 0 }, wire);
  const no = toOrderBook({ ticker: 'T', index: 1 }, wire);

  it('unified-schema.md 4 gives both sides of YES, best first', () => {
    expect(yes).toMatchObject({ exchange: 'kalshi', market_id: 'T', outcome: { id: 'T:yes', index: 0, label: 'Yes' } });
    expect(yes.bids.slice(0, 2)).toEqual([
      { price: '0.42', size: '13' },
      { price: '0.41', size: '10' },
    ]);
    expect(yes.asks.slice(0, 2)).toEqual([
      { price: '0.44', size: '17' },
      { price: '0.45', size: '44.25' },
    ]);
    expect([yes.bids.length, yes.asks.length]).toEqual([10, 10]);
  });

  it('unified-schema.md 4 the book of NO is its mirror', () => {
    expect(no.outcome).toEqual({ id: 'T:no', index: 1, label: 'No' });
    expect(no.bids[0]).toEqual({ price: '0.56', size: '17' });
    expect(no.asks[0]).toEqual({ price: '0.58', size: '13' });
    no.asks.forEach((ask, i) => {
      expect(add(ask.price, yes.bids[i]?.price ?? '')).toBe('1');
      expect(ask.size).toBe(yes.bids[i]?.size);
    });
  });

  it('kalshi.md 4 does not rely on the order of levels', () => {
    const { yes_dollars, no_dollars } = wire.orderbook_fp;
    const turned = { orderbook_fp: { yes_dollars: [...yes_dollars].reverse(), no_dollars: [...no_dollars].reverse() } };
    expect(toOrderBook({ ticker: 'T', index: 0 }, turned)).toEqual(yes);
  });

  it('cuts to the depth asked for here too, from the best on', () => {
    const cut = toOrderBook({ ticker: 'T', index: 0, depth: 3 }, wire);
    expect([cut.bids, cut.asks]).toEqual([yes.bids.slice(0, 3), yes.asks.slice(0, 3)]);
  });

  it.each([{ yes_dollars: null, no_dollars: [] }, { no_dollars: null }, { yes_dollars: [] }])(
    'an empty side is an empty list, also where it is null or left out: %j',
    (book) => {
      const empty = wireOrderBook.parse({ orderbook_fp: book });
      expect(toOrderBook({ ticker: 'T', index: 0 }, empty)).toMatchObject({ bids: [], asks: [] });
    },
  );

  it('one side that is left out says nothing of the other', () => {
    const half = wireOrderBook.parse({ orderbook_fp: { yes_dollars: [['0.4200', '1.00']] } });
    expect(toOrderBook({ ticker: 'T', index: 1 }, half)).toMatchObject({
      bids: [],
      asks: [{ price: '0.58', size: '1' }],
    });
  });

  it('an answer without a book, with neither side or with numbers in it, is none', () => {
    expect(wireOrderBook.safeParse({}).success).toBe(false);
    expect(wireOrderBook.safeParse({ orderbook_fp: {} }).success).toBe(false);
    expect(wireOrderBook.safeParse({ orderbook_fp: { yes: [], no: [] } }).success).toBe(false);
    expect(wireOrderBook.safeParse({ orderbook_fp: { yes_dollars: [[0.42, 1]], no_dollars: [] } }).success).toBe(false);
  });
});
