import { unixSeconds } from '../../times.js';
import { answersOf, type ItemFaults } from '../../wire/items.js';
import { isRecord, parseJson } from '../../wire/json.js';
import { type Routes } from '../../wire/router.js';
import { type Exchange } from '../exchange.js';
import { toDecimal } from '../format.js';
import { type OrderRecord, tokenOf } from '../order.js';
import { errorText, refusal, TEXTS } from '../refusals.js';
import { signed, type SignedCall } from './auth.js';
import { clobPage } from './pages.js';

const ORDER_ID = /^0x[0-9a-fA-F]{64}$/;
const MAX_CANCELS = 1000;
const BAD_QUERY = 'invalid order params payload';

interface Cancelled {
  canceled: string[];
  not_canceled: Record<string, string>;
}

/** Reading and cancelling one's own orders (polymarket.md 7.2, 8). */
export function openOrderRoutes(exchange: Exchange): Routes {
  return signed(exchange.accounts, {
    'GET /data/orders': (call) => listOrders(exchange, call),
    'GET /data/order/:id': (call) => getOrder(exchange, call),
    'DELETE /order': (call) => cancelOrder(exchange, call),
    'DELETE /orders': (call) => cancelOrders(exchange, call),
    'DELETE /cancel-all': (call) => cancelWhere(exchange, call, () => true),
    'DELETE /cancel-market-orders': (call) => cancelMarket(exchange, call),
  });
}

function listOrders(exchange: Exchange, { account, request: { query } }: SignedCall): unknown {
  const [id, market, asset] = [query.get('id'), query.get('market'), query.get('asset_id')];
  const orders = exchange
    .openOrders(account.address)
    .filter((order) => id === null || order.id === id.toLowerCase())
    .filter((order) => market === null || order.market.conditionId === market.toLowerCase())
    .filter((order) => asset === null || tokenOf(order) === asset);
  return clobPage(orders.map(orderView), query.get('next_cursor'), exchange.pageSize, BAD_QUERY);
}

/** Also a closed order, for an hour. */
function getOrder(exchange: Exchange, { account, params: { id = '' } }: SignedCall): unknown {
  if (!ORDER_ID.test(id)) throw refusal(TEXTS.orderId);
  const order = exchange.find(id);
  if (order?.account !== account.address) throw refusal('Order not found', 404);
  return orderView(order);
}

/** Sizes are plain decimals of shares, times whole seconds. */
function orderView(order: OrderRecord): unknown {
  return {
    id: order.id,
    status: order.status,
    owner: order.owner,
    maker_address: order.maker,
    market: order.market.conditionId,
    asset_id: tokenOf(order),
    side: order.side,
    original_size: toDecimal(order.size),
    size_matched: toDecimal(order.matched),
    price: toDecimal(order.price),
    outcome: order.market.seed.outcomes[order.outcome],
    expiration: String(order.expiration),
    order_type: order.orderType,
    associate_trades: order.tradeIds,
    created_at: unixSeconds(order.createdAt),
  };
}

function cancelOrder(exchange: Exchange, { account, request }: SignedCall): Cancelled {
  const body = parseJson(request.body);
  if (!isRecord(body)) throw refusal(TEXTS.payload);
  return cancel(exchange, account.address, [orderId(body.orderID)]);
}

function cancelOrders(exchange: Exchange, { account, request }: SignedCall): Cancelled {
  const body = parseJson(request.body);
  if (!Array.isArray(body)) throw refusal(TEXTS.payload);
  if (body.length > MAX_CANCELS) throw refusal(`Too many orders in payload, max allowed: ${MAX_CANCELS}`);
  return cancel(exchange, account.address, body.map(orderId), request.items);
}

function cancelMarket(exchange: Exchange, call: SignedCall): Cancelled {
  const body = parseJson(call.request.body);
  if (!isRecord(body)) throw refusal(TEXTS.payload);
  const [market, asset] = [optionalText(body.market), optionalText(body.asset_id)];
  if (market === undefined && asset === undefined) throw refusal(TEXTS.payload);
  return cancelWhere(
    exchange,
    call,
    (order) =>
      (market === undefined || order.market.conditionId === market.toLowerCase()) &&
      (asset === undefined || tokenOf(order) === asset),
  );
}

function cancelWhere(exchange: Exchange, call: SignedCall, fits: (order: OrderRecord) => boolean): Cancelled {
  const { address } = call.account;
  const orders = exchange.openOrders(address).filter(fits);
  return cancel(
    exchange,
    address,
    orders.map(({ id }) => id),
  );
}

/** A failed cancel is no error: the id is in `not_canceled` with the reason. */
function cancel(exchange: Exchange, account: string, ids: string[], faults?: ItemFaults): Cancelled {
  const reasons = answersOf([...new Set(ids)], faults, {
    run: (id) => [id, exchange.cancel(account, id)] as const,
    refuse: (status, id) => [id, errorText(status)] as const,
  });
  return {
    canceled: reasons.flatMap(([id, reason]) => (reason === undefined ? [id] : [])),
    not_canceled: Object.fromEntries(
      reasons.filter((entry): entry is readonly [string, string] => entry[1] !== undefined),
    ),
  };
}

function orderId(value: unknown): string {
  if (typeof value !== 'string') throw refusal(TEXTS.payload);
  if (!ORDER_ID.test(value)) throw refusal(TEXTS.orderId);
  return value;
}

function optionalText(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw refusal(TEXTS.payload);
  return value;
}
