import { compare, type Decimal, subtract } from './decimal.js';
import type { EndedOrder } from './orders.contract.js';
import type { OrderDto, OrderStatus } from './unified.trading.dto.js';

/** What an order ends as. */
type EndStatus = Extract<OrderStatus, 'filled' | 'cancelled' | 'expired' | 'rejected'>;

const ENDS: ReadonlySet<string> = new Set(['filled', 'cancelled', 'expired', 'rejected'] satisfies EndStatus[]);

/** Whether an order of this status is over. */
export function isEnd(status: OrderStatus): status is EndStatus {
  return ENDS.has(status);
}

/** The end of an order, as a read shows the order; null for an order that has not ended. `now` replaces an unknown time of the end. */
export function endOf(order: OrderDto, now: Date): EndedOrder | null {
  const { exchange, id, status, size, filled_size, updated_at } = order;
  if (!isEnd(status)) return null;
  const cancelled_size = status === 'filled' ? '0' : cancelledSize(size, filled_size);
  return { exchange, id, status, cancelled_size, filled_size, timestamp: updated_at ?? now.toISOString() };
}

/** The end of an order whose sizes are unknown. */
export function endWithoutSizes({ exchange, id }: Pick<EndedOrder, 'exchange' | 'id'>, now: Date): EndedOrder {
  return {
    exchange,
    id,
    status: 'cancelled',
    cancelled_size: null,
    filled_size: null,
    timestamp: now.toISOString(),
  };
}

/** An order that is cancelled and has all that it asked for was changed meanwhile: what was taken out is not known. */
function cancelledSize(size: Decimal, filled: Decimal): Decimal | null {
  return compare(size, filled) > 0 ? subtract(size, filled) : null;
}
