import { Reply, type Routes } from '../../wire/router.js';
import { signed, type SignedCall, subaccountOf } from '../auth.js';
import { type Exchange } from '../exchange.js';
import { count } from '../format.js';
import { NOTHING, TRADE } from '../keys/scopes.js';
import { KalshiQuery } from '../query.js';
import { refusal } from '../refusals.js';
import { placeOrder } from '../trading.js';
import { amendRoutes } from './amend.routes.js';
import { averagesOf, countsOf, idsOf } from './answer.view.js';
import { batchRoutes } from './batch.routes.js';
import { orderIdOf, parseOrderRequest } from './order-request.js';

/** Creating, changing and cancelling orders (kalshi.md 5.1, 5.3, 6): V2 only, V1 is gone. */
export function orderRoutes(exchange: Exchange): Routes {
  const live = signed(exchange.keys, TRADE, {
    ...batchRoutes(exchange),
    ...amendRoutes(exchange),
    'POST /portfolio/events/orders': (call) => createOrder(exchange, call),
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
  return new Reply(201, { ...idsOf(placed.order), ...countsOf(placed), ...averagesOf(placed), ts_ms: now });
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
  const { order, reducedBy } = exchange.cancel(account, address, now);
  return { ...idsOf(order), reduced_by: count(reducedBy), ts_ms: now };
}
