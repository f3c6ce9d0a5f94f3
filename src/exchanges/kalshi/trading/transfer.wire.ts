import { z } from 'zod';
import { nullableList } from '../../wire-list.js';
import { wireShard } from '../connection/shards.wire.js';
import { decimal, maybeText, toPage } from '../connection/wire.js';

/** A transfer in the history (kalshi.md 9.4): the amount in dollars, other than in the request, the time in ms. */
const wireTransfer = z.object({
  transfer_id: z.string().min(1).max(200),
  source: z.string().nullish(),
  destination: z.string().nullish(),
  source_exchange_shard: wireShard,
  destination_exchange_shard: wireShard,
  amount: decimal,
  status: z.string(),
  created_ts: z.number().nullish(),
});
export type WireTransfer = z.infer<typeof wireTransfer>;

export const wireOneTransfer = z.object({ transfer: wireTransfer });

export const wireTransferPage = z
  .object({ transfers: nullableList(wireTransfer), cursor: maybeText })
  .transform(({ transfers, cursor }) => toPage(transfers, cursor));

/** What a new transfer is answered with: it is accepted, not done. */
export const wireTransferAccepted = z.object({ transfer_id: z.string().min(1).max(200) });
