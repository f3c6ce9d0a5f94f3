import { z } from 'zod';
import type { StoredActivityEvent } from '../../activity/activity.service.js';
import type { OrderDto } from '../../exchanges/unified.trading.dto.js';
import type { AppError } from '../../platform/errors/app-error.js';
import { ALL_REFUSED } from './idempotency.repository.js';
import type { OrderRecord } from './order-history.repository.js';

type Details = Readonly<Record<string, string | number | boolean | null>>;

/** One thing that is known of an order: when, from where, what, and more by its kind. Holds no secret. */
export interface OrderStep {
  readonly at: Date;
  readonly source: 'record' | 'activity' | 'exchange';
  readonly what: string;
  readonly details: Details;
}

const ANSWER = z.object({
  order: z.object({ status: z.string() }).optional(),
  refusal: z.object({ code: z.string(), message: z.string() }).optional(),
});

/** What a record says in the end, by its state. */
function endOf({ state, answer, attemptAt, busyUntil, refusalHoldsAt }: OrderRecord): OrderStep {
  const step = { at: attemptAt, source: 'record' } as const;
  if (state === 'unknown' && refusalHoldsAt === ALL_REFUSED)
    return { ...step, what: 'refused', details: { kept: false } };
  if (state === 'unknown') return { ...step, what: 'unknown', details: { refusal_holds_at: refusalHoldsAt } };
  if (state === 'sending') return { ...step, what: 'sending', details: { busy_until: busyUntil.toISOString() } };
  const { order, refusal } = ANSWER.safeParse(answer).data ?? {};
  if (order !== undefined) return { ...step, what: 'answered', details: { status: order.status } };
  if (refusal !== undefined) return { ...step, what: 'refused', details: { ...refusal } };
  return { ...step, what: 'answered', details: {} };
}

/** The life of an order by its record: recorded, first sent, tried again, and how it stands. */
export function stepsOfRecord(record: OrderRecord): OrderStep[] {
  const { createdAt, firstSentAt, attempts, key, requestIds, orderId, clientOrderId } = record;
  const recorded: OrderStep = {
    at: createdAt,
    source: 'record',
    what: 'recorded',
    details: { idempotency_key: key, request_ids: requestIds.join(' ') },
  };
  const sent = { order_id: orderId, client_order_id: clientOrderId, attempts };
  const sending: OrderStep[] =
    firstSentAt === null ? [] : [{ at: firstSentAt, source: 'record', what: 'first_sent', details: sent }];
  return [recorded, ...sending, endOf(record)];
}

const DETAIL = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export function stepOfEvent({ type, createdAt, details, requestId, keyPrefix }: StoredActivityEvent): OrderStep {
  const plain = Object.entries(details).flatMap(([name, value]) => {
    const { data } = DETAIL.safeParse(value);
    return data === undefined ? [] : [[name, data] as const];
  });
  const all = { ...Object.fromEntries(plain), key_prefix: keyPrefix, request_id: requestId };
  return { at: createdAt, source: 'activity', what: type, details: all };
}

/** What the exchange says of an order now. */
export function stepOfOrder(order: OrderDto, at: Date): OrderStep {
  const { id, client_order_id, market_id, side, price, size, filled_size, remaining_size, status, updated_at } = order;
  const details = {
    order_id: id,
    client_order_id,
    market_id,
    side,
    price,
    size,
    filled_size,
    remaining_size,
    updated_at,
  };
  return { at, source: 'exchange', what: status, details };
}

/** That the exchange does not show an order, or could not be asked. */
export function stepOfFailure({ code, message }: AppError, at: Date): OrderStep {
  return {
    at,
    source: 'exchange',
    what: code === 'not_found' ? 'not_found' : 'not_answered',
    details: { code, message },
  };
}

/** That there is nothing to ask the exchange for: an order that was never sent has no name there. */
export function stepOfNameless(at: Date): OrderStep {
  return {
    at,
    source: 'exchange',
    what: 'not_asked',
    details: { message: 'Nothing was sent, so there is nothing to ask for.' },
  };
}
