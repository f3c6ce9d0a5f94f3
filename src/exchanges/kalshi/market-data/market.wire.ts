import { z } from 'zod';
import { decimal, maybeDecimal, maybeText, maybeTime, toPage } from '../connection/wire.js';
import { boundedEvents, nullableList } from '../../wire-list.js';
import { openEnum } from '../../wire-notes.js';

const MARKET_STATUSES = [
  'initialized',
  'inactive',
  'active',
  'closed',
  'determined',
  'disputed',
  'amended',
  'finalized',
] as const;

/** A market (kalshi.md 4); the same live and archived. */
export const wireMarket = z.object({
  ticker: z.string().min(1),
  event_ticker: maybeText,
  title: maybeText,
  yes_sub_title: maybeText,
  rules_primary: maybeText,
  rules_secondary: maybeText,
  // What is added since is neither open nor settled for us.
  status: openEnum(MARKET_STATUSES, 'inactive'),
  result: openEnum(['yes', 'no', 'scalar', ''], null).nullish(),
  settlement_value_dollars: maybeDecimal,
  settlement_ts: maybeTime,
  open_time: maybeTime,
  close_time: maybeTime,
  expected_expiration_time: maybeTime,
  created_time: maybeTime,
  updated_time: maybeTime,
  yes_bid_dollars: maybeDecimal,
  yes_bid_size_fp: maybeDecimal,
  yes_ask_dollars: maybeDecimal,
  yes_ask_size_fp: maybeDecimal,
  last_price_dollars: maybeDecimal,
  volume_fp: maybeDecimal,
  volume_24h_fp: maybeDecimal,
  open_interest_fp: maybeDecimal,
  price_ranges: nullableList(z.object({ start: decimal, end: decimal, step: decimal })).optional(),
  exchange_index: z.int().nullish(),
});
export type WireMarket = z.infer<typeof wireMarket>;

export const wireMarketPage = z
  .object({ markets: nullableList(wireMarket), cursor: maybeText })
  .transform(({ markets, cursor }) => toPage(markets, cursor));
export const wireOneMarket = z.object({ market: wireMarket });

/** An event; `markets` is there only when asked for, and left out where all of them are archived. */
const wireEvent = z.object({
  event_ticker: z.string().min(1),
  series_ticker: maybeText,
  title: maybeText,
  sub_title: maybeText,
  category: maybeText,
  mutually_exclusive: z.boolean().nullish(),
  strike_date: maybeTime,
  last_updated_ts: maybeTime,
  fee_type_override: maybeText,
  fee_multiplier_override: z.number().nullish(),
  settlement_sources: nullableList(z.object({ name: maybeText, url: maybeText })).optional(),
  markets: nullableList(wireMarket).optional(),
});
export type WireEvent = z.infer<typeof wireEvent>;

export const wireEventPage = z
  .object({ events: boundedEvents(wireEvent).nullable(), cursor: maybeText })
  .transform(({ events, cursor }) => toPage(events ?? [], cursor));
/** Events of a page as they came. */
export const wireRawEventPage = z
  .object({ events: nullableList(z.unknown()), cursor: maybeText })
  .transform(({ events, cursor }) => toPage(events, cursor));

let compiled: z.ZodType<WireEvent> | undefined;

/** One of them; compiled when it is first used. */
export function wireNestedEvent(): z.ZodType<WireEvent> {
  return (compiled ??= z.compile(wireEvent));
}

/** The id of an event that may not fit otherwise; null where it has none. */
export function eventIdOf(raw: unknown): string | null {
  return z.object({ event_ticker: z.string().min(1) }).safeParse(raw).data?.event_ticker ?? null;
}

export const wireOneEvent = z.object({ event: wireEvent, markets: nullableList(wireMarket).optional() });

/** A series: what its events and markets share. */
export const wireOneSeries = z.object({
  series: z.object({
    category: maybeText,
    tags: nullableList(z.string()).optional(),
    fee_type: maybeText,
    fee_multiplier: z.number().nullish(),
  }),
});
