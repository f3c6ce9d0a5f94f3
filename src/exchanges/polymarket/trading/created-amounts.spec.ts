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
    ['what no money buys', {}, { takingAmount: '9'.repeat(30), makingAmount: '5.2' }, '10'],
    ['more of a gtc', { timeInForce: 'gtc' }, { takingAmount: '12', makingAmount: '5.2' }, '0.000012'],
    ['millionths of a gtc', { timeInForce: 'gtc' }, { takingAmount: '2500000', makingAmount: '1300000' }, '2.5'],
    ['shares of a sale', { side: 'sell' }, { takingAmount: '6', makingAmount: '10' }, '10'],
    ['millionths of a sale', { side: 'sell' }, { takingAmount: '6000000', makingAmount: '4000000' }, '4'],
    ['money that was cut', { price: '0.5199999', size: '9.999999' }, { takingAmount: '9', makingAmount: '5.2' }, '9'],
  ] as const)('polymarket-2026.md 2.6 reads %s', (_name, change, amounts, shares) => {
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
  ] as const)('contract.md 9 tells an order that is %s, with %s of 10 filled, as %s', (status, filledSize, told) => {
    const { size, filled_size, remaining_size, ...order } = orderOf(BUY, state({ status, filledSize }));
    expect([size, filled_size, order.status]).toEqual(['10', filledSize, told]);
    expect(remaining_size).toBe(filledSize === '9.9' ? '0.1' : '0');
  });

  it('contract.md 9 gives no reason for an end that it has not', () => {
    const whole = orderOf(BUY, state({ status: 'cancelled', statusReason: 'market_resolved' }));
    expect([whole.status, whole.status_reason]).toEqual(['filled', null]);
  });
});
