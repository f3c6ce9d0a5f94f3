import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ONE, toFixed, toUnits } from '../../units.js';
import { fillFee, type FeeRule, PRECISION, tradeFee } from './fee.js';

const GENERAL: FeeRule = { type: 'quadratic', multiplier: ONE };
const MAKERS: FeeRule = { type: 'quadratic_with_maker_fees', multiplier: ONE };
const COMBOS: FeeRule = { type: 'quadratic_with_combo_maker_fees', multiplier: ONE };
const HALVED: FeeRule = { ...GENERAL, multiplier: ONE / 2n };

function feeOf(rule: FeeRule, size: string, price: string, isTaker = true): string {
  return toFixed(tradeFee(rule, { size: toUnits(size), price: toUnits(price), isTaker }), 6);
}

/** What fills of one order cost, bought one after the other: fee of each, and what is carried at the end. */
function bought(rule: FeeRule, precision: bigint, ...fills: [size: string, price: string, role?: 'maker'][]) {
  let carried = 0n;
  const fees = fills.map(([size, price, role]) => {
    const [s, p] = [toUnits(size), toUnits(price)];
    const fill = { size: s, price: p, isTaker: role === undefined, revenue: -(s * p) / ONE };
    const charged = fillFee(rule, fill, carried, precision);
    carried = charged.carried;
    return toFixed(charged.fee, 6);
  });
  return { fees, carried: toFixed(carried, 6) };
}

describe('tradeFee', () => {
  it.each([
    // the published table of general fees, before it is rounded to cents
    [GENERAL, '100', '0.50', '1.750000'],
    [GENERAL, '100', '0.25', '1.312500'],
    [GENERAL, '100', '0.01', '0.069300'],
    [GENERAL, '100', '0.99', '0.069300'],
    [GENERAL, '1', '0.50', '0.017500'],
    [HALVED, '100', '0.50', '0.875000'],
    // the example of the page on rounding: 0.00363825
    [GENERAL, '1', '0.055', '0.003639'],
    [GENERAL, '0.01', '0.0001', '0.000001'],
    [GENERAL, '7.77', '0.4321', '0.133468'],
    [{ type: 'flat', multiplier: ONE }, '7', '0.9', '0.070000'],
  ] as const)('kalshi.md 7.1 %j takes of %s contracts at %s %s from the taker', (rule, size, price, fee) => {
    expect(feeOf(rule, size, price)).toBe(fee);
  });

  it.each([
    [GENERAL, '0.000000'],
    [MAKERS, '0.437500'],
    [COMBOS, '0.875000'],
    [{ type: 'flat', multiplier: ONE }, '0.000000'],
  ] as const)('kalshi.md 7.1 %j takes of a maker of 100 at 0.50 %s', (rule, fee) => {
    expect(feeOf(rule, '100', '0.50', false)).toBe(fee);
  });
});

describe('fillFee', () => {
  it('kalshi.md 7.1 aligns the balance: the published example of a member whose balance is in cents', () => {
    // 0.003639 and 0.001361 of rounding: the balance falls by 0.06
    expect(bought(GENERAL, PRECISION.cleared, ['1', '0.055'])).toEqual({ fees: ['0.005000'], carried: '0.001361' });
  });

  it('kalshi.md 7.1 carries overpayment from fill to fill of an order and gives it back in whole steps', () => {
    const fee = (revenue: string, carried: string) =>
      fillFee(
        { ...GENERAL, multiplier: 0n },
        { price: ONE / 2n, size: ONE, isTaker: true, revenue: -toUnits(revenue) },
        toUnits(carried),
        PRECISION.cleared,
      );
    // three fills that overpay 0.004 each, as published; the third one cannot give back more than it costs
    expect(fee('0.506', '0')).toEqual({ fee: 4_000n, carried: 4_000n });
    expect(fee('0.506', '0.004')).toEqual({ fee: 4_000n, carried: 8_000n });
    expect(fee('0.506', '0.008')).toEqual({ fee: 4_000n, carried: 12_000n });
    const third = fillFee(
      GENERAL,
      { price: ONE / 2n, size: ONE, isTaker: true, revenue: -toUnits('0.4985') },
      8_000n,
      10_000n,
    );
    // 0.0175 + 0.004 of rounding - 0.01
    expect(third).toEqual({ fee: 11_500n, carried: 2_000n });
  });

  it('kalshi.md 7.1 goes on with what an order overpaid as a taker when it becomes a maker', () => {
    expect(bought(GENERAL, PRECISION.direct, ['0.03', '0.0777'], ['0.07', '0.0777', 'maker'])).toEqual({
      // model 0.000151 of 0.002331, up to 0.0025; then 0.005439, up to 0.0055: 0.00008 are left over in all
      fees: ['0.000169', '0.000061'],
      carried: '0.000079',
    });
  });

  it('whatever is traded, each change of the balance is aligned, no fee is below 0, and an order overpays by less than one step', () => {
    const price = fc.bigInt(1n, 9_999n).map((tick) => tick * 100n);
    const size = fc.bigInt(1n, 500_000n).map((step) => step * 10_000n);
    const fill = fc.record({ price, size, isTaker: fc.boolean(), buys: fc.boolean() });
    const rule = fc.constantFrom(GENERAL, MAKERS, COMBOS, HALVED);
    const check = (
      chosen: FeeRule,
      precision: bigint,
      fills: (typeof fill extends fc.Arbitrary<infer T> ? T : never)[],
    ): void => {
      let [carried, paid, model] = [0n, 0n, 0n];
      for (const { buys, ...one } of fills) {
        const worth = (one.price * one.size) / ONE;
        const revenue = buys ? -worth : worth;
        const charged = fillFee(chosen, { ...one, revenue }, carried, precision);
        expect((revenue - charged.fee) % precision).toBe(0n);
        expect(charged.fee).toBeGreaterThanOrEqual(0n);
        paid += charged.fee;
        model += tradeFee(chosen, one);
        carried = charged.carried;
      }
      expect(paid - model).toBe(carried);
    };
    fc.assert(
      fc.property(rule, fc.constantFrom(...Object.values(PRECISION)), fc.array(fill, { maxLength: 12 }), check),
      { numRuns: 300 },
    );
  });
});
