import { z } from 'zod';
import type { OrderDto } from '../../exchanges/unified.trading.dto.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { Placement } from '../placing/outcomes.js';

const KEPT_ORDER = z.object({ order: z.custom<OrderDto>((value) => typeof value === 'object' && value !== null) });

/** The kept answer of an order; null where it is a refusal. */
export function orderIn(kept: unknown): OrderDto | null {
  const answer = KEPT_ORDER.safeParse(kept);
  return answer.success ? answer.data.order : null;
}

/** Whether the exchange shows a status that this service does not know. Such an order may be answered, but is not kept as the answer. */
export function isEndUnknown({ status, status_reason: reason }: OrderDto): boolean {
  return status === 'pending' && reason === 'unknown_status';
}

/** Whether an order ended without a fill. For its sender such an end equals a refusal. */
export function cameToNothing({ status, filled_size: filled }: OrderDto): boolean {
  return (status === 'cancelled' || status === 'rejected' || status === 'expired') && filled === '0';
}

const AT_ONCE: readonly unknown[] = ['fok', 'ioc'];

/**
 * Returns the placement. Throws `exchange_rejected` (`not_filled`) for an order that was to be filled at once and found nothing:
 * exchanges say so in two ways, as a refusal and as an order that is over (contract.md 5.3).
 */
export function assertFilled(
  placement: Placement<OrderDto>,
  request: { readonly time_in_force?: unknown },
): Placement<OrderDto> {
  const { placed: order, origin } = placement;
  if (!AT_ONCE.includes(request.time_in_force) || !cameToNothing(order)) return placement;
  const message =
    'Nothing filled the order at once, so it is not in the book. Send another price or size, or let it rest (gtc).';
  throw new AppError('exchange_rejected', message, {
    details: { reason: 'not_filled', order_id: order.id, exchange: { id: order.exchange, status: null, code: null } },
    ...(origin === 'replayed' && { headers: { 'Idempotency-Replayed': 'true' } }),
  });
}
