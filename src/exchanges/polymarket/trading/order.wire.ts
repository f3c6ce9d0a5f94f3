import { z } from 'zod';
import { boundedList, PAGE_ENTRIES } from '../../wire-list.js';
import {
  decimal,
  id,
  listed,
  listOf,
  maybeDecimal,
  maybeFlag,
  maybeText,
  orNull,
  seconds,
  side,
} from '../connection/wire.js';

/* What is used of the CLOB's private answers and of the Data API's positions (polymarket.md 7 and 8). */

const texts = listOf(z.string());

/** `LIVE`, which the documents also spell `ORDER_STATUS_LIVE`; likewise of trades. */
const status = z.string().transform((text) => text.toUpperCase().replace(/^(?:ORDER|TRADE)_STATUS_/, ''));

/** Sizes are plain shares, whatever the OpenAPI document says. */
export const openOrder = z.object({
  id: z.string().min(1),
  status,
  market: z.string().min(1),
  asset_id: id,
  outcome: maybeText,
  side,
  original_size: decimal,
  size_matched: decimal,
  price: decimal,
  order_type: maybeText,
  expiration: z.union([z.string(), z.number()]).nullish().transform(toExpiry),
  associate_trades: texts,
  created_at: orNull(seconds),
});

/** All that a cancel needs of an order: nothing else in it may stand in its way. */
export const orderName = z.object({ id: z.string().min(1) });

/** Null for an order that the exchange does not have. */
export const maybeOpenOrder = orNull(openOrder);

const makerOrder = z.object({
  order_id: z.string().min(1),
  owner: maybeText,
  maker_address: maybeText,
  matched_amount: decimal,
  price: decimal,
  asset_id: id,
  outcome: maybeText,
  side: orNull(side),
});

/** A maker's own executions are in `maker_orders` alone: without them such a trade tells nothing (polymarket.md 7). */
export const userTrade = z
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
    maker_orders: listOf(makerOrder),
  })
  .refine(({ trader_side, maker_orders }) => trader_side === 'TAKER' || maker_orders.length > 0);

/** The end of a list; some answers leave the cursor out instead. */
const END = 'LTE=';

/** One page of a private list; `next_cursor` is null at the end. */
export function pageOf<Entry extends z.ZodType>(entry: Entry) {
  return z.object({
    data: listed(entry),
    next_cursor: z
      .string()
      .nullish()
      .transform((cursor) => (cursor && cursor !== END ? cursor : null)),
  });
}

/** What a new order is answered with (polymarket.md 7). */
export const orderAnswer = z.object({
  success: z.boolean(),
  errorMsg: z
    .string()
    .nullish()
    .transform((text) => text ?? ''),
  orderID: z.string().nullish(),
  status: z
    .string()
    .nullish()
    .transform((text) => text?.toLowerCase() ?? ''),
  makingAmount: maybeText,
  takingAmount: maybeText,
  tradeIDs: texts,
});

function isShortRecord(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return !Array.isArray(value) && Object.keys(value).length <= PAGE_ENTRIES;
}

export const cancelled = z.object({
  canceled: listed(z.string()),
  /** Whose reason is no text failed all the same. */
  not_canceled: z
    .unknown()
    .refine(isShortRecord, 'too many reasons')
    .pipe(z.record(z.string(), z.string().catch('')).nullish())
    .transform((reasons) => reasons ?? {}),
});

/** Millionths as digits, or as a JSON number that is exact. */
const millionths = z.union([z.string().regex(/^\d{1,78}$/), z.int().nonnegative().transform(String)]);

export const balanceAllowance = z.object({ balance: millionths });

export const accountValue = boundedList(z.object({ value: decimal }));

const position = z.object({
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

export const positions = boundedList(position);

export type OpenOrder = z.output<typeof openOrder>;
export type UserTrade = z.output<typeof userTrade>;
export type MakerOrder = z.output<typeof makerOrder>;
export type OrderAnswer = z.output<typeof orderAnswer>;
export type Position = z.output<typeof position>;

/** An order without an expiry has `"0"`. */
function toExpiry(value: string | number | null | undefined): Date | null {
  const unix = Number(value ?? 0);
  return Number.isSafeInteger(unix) && unix > 0 ? new Date(unix * 1_000) : null;
}
