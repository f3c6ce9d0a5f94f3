import { Reply, type Routes } from '../../wire/router.js';
import { signed, type SignedCall, subaccountOf } from '../auth.js';
import { type Exchange } from '../exchange.js';
import { count, dollars } from '../format.js';
import { NOTHING, TRADE } from '../keys/scopes.js';
import { perContract } from '../ledger.js';
import { KalshiQuery } from '../query.js';
import { entryOf, refusal } from '../refusals.js';
import { placeOrder } from '../trading.js';
import { isUuid, parseCancelItems, parseOrderRequest } from './order-request.js';

/** Creating and cancelling orders (kalshi.md 5.1, 6): V2 only, V1 is gone. */
export function orderRoutes(exchange: Exchange): Routes {
  const live = signed(exchange.keys, TRADE, {
    'POST /portfolio/events/orders': (call) => createOrder(exchange, call),
    'DELETE /portfolio/events/orders/batched': (call) => cancelOrders(exchange, call),
    'DELETE /portfolio/events/orders/:id': (call) => cancelOrder(exchange, call),
  });
  const gone = signed(exchange.keys, NOTHING, {
    'POST /portfolio/orders': retired,
    'POST /portfolio/orders/batched': retired,
    'DELETE /portfolio/orders/batched': retired,
    'DELETE /portfolio/orders/:id': retired,
    'POST /portfolio/orders/:id/amend': retired,
    'POST /portfolio/orders/:id/decrease': retired,
  });
  return { ...live, ...gone };
}

function retired(): never {
  throw refusal(410, 'deprecated_v1_order_endpoint');
}

function createOrder(exchange: Exchange, call: SignedCall): unknown {
  const { account, request, now } = call;
  const asked = parseOrderRequest(request.body);
  const subaccount = subaccountOf(call, asked.subaccount, 0);
  const placed = placeOrder(exchange, account, { ...asked, subaccount }, now);
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

function cancelOrder(exchange: Exchange, call: SignedCall): unknown {
  const { account, request, params, now } = call;
  const query = new KalshiQuery('CancelOrder', request.query);
  const orderId = orderIdOf(params);
  const address = {
    orderId,
    subaccount: subaccountOf(call, query.subaccount(), 0),
    shard: exchange.route(query.route()),
  };
  const cancelled = exchange.cancel(account, address, now);
  if (cancelled === undefined) throw refusal(404, 'not_found');
  return { ...ids(cancelled.order), reduced_by: count(cancelled.reducedBy), ts_ms: now };
}

/** Each entry is routed and answered on its own; one that cannot be cancelled reads reduced by nothing, with an error. */
function cancelOrders(exchange: Exchange, call: SignedCall): unknown {
  const { account, request, now } = call;
  const orders = parseCancelItems(request.body).map(({ orderId, subaccount, target }) => {
    try {
      const own = subaccountOf(call, subaccount, 0);
      const address = { orderId, subaccount: own, shard: exchange.route(target) };
      const cancelled = exchange.cancel(account, address, now);
      if (cancelled === undefined) throw refusal(404, 'not_found');
      return { ...ids(cancelled.order), reduced_by: count(cancelled.reducedBy), ts_ms: now };
    } catch (error) {
      return { order_id: orderId, reduced_by: count(0n), error: entryOf(error) };
    }
  });
  return { orders };
}

/** The order id of a path, or the refusal of one that cannot be one (kalshi-errors-2026.json). */
export function orderIdOf({ id = '' }: SignedCall['params']): string {
  if (!isUuid(id)) throw refusal(400, 'invalid_UUID');
  return id;
}

function ids(order: { id: string; clientOrderId: string }) {
  return { order_id: order.id, ...(order.clientOrderId === '' ? {} : { client_order_id: order.clientOrderId }) };
}
