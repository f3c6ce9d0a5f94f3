import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { wirePositionPage } from './account.wire.js';
import { toPosition } from './position.mapper.js';

const sample = (name: string): unknown => JSON.parse(readFileSync(`test/vectors/kalshi/kalshi-${name}.json`, 'utf8'));

describe('toPosition', () => {
  it('unified-schema.md 8 maps positions: a negative one holds NO, the average is exposure by size', () => {
    expect(wirePositionPage.parse(sample('positions')).items.map(toPosition)).toMatchObject([
      {
        exchange: 'kalshi',
        market_id: 'KXHIGHNY-26NOV20-B55.5',
        event_id: null,
        outcome: { id: 'KXHIGHNY-26NOV20-B55.5:yes', index: 0, label: 'Yes' },
        size: '5',
        average_price: '0.52',
        cost_basis: '2.6',
        current_price: null,
        market_value: null,
        unrealized_pnl: null,
        realized_pnl: '0',
        fees_paid: '0.0875',
        currency: 'USD',
        status: 'open',
        title: null,
        updated_at: '2026-11-20T15:00:00.713Z',
      },
      { outcome: { index: 1, label: 'No' }, size: '2.5', average_price: '0.25', cost_basis: '0.625' },
    ]);
  });
});
