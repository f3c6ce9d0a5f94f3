import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toUnits } from '../units.js';
import { afterTrade, emptyHolding, type Holding, reserve } from './ledger.js';

function traded(...trades: ['bid' | 'ask', string, string][]): { holding: Holding; cash: bigint } {
  let holding = emptyHolding();
  let cash = 0n;
  for (const [side, price, size] of trades) {
    const after = afterTrade(holding, { side, price: toUnits(price), size: toUnits(size) });
    holding = after.holding;
    cash += after.cash;
  }
  return { holding, cash };
}

describe('afterTrade', () => {
  it('kalshi.md 5.1 buys YES at its price', () => {
    const { holding, cash } = traded(['bid', '0.42', '10']);
    expect(holding).toMatchObject({ position: toUnits('10'), exposure: toUnits('4.2'), totalTraded: toUnits('4.2') });
    expect(cash).toBe(-toUnits('4.2'));
  });

  it('kalshi.md 5.1 an ask buys NO at 1 - price', () => {
    const { holding, cash } = traded(['ask', '0.75', '2.5']);
    expect(holding).toMatchObject({ position: -toUnits('2.5'), exposure: toUnits('0.625') });
    expect(cash).toBe(-toUnits('0.625'));
  });

  it('nets opposite positions: a pair is worth one dollar', () => {
    const { holding, cash } = traded(['bid', '0.42', '10'], ['ask', '0.50', '10']);
    expect(holding).toMatchObject({ position: 0n, exposure: 0n, realizedPnl: toUnits('0.8') });
    expect(cash).toBe(toUnits('0.8'));
  });

  it('gives up cost in proportion where a part is netted', () => {
    const { holding } = traded(['bid', '0.40', '10'], ['ask', '0.60', '4']);
    expect(holding).toMatchObject({ position: toUnits('6'), exposure: toUnits('2.4'), realizedPnl: toUnits('0.8') });
  });

  it('turns a position round and keeps the cost of what is left', () => {
    const { holding, cash } = traded(['bid', '0.40', '10'], ['ask', '0.60', '4'], ['ask', '0.70', '9']);
    expect(holding).toMatchObject({ position: -toUnits('3'), exposure: toUnits('0.9'), realizedPnl: toUnits('2.6') });
    expect(cash).toBe(toUnits('1.7'));
  });

  it('keeps cash = realised profit - cost of what is held, exactly, whatever is traded', () => {
    const trade = fc.record({
      side: fc.constantFrom('bid' as const, 'ask' as const),
      price: fc.integer({ min: 1, max: 9_999 }).map((price) => BigInt(price) * 100n),
      size: fc.integer({ min: 1, max: 100_000 }).map((size) => BigInt(size) * 10_000n),
    });
    fc.assert(
      fc.property(fc.array(trade, { maxLength: 40 }), (trades) => {
        let holding = emptyHolding();
        let cash = 0n;
        for (const next of trades) {
          const after = afterTrade(holding, next);
          holding = after.holding;
          cash += after.cash;
        }
        expect(cash).toBe(holding.realizedPnl - holding.exposure);
        expect(holding.exposure >= 0n).toBe(true);
        expect(holding.position === 0n ? holding.exposure : 0n).toBe(0n);
      }),
    );
  });
});

describe('reserve', () => {
  const bid = { side: 'bid', price: toUnits('0.42'), remaining: toUnits('10') } as const;
  const ask = { side: 'ask', price: toUnits('0.60'), remaining: toUnits('10') } as const;

  it('holds back the price of YES for bids and of NO for asks', () => {
    expect(reserve(0n, [bid])).toBe(toUnits('4.2'));
    expect(reserve(0n, [ask])).toBe(toUnits('4'));
    expect(reserve(0n, [bid, ask])).toBe(toUnits('8.2'));
  });

  it('holds nothing back for contracts that net away a holding, those that trade first in front', () => {
    expect(reserve(toUnits('10'), [ask])).toBe(0n);
    expect(reserve(toUnits('4'), [ask])).toBe(toUnits('2.4'));
    expect(reserve(toUnits('10'), [{ ...ask, price: toUnits('0.90') }, ask])).toBe(toUnits('1'));
    expect(reserve(-toUnits('10'), [bid])).toBe(0n);
  });
});
