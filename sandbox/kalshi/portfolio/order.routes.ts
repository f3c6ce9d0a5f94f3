import { isRecord } from '../../wire/json.js';
import { type WireResponse } from '../../wire/server.js';
import { count, dollars, perContract } from '../units.js';
import { errorEntry, refusal } from '../refusals.js';
import { type KalshiExchange } from '../exchange.js';
import { ok } from '../markets/market.routes.js';
import { decodeObject, parseOrderRequest } from './order-request.js';
import { type Router, type SignedCall } from '../router.js';

/** Creating and cancelling orders (kalshi.md 5): V2 only, V1 is gone. */
export function addOrderRoutes(router: Router, exchange: KalshiExchange): void {
  router.signed('POST', '/portfolio/events/orders', (call) => createOrder(exchange, call));
  router.signed('DELETE', '/portfolio/events/orders/batched', (call) => cancelOrders(exchange, call));
  router.signed('DELETE', '/portfolio/events/orders/*', (call) => cancelOrder(exchange, call));
  for (const [method, path] of RETIRED)
    router.signed(method, path, () => {
      throw refusal(410, 'deprecated_v1_order_endpoint');
    });
}

const RETIRED = [
  ['POST', '/portfolio/orders'],
  ['POST', '/portfolio/orders/batched'],
  ['DELETE', '/portfolio/orders/batched'],
  ['DELETE', '/portfolio/orders/*'],
  ['POST', '/portfolio/orders/*/amend'],
  ['POST', '/portfolio/orders/*/decrease'],
] as const;

function createOrder(exchange: KalshiExchange, { account, request, now }: SignedCall): WireResponse {
  const placed = exchange.place(account, parseOrderRequest(request.body), now);
  const { order, filled } = placed;
  const averages = {
    average_fill_price: dollars(perContract(placed.spent, filled || 1n)),
    average_fee_paid: dollars(perContract(placed.fees, filled || 1n)),
  };
  return {
    status: 201,
    body: {
      ...ids(order),
      fill_count: count(filled),
      remaining_count: count(placed.resting),
      ...(filled > 0n ? averages : {}),
      ts_ms: now,
    },
  };
}

function cancelOrder(exchange: KalshiExchange, { account, path, now }: SignedCall): WireResponse {
  const cancelled = exchange.cancel(account, path[0] ?? '', now);
  if (cancelled === undefined) throw refusal(404, 'not_found');
  return ok({ ...ids(cancelled.order), reduced_by: count(cancelled.reducedBy), ts_ms: now });
}

/** Each entry is answered on its own; one that cannot be cancelled reads reduced by nothing, with an error. */
function cancelOrders(exchange: KalshiExchange, { account, request, now }: SignedCall): WireResponse {
  const orders = parseOrderIds(request.body).map((orderId) => {
    const cancelled = exchange.cancel(account, orderId, now);
    if (cancelled === undefined) return { order_id: orderId, reduced_by: count(0n), error: errorEntry('not_found') };
    return { ...ids(cancelled.order), reduced_by: count(cancelled.reducedBy), ts_ms: now };
  });
  return ok({ orders });
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
