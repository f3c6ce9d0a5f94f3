import { describe, expect, it } from '@jest/globals';
import type { Exchange } from '../../exchanges/exchange.js';
import type { Subscription } from './channel.contract.js';
import { MarketShares } from './market-shares.js';

const subscription = (exchangeId: string, from: number, count: number): Subscription => ({
  exchange: { id: exchangeId } as Exchange,
  channel: 'orderbooks',
  marketIds: Array.from({ length: count }, (_, at) => `M${from + at}`),
  outcome: '0',
  orderId: null,
});
const owner = (userId: string, hasCredentials = true, kind: 'session' | 'api-key' = 'session') =>
  ({ kind, userId, name: userId, hasCredentials }) as const;

describe('S-61 MarketShares', () => {
  it('lets a user follow 500 markets of an exchange, however many streams follow each', () => {
    const shares = new MarketShares();
    for (let at = 0; at < 500; at += 50) shares.take(owner('a'), [subscription('kalshi', at, 50)]);
    shares.take(owner('a'), [subscription('kalshi', 0, 50), subscription('polymarket', 0, 50)]);
    expect(() => shares.take(owner('a'), [subscription('kalshi', 500, 1)])).toThrow('as many markets');
    shares.take(owner('b'), [subscription('kalshi', 500, 1)]);
  });

  it('keeps 50 of these for sessions', () => {
    const shares = new MarketShares();
    const keys = owner('a', true, 'api-key');
    for (let at = 0; at < 450; at += 50) shares.take(keys, [subscription('kalshi', at, 50)]);
    expect(() => shares.take(keys, [subscription('kalshi', 450, 1)])).toThrow('as many markets');
    shares.take(owner('a'), [subscription('kalshi', 450, 50)]);
    expect(() => shares.take(owner('a'), [subscription('kalshi', 500, 1)])).toThrow('as many markets');
  });

  it('counts nothing of a stream that was refused or has ended', () => {
    const shares = new MarketShares();
    const release = shares.take(owner('a'), [subscription('kalshi', 0, 50)]);
    for (let at = 50; at < 500; at += 50) shares.take(owner('a'), [subscription('kalshi', at, 50)]);
    for (let round = 0; round < 3; round += 1) {
      expect(() => shares.take(owner('a'), [subscription('kalshi', 499, 2)])).toThrow('as many markets');
    }
    release();
    release();
    shares.take(owner('a'), [subscription('kalshi', 1_000, 50)]);
    expect(() => shares.take(owner('a'), [subscription('kalshi', 0, 1)])).toThrow('as many markets');
  });

  it('keeps half of all markets from users without credentials, and no more', () => {
    const shares = new MarketShares();
    for (const [user, from] of [
      ['a', 0],
      ['b', 500],
    ] as const) {
      for (let at = 0; at < 500; at += 50) shares.take(owner(user, false), [subscription('kalshi', from + at, 50)]);
    }
    expect(() => shares.take(owner('c', false), [subscription('kalshi', 1_000, 1)])).toThrow('as many markets');
    shares.take(owner('c', false), [subscription('kalshi', 0, 50)]);
    shares.take(owner('d'), [subscription('kalshi', 1_000, 50)]);
  });
});
