import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type NewOrder, OrderBook } from './matching-engine.js';
import { ONE } from './units.js';

function cents(value: number): bigint {
  return BigInt(value) * 10_000n;
}

function contracts(value: number): bigint {
  return BigInt(value) * ONE;
}

let serial = 0;

function anOrder(overrides: Partial<NewOrder> = {}): NewOrder {
  serial += 1;
  return {
    id: `o-${serial}`,
    owner: 'alice',
    side: 'bid',
    price: cents(50),
    size: contracts(10),
    timeInForce: 'GTC',
    ...overrides,
  };
}

describe('OrderBook', () => {
  it('rests an order that meets nothing', () => {
    const book = new OrderBook();
    const result = book.place(anOrder({ id: 'a' }));
    expect(result).toMatchObject({ outcome: 'accepted', fills: [], resting: contracts(10), cancelled: 0n });
    expect(book.best('bid')).toEqual({ price: cents(50), size: contracts(10) });
    expect(book.find('a')?.remaining).toBe(contracts(10));
  });

  it('matches best price first, then first come first served, at the resting price', () => {
    const book = new OrderBook();
    book.place(anOrder({ id: 'second', side: 'ask', price: cents(52) }));
    book.place(anOrder({ id: 'third', side: 'ask', price: cents(52) }));
    book.place(anOrder({ id: 'first', side: 'ask', price: cents(51) }));
    const result = book.place(anOrder({ owner: 'bob', price: cents(55), size: contracts(25) }));
    expect(result.fills.map(({ makerId, price, size }) => [makerId, price, size])).toEqual([
      ['first', cents(51), contracts(10)],
      ['second', cents(52), contracts(10)],
      ['third', cents(52), contracts(5)],
    ]);
    expect(book.levels('ask')).toEqual([{ price: cents(52), size: contracts(5) }]);
    expect(book.find('first')).toBeUndefined();
  });

  it('sums levels and lists them best first on both sides', () => {
    const book = new OrderBook();
    for (const price of [40, 42, 42, 41]) book.place(anOrder({ price: cents(price) }));
    for (const price of [60, 58, 59]) book.place(anOrder({ side: 'ask', price: cents(price) }));
    expect(book.levels('bid').map(({ price, size }) => [price, size])).toEqual([
      [cents(42), contracts(20)],
      [cents(41), contracts(10)],
      [cents(40), contracts(10)],
    ]);
    expect(book.levels('ask').map(({ price }) => price)).toEqual([cents(58), cents(59), cents(60)]);
  });

  it('IOC takes what there is and cancels the rest', () => {
    const book = new OrderBook();
    book.place(anOrder({ side: 'ask', size: contracts(4) }));
    const result = book.place(anOrder({ owner: 'bob', timeInForce: 'IOC' }));
    expect(result).toMatchObject({ filled: contracts(4), resting: 0n, cancelled: contracts(6) });
    expect(book.best('bid')).toBeUndefined();
  });

  it('FOK takes all or nothing', () => {
    const book = new OrderBook();
    book.place(anOrder({ side: 'ask', size: contracts(4) }));
    expect(book.place(anOrder({ owner: 'bob', timeInForce: 'FOK' }))).toMatchObject({
      outcome: 'not_filled',
      filled: 0n,
      cancelled: contracts(10),
    });
    expect(book.best('ask')?.size).toBe(contracts(4));
    const small = book.place(anOrder({ owner: 'bob', timeInForce: 'FOK', size: contracts(4) }));
    expect(small.filled).toBe(contracts(4));
  });

  it('post-only reports that it would cross and leaves the book alone', () => {
    const book = new OrderBook();
    book.place(anOrder({ side: 'ask' }));
    expect(book.place(anOrder({ owner: 'bob', postOnly: true }))).toMatchObject({ outcome: 'would_cross', fills: [] });
    expect(book.place(anOrder({ owner: 'bob', postOnly: true, price: cents(49) })).resting).toBe(contracts(10));
  });

  it('taker_at_cross keeps earlier fills and cancels the rest on meeting an own order', () => {
    const book = new OrderBook();
    book.place(anOrder({ owner: 'carol', side: 'ask', price: cents(48), size: contracts(3) }));
    book.place(anOrder({ id: 'own', owner: 'bob', side: 'ask', price: cents(49) }));
    const result = book.place(anOrder({ owner: 'bob', selfTrade: 'taker_at_cross' }));
    expect(result).toMatchObject({
      filled: contracts(3),
      resting: 0n,
      cancelled: contracts(7),
      selfTradePrevented: true,
    });
    expect(book.find('own')?.remaining).toBe(contracts(10));
  });

  it('maker self-trade prevention cancels the own resting order and goes on', () => {
    const book = new OrderBook();
    book.place(anOrder({ id: 'own', owner: 'bob', side: 'ask', price: cents(48) }));
    book.place(anOrder({ owner: 'carol', side: 'ask', price: cents(49), size: contracts(3) }));
    const result = book.place(anOrder({ owner: 'bob', selfTrade: 'maker' }));
    expect(result.cancelledMakers.map(({ id }) => id)).toEqual(['own']);
    expect(result).toMatchObject({ filled: contracts(3), resting: contracts(7) });
    expect(book.find('own')).toBeUndefined();
  });

  it('previews the trades of an order without making them', () => {
    const book = new OrderBook();
    book.place(anOrder({ side: 'ask', size: contracts(4) }));
    expect(book.preview(anOrder({ owner: 'bob' }))).toEqual([{ price: cents(50), size: contracts(4) }]);
    expect(book.best('ask')?.size).toBe(contracts(4));
  });

  it('cancels and reduces by id', () => {
    const book = new OrderBook();
    book.place(anOrder({ id: 'a' }));
    expect(book.reduce('a', contracts(4))?.remaining).toBe(contracts(6));
    expect(book.cancel('a')?.remaining).toBe(contracts(6));
    expect(book.cancel('a')).toBeUndefined();
    expect(book.best('bid')).toBeUndefined();
  });

  it.each([
    ['a known id', { id: 'known' }],
    ['a price of 0', { price: 0n }],
    ['a price of 1', { price: ONE }],
    ['no size', { size: 0n }],
  ])('refuses %s', (_name, overrides) => {
    const book = new OrderBook();
    book.place(anOrder({ id: 'known' }));
    expect(() => book.place(anOrder(overrides))).toThrow(RangeError);
  });

  it('never leaves a crossed book and loses no contract, whatever comes', () => {
    const order = fc.record({
      owner: fc.constantFrom('alice', 'bob', 'carol'),
      side: fc.constantFrom('bid' as const, 'ask' as const),
      price: fc.integer({ min: 1, max: 99 }).map(cents),
      size: fc.integer({ min: 1, max: 2_000 }).map((size) => BigInt(size) * 10_000n),
      timeInForce: fc.constantFrom('GTC' as const, 'IOC' as const, 'FOK' as const),
      selfTrade: fc.constantFrom('taker_at_cross' as const, 'maker' as const, 'allow' as const),
      postOnly: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(order, { maxLength: 60 }), (orders) => {
        const book = new OrderBook();
        let expected = 0n;
        for (const next of orders) {
          const result = book.place(anOrder(next));
          expect(result.filled + result.resting + result.cancelled).toBe(next.size);
          const gone = result.cancelledMakers.reduce((sum, maker) => sum + maker.remaining, 0n);
          expected += result.resting - result.filled - gone;
          const bid = book.best('bid')?.price ?? 0n;
          const ask = book.best('ask')?.price ?? ONE;
          expect(bid < ask).toBe(true);
        }
        const resting = [...book.levels('bid'), ...book.levels('ask')].reduce((sum, { size }) => sum + size, 0n);
        expect(resting).toBe(expected);
      }),
    );
  });
});
