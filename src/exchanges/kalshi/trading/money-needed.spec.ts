import { describe, expect, it } from '@jest/globals';
import type { Execution } from '../../fees.contract.js';
import { moneyNeeded } from './money-needed.js';

const TAKEN: Execution = { price: '0.44', size: '10', role: 'taker' };
const RESTED: Execution = { price: '0.45', size: '4', role: 'maker' };

const position = (index: 0 | 1, size: string) => ({ outcome: { id: 'X', index, label: null }, size });

describe('moneyNeeded (kalshi.md 7.2)', () => {
  it.each([
    ['buys YES with nothing held', { index: 0, side: 'buy' }, null, '6.3'],
    ['buys more of what is held', { index: 0, side: 'buy' }, position(0, '100'), '6.3'],
    ['sells YES with nothing held', { index: 0, side: 'sell' }, null, '7.9'],
    // 10 × -0.56 at once; the 4 that rest hold nothing back
    ['buys YES and redeems NO', { index: 0, side: 'buy' }, position(1, '100'), '-5.5'],
    // 3 redeemed at -0.56, 7 at 0.44, 4 at 0.45
    ['redeems as far as the position goes', { index: 0, side: 'buy' }, position(1, '3'), '3.3'],
    ['sells NO and redeems NO', { index: 1, side: 'sell' }, position(1, '100'), '-4.3'],
    ['sells NO, which holds YES', { index: 1, side: 'sell' }, position(0, '100'), '7.9'],
  ] as const)('%s', (_, terms, held, needed) => {
    expect(moneyNeeded(terms, [TAKEN, RESTED], { position: held, fee: '0.1' })).toBe(needed);
  });
});
