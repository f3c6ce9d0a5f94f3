import { z } from 'zod';
import { isoTime } from '../../time.js';
import { boundedList, nullableList } from '../../wire-list.js';
import { wireShard } from '../connection/shards.wire.js';
import {
  decimal,
  maybeDecimal,
  maybeText,
  maybeTime,
  outcomeSide,
  subaccountNumber,
  time,
  toPage,
} from '../connection/wire.js';

const MOST_SHARDS = 200;
const MOST_OF_EVENTS = 5_000;

/** Dollars on each shard; there are 101 at most (kalshi.md 7.3). */
const moneyOfShards = boundedList(z.object({ exchange_index: wireShard, balance: decimal }), MOST_SHARDS).nullish();

/** Money (kalshi.md 7.3): `portfolio_value` is whole cents, the time Unix seconds. */
export const wireBalance = z.object({
  balance_dollars: decimal,
  portfolio_value: z.int().nullish(),
  updated_ts: z.int().nullish(),
  balance_breakdown: moneyOfShards.transform((parts) => parts ?? []),
});
export type WireBalance = z.infer<typeof wireBalance>;

/** What resting orders hold back: in all in cents, and by shard. */
export const wireReserved = z
  .object({
    total_resting_order_value: z
      .int()
      .nullish()
      .transform((cents) => cents ?? null),
    resting_order_value_breakdown: moneyOfShards.transform((parts) => parts ?? null),
  })
  .refine((value) => value.total_resting_order_value !== null || value.resting_order_value_breakdown !== null);
export type WireReserved = z.infer<typeof wireReserved>;

/** A fill; archived ones may have `ts` (Unix seconds) as their only time. */
export const wireFill = z
  .object({
    fill_id: z.string().min(1),
    order_id: z.string().min(1),
    ticker: z.string().min(1),
    outcome_side: outcomeSide,
    count_fp: decimal,
    yes_price_dollars: decimal,
    no_price_dollars: decimal,
    is_taker: z.boolean(),
    fee_cost: maybeDecimal,
    created_time: maybeTime,
    ts: z.int().nullish(),
    subaccount_number: subaccountNumber,
  })
  .transform(({ created_time, ts, ...fill }, context) => {
    const at = created_time ?? isoTime((ts ?? 0) * 1_000);
    if (at !== null) return { ...fill, at };
    context.addIssue({ code: 'custom', message: 'a fill without a time' });
    return z.NEVER;
  });
export type WireFill = z.infer<typeof wireFill>;

export const wireFillPage = z
  .object({ fills: nullableList(wireFill), cursor: maybeText })
  .transform(({ fills, cursor }) => toPage(fills, cursor));

/** `position_fp` is above 0 for YES and below 0 for NO. */
const wirePosition = z.object({
  ticker: z.string().min(1),
  position_fp: decimal,
  market_exposure_dollars: decimal,
  realized_pnl_dollars: maybeDecimal,
  fees_paid_dollars: maybeDecimal,
  last_updated_ts: maybeTime,
});
export type WirePosition = z.infer<typeof wirePosition>;

function positionPage(most?: number) {
  return z
    .object({ market_positions: nullableList(wirePosition, most), cursor: maybeText })
    .transform(({ market_positions, cursor }) => toPage(market_positions, cursor));
}

export const wirePositionPage = positionPage();
/** A page of whole events may have many of each. */
export const wireLongPositionPage = positionPage(MOST_OF_EVENTS);

/** A market's end for who held it (kalshi.md 7.4): `revenue` is whole cents, counts are of what was held then. */
const wireSettlement = z.object({
  ticker: z.string().min(1),
  market_result: maybeText,
  yes_count_fp: decimal,
  yes_total_cost_dollars: decimal,
  no_count_fp: decimal,
  no_total_cost_dollars: decimal,
  revenue: z.int(),
  fee_cost: maybeDecimal,
  settled_time: time,
});
export type WireSettlement = z.infer<typeof wireSettlement>;

export const wireSettlementPage = z
  .object({ settlements: nullableList(wireSettlement), cursor: maybeText })
  .transform(({ settlements, cursor }) => toPage(settlements, cursor));
