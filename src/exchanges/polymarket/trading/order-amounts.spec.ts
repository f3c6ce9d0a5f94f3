import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { multiply } from '../../decimal.js';
import { type Amounts, type AskedAmounts, exactAmounts, possibleAmounts, purchaseAmounts } from './order-amounts.js';

const TICKS = ['0.1', '0.01', '0.005', '0.0025', '0.001', '0.0001'] as const;
const PLACES = { '0.1': 3, '0.01': 4, '0.005': 5, '0.0025': 6, '0.001': 5, '0.0001': 6 } as const;

/** Canonical text of whole units of `10^-places`. */
function decimal(units: bigint, places: number): string {
  const digits = String(units).padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '');
}

interface Case extends AskedAmounts {
  readonly tick: (typeof TICKS)[number];
  /** Price in ten-thousandths, size in hundredths. */
  readonly priceUnits: bigint;
  readonly sizeUnits: bigint;
}

const cases = fc
  .record({
    tick: fc.constantFrom(...TICKS),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    timeInForce: fc.constantFrom('gtc' as const, 'gtd' as const, 'fok' as const, 'ioc' as const),
    at: fc.integer({ min: 1, max: 9_999 }),
    sizeUnits: fc.oneof(fc.bigInt(1n, 1_000n), fc.bigInt(1n, 10n ** 30n)),
  })
  .map(({ at, ...terms }): Case => {
    const step = BigInt(Math.round(Number(terms.tick) * 10_000));
    const priceUnits = ((BigInt(at) % (10_000n / step - 1n)) + 1n) * step;
    return { ...terms, priceUnits, price: decimal(priceUnits, 4), size: decimal(terms.sizeUnits, 2) };
  });

const isMarketBuy = ({ side, timeInForce }: AskedAmounts): boolean =>
  side === 'buy' && (timeInForce === 'fok' || timeInForce === 'ioc');

/** Of a market order to buy, where all that was asked is for sale at the limit price. */
function amountsAt(asked: AskedAmounts, tick: string): Amounts | null {
  const { price, size } = asked;
  return isMarketBuy(asked) ? purchaseAmounts({ money: multiply(price, size), price }, tick) : exactAmounts(asked);
}

describe('exactAmounts and purchaseAmounts', () => {
  it('contract.md 5.6 is price times size exactly, however large, but for a market order to buy', () => {
    fc.assert(
      fc.property(
        cases.filter((one) => !isMarketBuy(one)),
        (one) => {
          const money = one.priceUnits * one.sizeUnits;
          expect(amountsAt(one, one.tick)).toEqual({ money, shares: one.sizeUnits * 10_000n });
        },
      ),
    );
  });

  it('contract.md 5.6 spends no more than was asked, in whole cents, and takes what that pays for', () => {
    fc.assert(
      fc.property(cases.filter(isMarketBuy), (one) => {
        const asked = one.priceUnits * one.sizeUnits;
        const amounts = amountsAt(one, one.tick);
        expect(amounts === null).toBe(asked < 10_000n);
        if (amounts === null) return;
        const { money, shares } = amounts;
        expect([money % 10_000n, money <= asked, asked - money < 10_000n]).toEqual([0n, true, true]);
        const step = 10n ** BigInt(6 - PLACES[one.tick]);
        expect(shares % step).toBe(0n);
        // Cut to the step, but for what lies less than a ten-thousandth of it below the next one.
        const exact = money * 10_000n;
        const guard = step * one.priceUnits;
        expect(shares * one.priceUnits <= exact + guard / 10_000n + 1n).toBe(true);
        expect((shares + step) * one.priceUnits > exact).toBe(true);
      }),
    );
  });

  it.each([
    ['0.333', '5', '0.001', 1_660_000n, 4_984_980n],
    ['0.5', '5', '0.1', 2_500_000n, 5_000_000n],
    ['0.3', '1', '0.1', 300_000n, 1_000_000n],
    ['0.7', '3.33', '0.1', 2_330_000n, 3_328_000n],
    ['0.0003', '34', '0.0001', 10_000n, 33_333_333n],
  ])('contract.md 5.6 buys at %s, %s shares, tick %s, at once', (price, size, tick, money, shares) => {
    expect(amountsAt({ side: 'buy', timeInForce: 'ioc', price, size }, tick)).toEqual({ money, shares });
  });

  it('contract.md 5.6 is none where nothing, or no whole amount, comes of it', () => {
    const buy = { side: 'buy', timeInForce: 'fok', price: '0.01', size: '0.99' } as const;
    expect(amountsAt(buy, '0.01')).toBeNull();
    expect(amountsAt({ ...buy, timeInForce: 'gtc', price: '0.00001', size: '0.01' }, '0.00001')).toBeNull();
    expect(amountsAt({ ...buy, side: 'sell', size: '0.0000001' }, '0.01')).toBeNull();
  });

  it('contract.md 5.6 knows each amount that was signed, whatever the tick was', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const amounts = amountsAt(one, one.tick);
        expect(possibleAmounts(one)).toEqual(expect.arrayContaining(amounts === null ? [] : [amounts]));
      }),
    );
  });
});

describe('possibleAmounts', () => {
  it.each(TICKS)('contract.md 5.6 of a market order to buy are those of the tick %s too', (tick) => {
    const asked = { side: 'buy', timeInForce: 'ioc', price: '0.7', size: '3.33' } as const;
    expect(possibleAmounts(asked)).toContainEqual(amountsAt(asked, tick));
  });
});
