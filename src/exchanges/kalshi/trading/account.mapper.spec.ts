import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { toBalance } from './account.mapper.js';
import { wireBalance, wireReserved } from './account.wire.js';

const sample = (name: string): unknown => JSON.parse(readFileSync(`test/vectors/kalshi/kalshi-${name}.json`, 'utf8'));

const UNKNOWN = { reserved: null, names: new Map<number, string>() };

describe('toBalance', () => {
  it('unified-schema.md 8 maps money: dollars as text, the portfolio from cents', () => {
    expect(toBalance(wireBalance.parse(sample('balance')), UNKNOWN)).toEqual({
      exchange: 'kalshi',
      currency: 'USD',
      available: '98.0186',
      reserved: null,
      total: null,
      portfolio_value: '2.84',
      breakdown: [
        { key: '0', label: 'Shard 0', available: '78.0186', reserved: null },
        { key: '2', label: 'Shard 2', available: '20', reserved: null },
      ],
      updated_at: '2026-11-20T15:00:00.000Z',
    });
  });

  it('unified-schema.md 1 what is not told is null, and a breakdown may be missing', () => {
    const balance = toBalance(wireBalance.parse({ balance_dollars: '0.0000' }), UNKNOWN);
    expect(balance).toMatchObject({ available: '0', portfolio_value: null, breakdown: [], updated_at: null });
  });

  it('contract.md 5.7 names shards, and tells what orders hold back on each: nothing on one that is left out', () => {
    const names = new Map([
      [0, 'Default'],
      [2, 'Crypto and commodities'],
    ]);
    const reserved = wireReserved.parse(sample('resting-order-value'));
    expect(toBalance(wireBalance.parse(sample('balance-shards')), { reserved, names })).toMatchObject({
      available: '98.0186',
      reserved: '12.5',
      breakdown: [
        { key: '0', label: 'Default', available: '53.0186', reserved: '7.5' },
        { key: '1', label: 'Shard 1', available: '0', reserved: '0' },
        { key: '2', label: 'Crypto and commodities', available: '20', reserved: '0' },
        { key: '3', label: 'Shard 3', available: '25', reserved: '5' },
      ],
    });
  });

  it.each([
    [{ total_resting_order_value: 0, resting_order_value_breakdown: [] }, '0', '0'],
    [{ total_resting_order_value: 1250 }, '12.5', null],
    [{ total_resting_order_value: 1250, resting_order_value_breakdown: null }, '12.5', null],
  ])('contract.md 5.7 of %j %s is reserved, and %s on a shard', (body, whole, part) => {
    const balance = wireBalance.parse({
      balance_dollars: '1',
      balance_breakdown: [{ exchange_index: 0, balance: '1' }],
    });
    const { reserved, breakdown } = toBalance(balance, { ...UNKNOWN, reserved: wireReserved.parse(body) });
    expect([reserved, breakdown[0]?.reserved]).toEqual([whole, part]);
  });

  it('an answer that tells nothing reserved is none', () => {
    expect(wireReserved.safeParse({}).success).toBe(false);
  });
});
