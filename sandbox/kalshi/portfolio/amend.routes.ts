import { type Routes } from '../../wire/router.js';
import { amendOrder, decreaseOrder } from '../amending.js';
import { type SignedCall, subaccountOf } from '../auth.js';
import { type Exchange, type OrderAddress, type RouteTarget } from '../exchange.js';
import { count } from '../format.js';
import { KalshiQuery } from '../query.js';
import { parseAmend, parseDecrease } from './amend-request.js';
import { averagesOf, countsOf, idsOf } from './answer.view.js';
import { orderIdOf } from './order-request.js';

/** Changing an order that rests (kalshi.md 5.3). */
export function amendRoutes(exchange: Exchange): Routes<SignedCall> {
  return {
    'POST /portfolio/events/orders/:id/amend': (call) => amend(exchange, call),
    'POST /portfolio/events/orders/:id/decrease': (call) => decrease(exchange, call),
  };
}

/** Counts and averages are null where nothing was filled and the size is what it was; averages also without a fill. */
function amend(exchange: Exchange, call: SignedCall): unknown {
  const { account, request, now } = call;
  const { change, exchangeIndex } = parseAmend(request.body);
  const address = addressOf(exchange, call, { exchangeIndex, ticker: change.ticker });
  const amended = amendOrder(exchange, account, { address, change, now });
  const nothing = { fill_count: null, remaining_count: null, average_fill_price: null, average_fee_paid: null };
  const counts = amended.counted ? countsOf(amended) : {};
  return { ...idsOf(amended.order), ...nothing, ...counts, ...averagesOf(amended), ts_ms: now };
}

function decrease(exchange: Exchange, call: SignedCall): unknown {
  const { account, request, now } = call;
  const { size, target } = parseDecrease(request.body);
  const address = addressOf(exchange, call, target);
  const { order, left } = decreaseOrder(exchange, account, { address, ...size, now });
  return { ...idsOf(order), remaining_count: count(left), ts_ms: now };
}

function addressOf(exchange: Exchange, call: SignedCall, target: RouteTarget): OrderAddress {
  const query = new KalshiQuery('ChangeOrder', call.request.query);
  return {
    orderId: orderIdOf(call.params),
    subaccount: subaccountOf(call, query.subaccount(), 0),
    shard: exchange.route(target),
  };
}
