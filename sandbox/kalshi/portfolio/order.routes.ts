import { isRecord } from '../../wire/json.js';
import { Reply, type Routes } from '../../wire/router.js';
import { signed, type SignedCall } from '../auth.js';
import { type Exchange } from '../exchange.js';
import { count, dollars } from '../format.js';
import { perContract } from '../ledger.js';
import { errorEntry, refusal } from '../refusals.js';
import { decodeObject, parseOrderRequest } from './order-request.js';

/** Creating and cancelling orders (kalshi.md 5): V2 only, V1 is gone. */
export function orderRoutes(exchange: Exchange): Routes {
  return signed(exchange.keys, {
    'POST /portfolio/events/orders': (call) => createOrder(exchange, call),
    'DELETE /portfolio/events/orders/batched': (call) => cancelOrders(exchange, call),
    'DELETE /portfolio/events/orders/:id': (call) => cancelOrder(exchange, call),
    'POST /portfolio/orders': retired,
    'POST /portfolio/orders/batched': retired,
    'DELETE /portfolio/orders/batched': retired,
    'DELETE /portfolio/orders/:id': retired,
    'POST /portfolio/orders/:id/amend': retired,
    'POST /portfolio/orders/:id/decrease': retired,
  });
}

function retired(): never {
  throw refusal(410, 'deprecated_v1_order_endpoint');
}

function createOrder(exchange: Exchange, { account, request, now }: SignedCall): unknown {
  const placed = exchange.place(account, parseOrderRequest(request.body), now);
  const { order, filled } = placed;
  const averages = {
    average_fill_price: dollars(perContract(placed.spent, filled || 1n)),
    average_fee_paid: dollars(perContract(placed.fees, filled || 1n)),
  };
  return new Reply(201, {
    ...ids(order),
    fill_count: count(filled),
    remaining_count: count(placed.resting),
    ...(filled > 0n ? averages : {}),
    ts_ms: now,
  });
}

function cancelOrder(exchange: Exchange, { account, params, now }: SignedCall): unknown {
  const cancelled = exchange.cancel(account, params.id ?? '', now);
  if (cancelled === undefined) throw refusal(404, 'not_found');
  return { ...ids(cancelled.order), reduced_by: count(cancelled.reducedBy), ts_ms: now };
}

/** Each entry is answered on its own; one that cannot be cancelled reads reduced by nothing, with an error. */
function cancelOrders(exchange: Exchange, { account, request, now }: SignedCall): unknown {
  const orders = parseOrderIds(request.body).map((orderId) => {
    const cancelled = exchange.cancel(account, orderId, now);
    if (cancelled === undefined) return { order_id: orderId, reduced_by: count(0n), error: errorEntry('not_found') };
    return { ...ids(cancelled.order), reduced_by: count(cancelled.reducedBy), ts_ms: now };
  });
  return { orders };
}

function parseOrderIds(body: string): string[] {
  const { orders } = decodeObject(body, 'BatchCancelOrdersV2Request');
  if (!Array.isArray(orders) || orders.length === 0) throw refusal(400, 'bad_request', 'orders is required');
  return orders.map((entry: unknown) => {
    const orderId = isRecord(entry) ? entry.order_id : undefined;
    if (typeof orderId !== 'string' || orderId === '') throw refusal(400, 'bad_request', 'order_id is required');
    return orderId;
  });
}

function ids(order: { id: string; clientOrderId: string }) {
  return { order_id: order.id, ...(order.clientOrderId === '' ? {} : { client_order_id: order.clientOrderId }) };
}
