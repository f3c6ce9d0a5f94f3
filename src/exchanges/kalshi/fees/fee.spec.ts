import { describe, expect, it } from '@jest/globals';
import type { Execution } from '../../fees.contract.js';
import { type FeeRule, orderFee } from './fee.js';

const GENERAL: FeeRule = { type: 'quadratic', multiplier: '1' };
const MAKERS: FeeRule = { type: 'quadratic_with_maker_fees', multiplier: '1' };
const COMBOS: FeeRule = { type: 'quadratic_with_combo_maker_fees', multiplier: '1' };

function taken(size: string, price: string): Execution {
  return { size, price, role: 'taker' };
}

function rested(size: string, price: string): Execution {
  return { size, price, role: 'maker' };
}

describe('orderFee (kalshi.md 7.1)', () => {
  it.each([
    // the published table of general fees, and of maker fees a quarter, of combos a half of it
    [GENERAL, [taken('100', '0.5')], '1.75'],
    [GENERAL, [taken('100', '0.01')], '0.0693'],
    [{ ...GENERAL, multiplier: '0.5' }, [taken('100', '0.5')], '0.875'],
    [GENERAL, [rested('100', '0.5')], '0'],
    [MAKERS, [rested('100', '0.5')], '0.4375'],
    [COMBOS, [rested('100', '0.5')], '0.875'],
    // the example of the page on rounding: 0.00363825, and what takes the balance from -0.058639 to -0.0587
    [GENERAL, [taken('1', '0.055')], '0.0037'],
    // a maker may pay rounding where his rate is 0
    [GENERAL, [rested('0.01', '0.4321')], '0.000079'],
    // several prices: 0.527079 + 0.3675 + 0.000063, and less than a step of rounding in all
    [GENERAL, [taken('31', '0.4157'), taken('21', '0.5'), taken('0.01', '0.1')], '0.8947'],
    // what was overpaid as a taker goes on as a maker: 0.000169, then 0.000061
    [GENERAL, [taken('0.03', '0.0777'), rested('0.07', '0.0777')], '0.00023'],
  ] as const)('by %j an order that buys %j pays %s', (rule, executions, fee) => {
    expect(orderFee(rule, 'buy', executions)).toBe(fee);
  });

  it('a sale is aligned downwards too', () => {
    // 0.055 - 0.003639 = 0.051361, down to 0.0513
    expect(orderFee(GENERAL, 'sell', [taken('1', '0.055')])).toBe('0.0037');
    // 0.002331 - 0.000151 = 0.00218, down to 0.0021
    expect(orderFee(GENERAL, 'sell', [taken('0.03', '0.0777')])).toBe('0.000231');
  });

  it.each(['flat', 'margin_market_maker_program_fees', ''])('a fee of the type %j is not known', (type) => {
    expect(orderFee({ type, multiplier: '1' }, 'buy', [taken('1', '0.5')])).toBeNull();
  });

  it('what trades nothing pays nothing', () => {
    expect(orderFee(GENERAL, 'buy', [])).toBe('0');
  });
});
