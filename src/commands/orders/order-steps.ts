import type { OrderDto } from '../../exchanges/unified.trading.dto.js';
import type { AppError } from '../../platform/errors/app-error.js';
import type { OrderRecord } from './ledger-history.repository.js';

type Details = Readonly<Record<string, string | number | boolean | null>>;

/** One thing that is known of an order: when, from where, what, and more by its kind. Holds no secret. */
export interface OrderStep {
  readonly at: Date;
  readonly source: 'record' | 'exchange';
  readonly what: string;
  readonly details: Details;
}

/** What a record says in the end, by its state. */
function endOf(record: OrderRecord): OrderStep {
  const { state, reason, words, isKept, attemptAt, busyUntil, refusalHoldsAt } = record;
  const step = { at: attemptAt, source: 'record', what: state } as const;
  if (state === 'unknown') return { ...step, details: { refusal_holds_at: refusalHoldsAt } };
  if (state === 'begun' || state === 'sending') return { ...step, details: { busy_until: busyUntil.toISOString() } };
  if (state === 'refused') return { ...step, details: { reason, message: words, kept: isKept } };
  const { status, filledSize: filled_size, cancelledSize: cancelled_size } = record;
  return { ...step, details: { status, filled_size, cancelled_size } };
}

/** The life of an order by its record: recorded, first sent, tried again, and how it stands. */
export function stepsOfRecord(record: OrderRecord): OrderStep[] {
  const { createdAt, firstSentAt, attempts, key, requestIds, orderId, clientOrderId, cancelledAt } = record;
  const { cancelledSize: cancelled_size } = record;
  const recorded: OrderStep = {
    at: createdAt,
    source: 'record',
    what: 'recorded',
    details: { idempotency_key: key, key_prefix: record.keyPrefix, request_ids: requestIds.join(' ') },
  };
  const sent = { order_id: orderId, client_order_id: clientOrderId, attempts };
  const sending: OrderStep[] =
    firstSentAt === null ? [] : [{ at: firstSentAt, source: 'record', what: 'first_sent', details: sent }];
  const cancelled: OrderStep[] =
    cancelledAt === null
      ? []
      : [{ at: cancelledAt, source: 'record', what: 'cancelled', details: { order_id: orderId, cancelled_size } }];
  // Of an order that was made elsewhere nothing but its cancel is known.
  if (firstSentAt === null && cancelledAt !== null) return cancelled;
  return [recorded, ...sending, endOf(record), ...cancelled];
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
