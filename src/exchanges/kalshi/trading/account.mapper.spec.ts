import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { toBalance } from './account.mapper.js';
import { wireBalance } from './account.wire.js';

const sample = (name: string): unknown => JSON.parse(readFileSync(`test/vectors/kalshi/kalshi-${name}.json`, 'utf8'));

describe('toBalance', () => {
  it('unified-schema.md 8 maps money: dollars as text, the portfolio from cents', () => {
    expect(toBalance(wireBalance.parse(sample('balance')))).toEqual({
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
    const balance = toBalance(wireBalance.parse({ balance_dollars: '0.0000' }));
    expect(balance).toMatchObject({ available: '0', portfolio_value: null, breakdown: [], updated_at: null });
  });
});
