import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { micros, MILLION } from './units.js';
import { afterTrade, emptyHolding, type Holding, reserve, takerFee } from './ledger.js';

function traded(...trades: ['bid' | 'ask', string, string][]): { holding: Holding; cash: bigint } {
  let holding = emptyHolding();
  let cash = 0n;
  for (const [side, price, size] of trades) {
    const after = afterTrade(holding, { side, price: micros(price), size: micros(size) });
    holding = after.holding;
    cash += after.cash;
  }
  return { holding, cash };
}

describe('afterTrade', () => {
  it('kalshi.md 5 buys YES at its price', () => {
    const { holding, cash } = traded(['bid', '0.42', '10']);
    expect(holding).toMatchObject({ position: micros('10'), exposure: micros('4.2'), totalTraded: micros('4.2') });
    expect(cash).toBe(-micros('4.2'));
  });

  it('kalshi.md 5 an ask buys NO at 1 - price', () => {
    const { holding, cash } = traded(['ask', '0.75', '2.5']);
    expect(holding).toMatchObject({ position: -micros('2.5'), exposure: micros('0.625') });
    expect(cash).toBe(-micros('0.625'));
  });

  it('nets opposite positions: a pair is worth one dollar', () => {
    const { holding, cash } = traded(['bid', '0.42', '10'], ['ask', '0.50', '10']);
    expect(holding).toMatchObject({ position: 0n, exposure: 0n, realizedPnl: micros('0.8') });
    expect(cash).toBe(micros('0.8'));
  });

  it('gives up cost in proportion where a part is netted', () => {
    const { holding } = traded(['bid', '0.40', '10'], ['ask', '0.60', '4']);
    expect(holding).toMatchObject({ position: micros('6'), exposure: micros('2.4'), realizedPnl: micros('0.8') });
  });

  it('turns a position round and keeps the cost of what is left', () => {
    const { holding, cash } = traded(['bid', '0.40', '10'], ['ask', '0.60', '4'], ['ask', '0.70', '9']);
    expect(holding).toMatchObject({ position: -micros('3'), exposure: micros('0.9'), realizedPnl: micros('2.6') });
    expect(cash).toBe(micros('1.7'));
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
  const bid = { side: 'bid', price: micros('0.42'), remaining: micros('10') } as const;
  const ask = { side: 'ask', price: micros('0.60'), remaining: micros('10') } as const;

  it('holds back the price of YES for bids and of NO for asks', () => {
    expect(reserve(0n, [bid])).toBe(micros('4.2'));
    expect(reserve(0n, [ask])).toBe(micros('4'));
    expect(reserve(0n, [bid, ask])).toBe(micros('8.2'));
  });

  it('holds nothing back for contracts that net away a holding, those that trade first in front', () => {
    expect(reserve(micros('10'), [ask])).toBe(0n);
    expect(reserve(micros('4'), [ask])).toBe(micros('2.4'));
    expect(reserve(micros('10'), [{ ...ask, price: micros('0.90') }, ask])).toBe(micros('1'));
    expect(reserve(-micros('10'), [bid])).toBe(0n);
  });
});

describe('takerFee', () => {
  it('kalshi.md 7 is 0.07 × count × P × (1 - P), rounded up to a hundredth of a cent', () => {
    expect(takerFee(micros('0.5'), micros('100'))).toBe(micros('1.75'));
    expect(takerFee(micros('0.52'), micros('5'))).toBe(micros('0.0874'));
    expect(takerFee(micros('0.0001'), micros('0.01'))).toBe(micros('0.0001'));
    expect(takerFee(micros('0.5'), MILLION)).toBe(micros('0.0175'));
  });
});
