import { answersOf } from '../../wire/items.js';
import { Reply, type Routes } from '../../wire/router.js';
import { type SignedCall, subaccountOf } from '../auth.js';
import { type Exchange } from '../exchange.js';
import { count } from '../format.js';
import { entryOf, errorEntryOf } from '../refusals.js';
import { placeOrder } from '../trading.js';
import { averagesOf, countsOf, idsOf } from './answer.view.js';
import { parseCancelItems, parseOrderItems } from './order-request.js';

/** Batches of creates and of cancels (kalshi.md 5.3, 6): not atomic, each item is routed and answered on its own. */
export function batchRoutes(exchange: Exchange): Routes<SignedCall> {
  return {
    'POST /portfolio/events/orders/batched': (call) => createOrders(exchange, call),
    'DELETE /portfolio/events/orders/batched': (call) => cancelOrders(exchange, call),
  };
}

/** What an item does not have is null; of a failed one all but its client id and its error. */
const NOTHING = {
  fill_count: null,
  remaining_count: null,
  average_fill_price: null,
  average_fee_paid: null,
  ts_ms: null,
};

function createOrders(exchange: Exchange, call: SignedCall): Reply {
  const { account, request, now } = call;
  type Item = ReturnType<typeof parseOrderItems>[number];
  const failed = ({ clientOrderId }: Item, error: unknown): object => ({
    ...(clientOrderId === '' ? {} : { client_order_id: clientOrderId }),
    ...NOTHING,
    error,
  });
  const create = (item: Item): object => {
    try {
      const asked = item.read();
      const subaccount = subaccountOf(call, asked.subaccount, 0);
      const placed = placeOrder(exchange, account, { ...asked, subaccount }, now);
      return { ...NOTHING, ...idsOf(placed.order), ...countsOf(placed), ...averagesOf(placed), ts_ms: now };
    } catch (error) {
      return failed(item, entryOf(error));
    }
  };
  const orders = answersOf(parseOrderItems(request.body), request.items, {
    run: create,
    refuse: (status, item) => failed(item, errorEntryOf(status)),
  });
  return new Reply(201, { orders });
}

/** One that cannot be cancelled reads reduced by nothing, with an error. */
function cancelOrders(exchange: Exchange, call: SignedCall): unknown {
  const { account, request, now } = call;
  type Item = ReturnType<typeof parseCancelItems>[number];
  const failed = ({ orderId }: Item, error: unknown): object => ({
    order_id: orderId,
    reduced_by: count(0n),
    error,
  });
  const cancel = (item: Item): object => {
    try {
      const own = subaccountOf(call, item.subaccount, 0);
      const address = { orderId: item.orderId, subaccount: own, shard: exchange.route(item.target) };
      const { order, reducedBy } = exchange.cancel(account, address, now);
      return { ...idsOf(order), reduced_by: count(reducedBy), ts_ms: now };
    } catch (error) {
      return failed(item, entryOf(error));
    }
  };
  const orders = answersOf(parseCancelItems(request.body), request.items, {
    run: cancel,
    refuse: (status, item) => failed(item, errorEntryOf(status)),
  });
  return { orders };
}
