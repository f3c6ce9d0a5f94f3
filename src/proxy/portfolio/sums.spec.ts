import { describe, expect, it } from '@jest/globals';
import type { BalanceDto } from '../../exchanges/unified.trading.dto.js';
import { type AccountReading, totalsOf } from './sums.js';

const money = (available: string, reserved: string | null): BalanceDto => ({
  exchange: 'one',
  currency: 'PUSD',
  available,
  reserved,
  total: null,
  portfolio_value: null,
  breakdown: [],
  updated_at: null,
});

const reading = (balances: BalanceDto[] | null): AccountReading => ({
  exchange: { id: 'one', money: { currency: 'PUSD', hasReservedInAvailable: true } },
  account: null,
  from: new Date(),
  balances,
  portfolio: {
    exchange: 'one',
    balance: balances?.[0] ?? null,
    positions_value: '30',
    redeemable_value: '0',
    unrealized_pnl: '1',
    realized_pnl: '2',
    fees: null,
    open_orders: 0,
    error: null,
  },
});

describe('totals (contract.md 5.17)', () => {
  it('have the money of each account that the positions are of', () => {
    expect(totalsOf([reading([money('100', '10'), money('50', '5')])])).toMatchObject([
      { cash: '135', reserved: '15', positions_value: '30', equity: '180', partial: false },
    ]);
  });

  it.each([
    ['of one is unknown', [money('100', '10'), money('50', null)]],
    ['could not be read', null],
  ])('have no equity where the money %s', (_, balances) => {
    expect(totalsOf([reading(balances)])).toMatchObject([
      { cash: null, reserved: null, equity: null, realized_pnl: '2', partial: true },
    ]);
  });
});
