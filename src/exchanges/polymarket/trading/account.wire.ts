import { z } from 'zod';
import { boundedList } from '../../wire-list.js';
import {
  decimal,
  id,
  maybeList,
  maybeDecimal,
  maybeFlag,
  maybeText,
  orNull,
  seconds,
  side,
  status,
} from '../connection/wire.js';

/* What is used of the CLOB's answers about money and trades and of the Data API's positions (polymarket.md 7 and 8). */

const wireMakerOrder = z.object({
  order_id: z.string().min(1),
  owner: maybeText,
  maker_address: maybeText,
  matched_amount: decimal,
  price: decimal,
  asset_id: id,
  outcome: maybeText,
  side: orNull(side),
});

/** A maker's own executions are in `maker_orders` alone: without them such a trade says nothing (polymarket.md 7). */
export const wireUserTrade = z
  .object({
    id: z.string().min(1),
    taker_order_id: z.string(),
    market: z.string().min(1),
    asset_id: id,
    outcome: maybeText,
    side,
    size: decimal,
    price: decimal,
    status,
    match_time: seconds,
    transaction_hash: maybeText,
    trader_side: z.enum(['TAKER', 'MAKER']),
    maker_orders: maybeList(wireMakerOrder),
  })
  .refine(({ trader_side, maker_orders }) => trader_side === 'TAKER' || maker_orders.length > 0);

/** Millionths as digits, or as a JSON number that is exact. */
const millionths = z.union([z.string().regex(/^\d{1,78}$/), z.int().nonnegative().transform(String)]);

export const wireBalance = z.object({ balance: millionths });

export const wireAccountValue = boundedList(z.object({ value: decimal }));

const wirePosition = z.object({
  asset: id,
  conditionId: z.string().min(1),
  eventId: orNull(id),
  size: decimal,
  avgPrice: maybeDecimal,
  initialValue: maybeDecimal,
  currentValue: maybeDecimal,
  cashPnl: maybeDecimal,
  realizedPnl: maybeDecimal,
  curPrice: maybeDecimal,
  entryFeesUsdc: maybeDecimal,
  redeemable: maybeFlag,
  title: maybeText,
  outcome: maybeText,
  /** 999 where the exchange itself does not know. */
  outcomeIndex: orNull(z.union([z.literal(0), z.literal(1), z.int().transform(() => null)])),
});

export const wirePositions = boundedList(wirePosition);

export type WireUserTrade = z.output<typeof wireUserTrade>;
export type WireMakerOrder = z.output<typeof wireMakerOrder>;
export type WirePosition = z.output<typeof wirePosition>;
