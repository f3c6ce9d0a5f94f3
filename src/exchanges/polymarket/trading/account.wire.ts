import { z } from 'zod';
import {
  decimal,
  EMPTY,
  id,
  maybeList,
  maybeDecimal,
  maybeFlag,
  maybeOwner,
  maybeText,
  orNull,
  seconds,
  side,
  status,
  wireDataPage,
} from '../connection/wire.js';

/* What is used of the CLOB's answers about money and trades and of the Data API's positions (polymarket.md 6, 9). */

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

/** A maker's own executions are in `maker_orders` alone: without them such a trade says nothing (polymarket.md 9.1). */
export const wireUserTrade = z
  .object({
    id: z.string().min(1),
    owner: maybeOwner,
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

/** Of these only some are asked about; more than this are none (S-53). */
const MOST_SPENDERS = 100;

/** What each contract may take, in millionths, by its address in small letters; amounts that are none are left out. */
function toAllowances(value: unknown): ReadonlyMap<string, bigint> | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  if (Object.keys(value).length > MOST_SPENDERS) return null;
  return new Map(
    Object.entries(value).flatMap(([spender, raw]) => {
      const { data: amount } = millionths.safeParse(raw);
      return amount === undefined ? [] : [[spender.toLowerCase(), BigInt(amount)]];
    }),
  );
}

export const wireBalance = z.object({ balance: millionths, allowances: orNull(z.unknown().transform(toAllowances)) });

/** Null where the exchange does not say. */
export const wireAccountValue = z.object({ data: z.object({ value: maybeDecimal }).nullable() });

const wirePosition = z.object({
  token_id: id,
  condition_id: z.string().min(1),
  slug: maybeText,
  event_id: orNull(z.union([EMPTY, id])),
  /** What is held; `total_size` is all that was ever bought. */
  current_size: decimal,
  avg_price: maybeDecimal,
  entry_cost_usdc: maybeDecimal,
  entry_fees_usdc: maybeDecimal,
  current_price: maybeDecimal,
  current_value: maybeDecimal,
  unrealized_pnl: maybeDecimal,
  realized_pnl: maybeDecimal,
  status: maybeText,
  redeemable: maybeFlag,
  title: maybeText,
  outcome: maybeText,
  /** 999 where the exchange itself does not know. */
  outcome_index: orNull(z.union([z.literal(0), z.literal(1), z.int().transform(() => null)])),
  /** 0 where there was none. */
  last_event_at: orNull(seconds),
});

export const wirePositions = wireDataPage(wirePosition);

/** A closed position, as far as it tells what was paid out; `avg_price` is without fees. */
const wireClosedPosition = z.object({
  token_id: id,
  condition_id: z.string().min(1),
  avg_price: maybeDecimal,
  current_price: maybeDecimal,
  realized_pnl: maybeDecimal,
  outcome: maybeText,
  outcome_index: wirePosition.shape.outcome_index,
});

export const wireClosedPositions = wireDataPage(wireClosedPosition);

/** A redemption names no token (polymarket.md 6.4). */
const wireRedemption = z.object({
  condition_id: z.string().min(1),
  size: decimal,
  usdc_size: maybeDecimal,
  timestamp: seconds,
  title: maybeText,
  type: z.string(),
});

export const wireRedemptions = wireDataPage(wireRedemption);

export type WireClosedPosition = z.output<typeof wireClosedPosition>;
export type WireRedemption = z.output<typeof wireRedemption>;
export type WireBalance = z.output<typeof wireBalance>;
export type WireUserTrade = z.output<typeof wireUserTrade>;
export type WireMakerOrder = z.output<typeof wireMakerOrder>;
export type WirePosition = z.output<typeof wirePosition>;
