import { z } from 'zod';
import { add, compare, type Decimal } from '../../decimal.js';
import { nullableList } from '../../wire-list.js';
import { decimal, maybeDecimal, maybeText, maybeTime, subaccountNumber, toPage } from '../connection/wire.js';

/** Milliseconds that a Date can hold. */
const timeMs = z.int().positive().max(8_640_000_000_000_000);

/** What a new order is answered with (kalshi.md 5.1). */
export const wireCreated = z.object({
  order_id: z.string().min(1),
  client_order_id: maybeText,
  fill_count: decimal,
  remaining_count: decimal,
  average_fill_price: maybeDecimal,
  average_fee_paid: maybeDecimal,
  ts_ms: timeMs.nullish(),
});
export type WireCreated = z.infer<typeof wireCreated>;

/** Whether it is of the order that was sent: an answer about another one, or with counts that it cannot have, says nothing of it. */
export function isCreatedOf(
  { clientOrderId, size }: { clientOrderId: string; size: Decimal },
  created: WireCreated,
): boolean {
  const { client_order_id: id, fill_count: filled, remaining_count: left } = created;
  return (id === null || id === clientOrderId) && mayBeOf(size, filled, left);
}

function mayBeOf(size: Decimal, filled: Decimal, left: Decimal): boolean {
  return compare(filled, '0') >= 0 && compare(left, '0') >= 0 && compare(add(filled, left), size) <= 0;
}

/** What a change of an order is answered with: counts only where something was filled, or the size is another (kalshi.md 5.3). */
export const wireAmended = z.object({
  order_id: z.string().min(1),
  client_order_id: maybeText,
  remaining_count: maybeDecimal,
  ts_ms: timeMs.nullish(),
});
export type WireAmended = z.infer<typeof wireAmended>;

/** One of the words that are known; null for any other, which must hide neither the order nor those beside it. */
function knownWord<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words).nullable().catch(null);
}

/** An order as it is read; the same live and archived. */
export const wireOrder = z.object({
  order_id: z.string().min(1),
  client_order_id: maybeText,
  ticker: z.string().min(1),
  outcome_side: knownWord(['yes', 'no']),
  type: knownWord(['limit', 'market']),
  status: knownWord(['resting', 'canceled', 'executed']),
  yes_price_dollars: decimal,
  no_price_dollars: decimal,
  initial_count_fp: decimal,
  fill_count_fp: decimal,
  remaining_count_fp: decimal,
  taker_fill_cost_dollars: decimal,
  maker_fill_cost_dollars: decimal,
  taker_fees_dollars: decimal,
  maker_fees_dollars: decimal,
  expiration_time: maybeTime,
  created_time: maybeTime,
  last_update_time: maybeTime,
  subaccount_number: subaccountNumber,
});
export type WireOrder = z.infer<typeof wireOrder>;

function pageOf<T>(order: z.ZodType<T>) {
  return z
    .object({ orders: nullableList(order), cursor: maybeText })
    .transform(({ orders, cursor }) => toPage(orders, cursor));
}

/** By what an order is found: what else is in a list must stand in the way of no look-up. */
const wireNamed = z.looseObject({
  order_id: z.string(),
  client_order_id: maybeText,
  subaccount_number: subaccountNumber,
});
export type WireNamed = z.infer<typeof wireNamed>;

export const wireNamedPage = pageOf(wireNamed);
export const wireOrderPage = pageOf(wireOrder);
export const wireOneOrder = z.object({ order: wireOrder });

/** All that a cancel needs of an order: nothing else in it may stand in its way. */
export const wireCancellable = z
  .object({
    order_id: z.string().min(1),
    ticker: z.string().min(1),
    status: maybeText.catch(null),
    subaccount_number: subaccountNumber,
  })
  .transform((order) => ({ ...order, id: order.order_id }));
export type WireCancellable = z.infer<typeof wireCancellable>;

const lenientText = maybeText.catch(null);

/** The same of one among many: what cannot be read of it is null, and hides none of the others. */
const wireListedCancellable = z
  .object({
    order_id: lenientText,
    client_order_id: lenientText,
    ticker: lenientText,
    status: lenientText,
    created_time: maybeTime.catch(null),
    subaccount_number: subaccountNumber,
  })
  .catch({
    order_id: null,
    client_order_id: null,
    ticker: null,
    status: null,
    created_time: null,
    subaccount_number: null,
  })
  .transform((listed) => {
    const { order_id: id, client_order_id: clientOrderId, ticker, created_time: time } = listed;
    const order: WireCancellable | null =
      id === null || ticker === null ? null : { ...listed, order_id: id, ticker, id };
    return { ...listed, id, clientOrderId, createdAt: time === null ? null : new Date(time), order };
  });
export type WireListedCancellable = z.infer<typeof wireListedCancellable>;

export const wireCancellablePage = pageOf(wireListedCancellable);
export const wireOneCancellable = z.object({ order: wireCancellable });
/** The whole order where it can be read, else where it is. */
export const wireOneOrCancellable = z.object({ order: z.union([wireOrder, wireCancellable]) });

export const wireCancelled = z.object({
  order_id: z.string().min(1),
  reduced_by: maybeDecimal,
  ts_ms: timeMs.nullish(),
});

/** What became of one order of a batch. */
const wireCancelOutcome = z.object({
  order_id: z.string().min(1),
  reduced_by: maybeDecimal.catch(null),
  /** Whatever is there is an error; the code is that of the error where it has one. */
  error: z.union([z.null(), z.object({ code: maybeText }), z.unknown().transform(() => ({ code: null }))]).optional(),
});
export type WireCancelOutcome = z.infer<typeof wireCancelOutcome>;

export const wireCancelledBatch = z.object({ orders: nullableList(wireCancelOutcome) });
