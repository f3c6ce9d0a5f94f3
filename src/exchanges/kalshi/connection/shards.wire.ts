import { z } from 'zod';
import { nullableList } from '../../wire-list.js';
import { maybeText } from './wire.js';

/** The number of a shard (`exchange_index`, kalshi.md 9.1). */
export const wireShard = z.int().min(0).max(1_000_000);

const wireShardStatus = z.object({
  exchange_index: wireShard,
  description: maybeText.catch(null),
  exchange_active: z.boolean().nullish(),
  trading_active: z.boolean().nullish(),
});

/** Whether the exchange is open; the top level speaks for shard 0 alone. */
export const wireStatus = z.object({
  exchange_active: z.boolean(),
  trading_active: z.boolean(),
  exchange_index_statuses: nullableList(wireShardStatus).optional(),
});
export type WireStatus = z.infer<typeof wireStatus>;

/** All that tells a market's shard. */
export const wireMarketShard = z.object({ market: z.object({ ticker: z.string(), exchange_index: wireShard }) });
