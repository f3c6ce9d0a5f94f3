import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { wireSettlementPage } from './account.wire.js';
import { toSettlement, wasHeld } from './settlement.mapper.js';

const sample = JSON.parse(readFileSync('test/vectors/kalshi/kalshi-settlements.json', 'utf8')) as {
  settlements: object[];
};
const of = (changes: object) =>
  wireSettlementPage.parse({ settlements: [{ ...sample.settlements[0], ...changes }], cursor: '' }).items;
const one = (changes: object) => of(changes).map(toSettlement)[0];

describe('toSettlement', () => {
  it('unified-schema.md 8 maps what was held, what it had cost and what it paid; fees are apart', () => {
    expect(one({})).toEqual({
      exchange: 'kalshi',
      market_id: 'KXHIGHNY-26NOV18-B52.5',
      title: null,
      outcome: { id: 'KXHIGHNY-26NOV18-B52.5:yes', index: 0, label: 'Yes' },
      size: '20',
      cost: '9.4',
      payout: '20',
      fees: '0.3487',
      realized_pnl: '10.6',
      settled_at: '2026-11-19T14:59:00.197Z',
    });
  });

  it('of a market between yes and no the payout is what the exchange says', () => {
    const no = { yes_count_fp: '0.00', yes_total_cost_dollars: '0', no_count_fp: '3.00', no_total_cost_dollars: '1.2' };
    expect(one({ ...no, market_result: 'scalar', revenue: 199 })).toMatchObject({
      outcome: { index: 1 },
      size: '3',
      payout: '1.99',
      realized_pnl: '0.79',
    });
  });

  it.each([
    ['yes', 1_500, '5'],
    ['yes', 2_500, '5'],
    ['no', 1_000, '0'],
    ['scalar', 1_000, null],
  ])('pairs of both outcomes are taken out on all sides: %s', (market_result, revenue, payout) => {
    const both = {
      yes_count_fp: '15.00',
      yes_total_cost_dollars: '7',
      no_count_fp: '10.00',
      no_total_cost_dollars: '4',
    };
    expect(one({ ...both, market_result, revenue })).toMatchObject({
      outcome: { index: 0 },
      size: '5',
      cost: '1',
      payout,
      realized_pnl: payout === null ? null : String(Number(payout) - 1),
    });
  });

  it('what was left before the end was not held', () => {
    expect(of({}).map(wasHeld)).toEqual([true]);
    expect(of({ yes_count_fp: '0.00' }).map(wasHeld)).toEqual([false]);
  });
});
