import { describe, expect, it } from '@jest/globals';
import type { Execution } from '../../fees.contract.js';
import { type FeeRule, orderFee } from './fee.js';

const SPORTS: FeeRule = { rate: '0.05', exponent: 1, takersOnly: true };
const STEEP: FeeRule = { rate: '0.25', exponent: 2, takersOnly: true };

function taken(size: string, price: string): Execution {
  return { size, price, role: 'taker' };
}

const RESTED: Execution = { size: '100', price: '0.5', role: 'maker' };

describe('orderFee (polymarket.md 7.3)', () => {
  it.each([
    [{ ...SPORTS, rate: '0.04' }, [taken('100', '0.5')], '1'],
    [STEEP, [taken('100', '0.5')], '1.5625'],
    [STEEP, [taken('100', '0.3')], '1.1025'],
    // of the transaction that polymarket.md 7.3 cites: 2.2398228, cut
    [SPORTS, [taken('180.34', '0.46')], '2.23982'],
    [SPORTS, [taken('25', '0.13')], '0.14137'],
    // each price is cut by itself: 0.09533 + 0.00124
    [SPORTS, [taken('7.77', '0.4321'), taken('0.101', '0.437')], '0.09657'],
    [SPORTS, [taken('0.01', '0.001')], '0'],
    [{ ...SPORTS, exponent: 0 }, [taken('10', '0.3')], '0.5'],
    [SPORTS, [RESTED], '0'],
    [SPORTS, [taken('25', '0.13'), RESTED], '0.14137'],
    [SPORTS, [], '0'],
  ] as const)('by %j an order that trades %j pays %s', (rule, executions, fee) => {
    expect(orderFee(rule, executions)).toBe(fee);
  });

  it('where makers pay too, nobody says how much', () => {
    const rule = { ...SPORTS, takersOnly: false };
    expect(orderFee(rule, [taken('25', '0.13')])).toBe('0.14137');
    expect(orderFee(rule, [taken('25', '0.13'), RESTED])).toBeNull();
  });
});
