import { describe, expect, it } from '@jest/globals';
import { sharesOf } from './created-amounts.js';
import { orderOf, type OrderState, type OrderTerms } from './order.mapper.js';

const BUY: OrderTerms = {
  id: '0x1',
  marketId: '0x2',
  outcome: { id: '5', index: 0, label: 'Yes' },
  side: 'buy',
  timeInForce: 'ioc',
  postOnly: false,
  price: '0.52',
  size: '10',
  expiresAt: null,
};

describe('sharesOf', () => {
  it.each([
    ['what was asked', {}, { takingAmount: '10', makingAmount: '5.2' }, '10'],
    ['more for the same money', {}, { takingAmount: '52', makingAmount: '5.2' }, '52'],
    ['more, in millionths', {}, { takingAmount: '52000000', makingAmount: '5200000' }, '52'],
    ['more, fees on top', {}, { takingAmount: '14.5', makingAmount: '5.25' }, '14.5'],
    ['more, the money left out', {}, { takingAmount: '14.5', makingAmount: '' }, '14.5'],
    ['millionths, the money left out', {}, { takingAmount: '14500000', makingAmount: null }, '14.5'],
    ['less', {}, { takingAmount: '2.5', makingAmount: '1.3' }, '2.5'],
    ['nothing where no money buys so much', {}, { takingAmount: '9'.repeat(30), makingAmount: '5.2' }, null],
    ['less of what its money buys', { money: '0.36' }, { takingAmount: '6000000', makingAmount: '360000' }, '6'],
    [
      'nothing of what may be either',
      { side: 'sell', size: '20000' },
      { takingAmount: '5200', makingAmount: '10000' },
      null,
    ],
    ['nothing of what may be either', { size: '20000' }, { takingAmount: '10000', makingAmount: '' }, null],
    ['dust as it stands', { side: 'sell', size: '20000' }, { takingAmount: '1', makingAmount: '9999' }, '9999'],
    ['a decimal point', { side: 'sell', size: '20000' }, { takingAmount: '5200', makingAmount: '10000.0' }, '10000'],
    ['nothing of nothing', {}, { takingAmount: '', makingAmount: null }, null],
    ['a fok that matched', { timeInForce: 'fok' }, { takingAmount: '', makingAmount: null }, '10'],
    ['a fok of many', { timeInForce: 'fok', size: '20000' }, { takingAmount: '20000', makingAmount: null }, '20000'],
    ['nothing of a fok for a sum', { timeInForce: 'fok', money: '3' }, { takingAmount: '', makingAmount: '3' }, null],
    ['more of a gtc', { timeInForce: 'gtc' }, { takingAmount: '12', makingAmount: '5.2' }, '0.000012'],
    ['millionths of a gtc', { timeInForce: 'gtc' }, { takingAmount: '2500000', makingAmount: '1300000' }, '2.5'],
    ['shares of a sale', { side: 'sell' }, { takingAmount: '6', makingAmount: '10' }, '10'],
    ['millionths of a sale', { side: 'sell' }, { takingAmount: '6000000', makingAmount: '4000000' }, '4'],
    ['money that was cut', { price: '0.5199999', size: '9.999999' }, { takingAmount: '9', makingAmount: '5.2' }, '9'],
  ] as const)('polymarket.md 7.3 reads %s', (_name, change, amounts, shares) => {
    expect(sharesOf({ status: 'matched', ...amounts }, { ...BUY, ...change })).toBe(shares);
  });
});

describe('orderOf', () => {
  const state = (change: Partial<OrderState>): OrderState => ({
    status: 'filled',
    statusReason: null,
    filledSize: '10',
    createdAt: null,
    tradeIds: [],
    ...change,
  });

  it.each([
    ['filled', '14.5', 'filled'],
    ['cancelled', '14.5', 'filled'],
    ['partially_filled', '10', 'filled'],
    ['open', '10', 'filled'],
    ['cancelled', '9.9', 'cancelled'],
    ['partially_filled', '9.9', 'partially_filled'],
    ['pending', '10', 'pending'],
    ['rejected', '10', 'rejected'],
  ] as const)('contract.md 5.6 tells an order that is %s, with %s of 10 filled, as %s', (status, filledSize, told) => {
    const { size, filled_size, remaining_size, ...order } = orderOf(BUY, state({ status, filledSize }));
    expect([size, filled_size, order.status]).toEqual(['10', filledSize, told]);
    expect(remaining_size).toBe(filledSize === '9.9' ? '0.1' : '0');
  });

  it.each([
    ['filled', '6', 'filled', '0'],
    ['filled', '5.97', 'filled', '0'],
    ['cancelled', '5.84', 'filled', '0'],
    ['partially_filled', '7', 'filled', '0'],
    ['filled', '5.83', 'cancelled', '0.17'],
    ['filled', '4', 'cancelled', '2'],
    ['cancelled', '4', 'cancelled', '2'],
    ['pending', '4', 'pending', '2'],
  ] as const)(
    'contract.md 5.6 tells one of 6 for 0.36 that is %s, with %s, as %s, %s left',
    (status, filledSize, told, left) => {
      const order = orderOf({ ...BUY, size: '6', money: '0.36' }, state({ status, filledSize }));
      expect([order.size, order.filled_size, order.status, order.remaining_size]).toEqual([
        '6',
        filledSize,
        told,
        left,
      ]);
    },
  );

  it('contract.md 5.6 knows the end of one that has all that it asked for', () => {
    const terms: OrderTerms = { ...BUY, size: '6', money: '0.36' };
    const unknown = { status: 'pending', statusReason: 'unknown_status' } as const;
    expect(orderOf(terms, state({ ...unknown, filledSize: '5.97' }))).toMatchObject({
      status: 'filled',
      status_reason: null,
    });
    expect(orderOf(terms, state({ ...unknown, filledSize: '4' }))).toMatchObject({ status: 'pending' });
  });

  it('contract.md 5.6 gives no reason for an end that it has not', () => {
    const whole = orderOf(BUY, state({ status: 'cancelled', statusReason: 'market_resolved' }));
    expect([whole.status, whole.status_reason]).toEqual(['filled', null]);
  });
});
