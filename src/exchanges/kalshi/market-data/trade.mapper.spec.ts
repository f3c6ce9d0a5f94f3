import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { wireTradePage } from './order-book.wire.js';
import { toTrade } from './trade.mapper.js';

const sample = (name: string): unknown => JSON.parse(readFileSync(`test/vectors/kalshi/kalshi-${name}.json`, 'utf8'));

describe('toTrade', () => {
  it('unified-schema.md 5 a taker buys the outcome named', () => {
    const trades = wireTradePage.parse(sample('trades')).items.map(toTrade);
    expect(trades.slice(0, 2)).toEqual([
      {
        exchange: 'kalshi',
        id: '64e69df2-65d4-4290-aecd-8672c2154012',
        market_id: 'KXHIGHNY-26NOV20-B55.5',
        outcome: { id: 'KXHIGHNY-26NOV20-B55.5:no', index: 1, label: 'No' },
        side: 'buy',
        price: '0.59',
        size: '1',
        notional: '0.59',
        timestamp: '2026-11-20T15:00:00.713Z',
        taker_side: 'buy',
        is_block_trade: false,
        transaction_hash: null,
      },
      {
        exchange: 'kalshi',
        id: 'a91af136-efcc-4a7e-a6d1-d749189c6dcf',
        market_id: 'KXHIGHNY-26NOV20-B55.5',
        outcome: { id: 'KXHIGHNY-26NOV20-B55.5:yes', index: 0, label: 'Yes' },
        side: 'buy',
        price: '0.43',
        size: '7.77',
        notional: '3.3411',
        timestamp: '2026-11-20T14:59:43.142Z',
        taker_side: 'buy',
        is_block_trade: false,
        transaction_hash: null,
      },
    ]);
  });
});
