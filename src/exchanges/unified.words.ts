/* Words that queries and answers share (unified.md 2, 6, 9). */

export const MARKET_STATUSES = ['unopened', 'open', 'paused', 'closed', 'settled'] as const;
export type MarketStatus = (typeof MARKET_STATUSES)[number];

export const MARKET_SORTS = ['volume_24h', 'volume', 'liquidity', 'close_time'] as const;
export type MarketSort = (typeof MARKET_SORTS)[number];

export const INTERVALS = ['1m', '1h', '1d'] as const;
export type Interval = (typeof INTERVALS)[number];
