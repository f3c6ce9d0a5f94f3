import { describe, expect, it } from '@jest/globals';
import { prospectOf, totalOf } from './order-prospect.js';

const BOOK = {
  bids: [
    { price: '0.42', size: '7.5' },
    { price: '0.4', size: '100' },
  ],
  asks: [
    { price: '0.44', size: '3.33' },
    { price: '0.47', size: '10' },
  ],
};
const GTC = { side: 'buy', price: '0.47', size: '5', time_in_force: 'gtc', post_only: false } as const;
const PLAIN = { ...GTC, money: null, most_size: null } as const;
const SPENDING = { ...PLAIN, time_in_force: 'fok', most_size: '100000' } as const;
const NOTHING = { taken: [], rest: null, wouldCross: false, notFilled: false };

const taken = (price: string, size: string) => ({ price, size, role: 'taker' });

describe('prospectOf', () => {
  it.each([
    ['takes the best prices first', PLAIN, { taken: [taken('0.44', '3.33'), taken('0.47', '1.67')] }],
    ['sells by the bids', { ...PLAIN, side: 'sell', price: '0.41' }, { taken: [taken('0.42', '5')] }],
    [
      'rests with what its price does not find',
      { ...PLAIN, price: '0.44' },
      { taken: [taken('0.44', '3.33')], rest: { price: '0.44', size: '1.67', role: 'maker' } },
    ],
    ['rests whole', { ...PLAIN, price: '0.43' }, { rest: { price: '0.43', size: '5', role: 'maker' } }],
    ['an ioc does not rest', { ...PLAIN, price: '0.44', time_in_force: 'ioc' }, { taken: [taken('0.44', '3.33')] }],
    ['an ioc that finds nothing', { ...PLAIN, price: '0.43', time_in_force: 'ioc' }, { notFilled: true }],
    ['a fok that finds too little', { ...PLAIN, price: '0.44', time_in_force: 'fok' }, { notFilled: true }],
    ['a post-only order that would trade', { ...PLAIN, post_only: true }, { wouldCross: true }],
    [
      'a post-only order that rests',
      { ...PLAIN, post_only: true, price: '0.43' },
      { rest: { price: '0.43', size: '5', role: 'maker' } },
    ],
    // 2.25 - 3.33 × 0.44 = 0.7848, which buys 1.669787 at 0.47
    [
      'a sum is spent whatever it brings',
      { ...SPENDING, money: '2.25' },
      { taken: [taken('0.44', '3.33'), taken('0.47', '1.669787')] },
    ],
    [
      'a sum that takes one level whole',
      { ...SPENDING, price: '0.44', money: '1.4652' },
      { taken: [taken('0.44', '3.33')] },
    ],
    ['a sum for which there is too little', { ...SPENDING, price: '0.44', money: '2' }, { notFilled: true }],
    [
      'the same, as an ioc',
      { ...SPENDING, price: '0.44', money: '2', time_in_force: 'ioc' },
      { taken: [taken('0.44', '3.33')] },
    ],
  ] as const)('%s', (_, terms, expected) => {
    expect(prospectOf(terms, BOOK)).toEqual({ ...NOTHING, ...expected });
  });

  it('an empty book fills nothing, and levels without a size are none', () => {
    const empty = { bids: [], asks: [{ price: '0.1', size: '0' }] };
    expect(prospectOf({ ...PLAIN, time_in_force: 'ioc' }, empty)).toEqual({ ...NOTHING, notFilled: true });
  });
});

describe('totalOf', () => {
  it('cuts the average after ten places, and has none of nothing', () => {
    const { taken: all } = prospectOf(PLAIN, BOOK);
    expect(totalOf(all)).toEqual({ size: '5', average_price: '0.45002' });
    expect(
      totalOf([
        { price: '0.1', size: '1', role: 'taker' },
        { price: '0.2', size: '2', role: 'taker' },
      ]),
    ).toEqual({
      ...{ size: '3', average_price: '0.1666666666' },
    });
    expect(totalOf([])).toEqual({ size: '0', average_price: null });
  });
});
