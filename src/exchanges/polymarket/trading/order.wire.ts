import { z } from 'zod';
import { PAGE_ENTRIES, nullableList } from '../../wire-list.js';
import { decimal, id, maybeList, maybeOwner, maybeText, orNull, seconds, side, status } from '../connection/wire.js';

/* What is used of the CLOB's answers about orders (polymarket.md 7). */

const texts = maybeList(z.string());

/** Sizes are plain shares, whatever the OpenAPI document says. */
export const wireOrder = z.object({
  id: z.string().min(1),
  status,
  owner: maybeOwner,
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

/** All that a cancel needs of an order among others: what cannot be read of it is null, and hides none of the others. */
export const wireOrderName = z
  .object({
    id: z.string().min(1).nullable().catch(null),
    market: z.string().nullable().catch(null),
    created_at: seconds.nullable().catch(null),
  })
  .catch({ id: null, market: null, created_at: null });

/** Null for an order that the exchange does not have. */
export const wireOneOrder = orNull(wireOrder);

/** What a new order is answered with (polymarket.md 7.1). */
export const wireCreated = z.object({
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

export const wireCancelled = z.object({
  canceled: nullableList(z.string()),
  /** Whose reason is no text failed all the same. */
  not_canceled: z
    .unknown()
    .refine(isShortRecord, 'too many reasons')
    .pipe(z.record(z.string(), z.string().catch('')).nullish())
    .transform((reasons) => reasons ?? {}),
});

export type WireOrder = z.output<typeof wireOrder>;
export type WireOrderName = z.output<typeof wireOrderName>;
export type WireCancelled = z.output<typeof wireCancelled>;
export type WireCreated = z.output<typeof wireCreated>;

/** An order without an expiry has `"0"`. */
function toExpiry(value: string | number | null | undefined): Date | null {
  const unix = Number(value ?? 0);
  return Number.isSafeInteger(unix) && unix > 0 ? new Date(unix * 1_000) : null;
}
