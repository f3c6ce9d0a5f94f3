import { isRecord, parseJson } from '../../wire/json.js';
import { type WireRequest } from '../../wire/server.js';
import { authenticate } from './auth.js';
import { ok } from './routes.js';
import { clobPage } from './pages.js';
import { type ExchangeState } from '../exchange.js';
import { type OrderRecord, tokenOf } from '../order.js';
import { Refused, TEXTS } from '../refusals.js';
import { type Routes } from '../router.js';
import { toDecimal } from '../units.js';

const ORDER_ID = /^0x[0-9a-fA-F]{64}$/;
const MAX_CANCELS = 1000;
const BAD_QUERY = 'invalid order params payload';

interface Cancelled {
  canceled: string[];
  not_canceled: Record<string, string>;
}

/** Reading and cancelling one's own orders (`polymarket.md` 7). */
export function openOrderRoutes(state: ExchangeState): Routes {
  return {
    'GET /data/orders': (request) => ok(list(state, request)),
    'GET /data/order/:id': (request, { id = '' }) => ok(single(state, request, id)),
    'DELETE /order': (request) => ok(cancelOne(state, request)),
    'DELETE /orders': (request) => ok(cancelMany(state, request)),
    'DELETE /cancel-all': (request) => ok(cancelWhere(state, request, () => true)),
    'DELETE /cancel-market-orders': (request) => ok(cancelMarket(state, request)),
  };
}

function list(state: ExchangeState, request: WireRequest): unknown {
  const { address } = authenticate(state.accounts, request);
  const { query } = request;
  const [id, market, asset] = [query.get('id'), query.get('market'), query.get('asset_id')];
  const orders = state.trading
    .openOrders(address)
    .filter((order) => id === null || order.id === id.toLowerCase())
    .filter((order) => market === null || order.market.conditionId === market.toLowerCase())
    .filter((order) => asset === null || tokenOf(order) === asset);
  return clobPage(orders.map(orderView), query.get('next_cursor'), state.pageSize, BAD_QUERY);
}

/** Also a closed order, for an hour. */
function single(state: ExchangeState, request: WireRequest, id: string): unknown {
  const { address } = authenticate(state.accounts, request);
  if (!ORDER_ID.test(id)) throw new Refused(TEXTS.orderId);
  const order = state.trading.find(id);
  if (order?.account !== address) throw new Refused('Order not found', 404);
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
    created_at: Math.floor(order.createdAt.getTime() / 1000),
  };
}

function cancelOne(state: ExchangeState, request: WireRequest): Cancelled {
  const { address } = authenticate(state.accounts, request);
  const body = parseJson(request.body);
  if (!isRecord(body)) throw new Refused(TEXTS.payload);
  return cancel(state, address, [orderId(body.orderID)]);
}

function cancelMany(state: ExchangeState, request: WireRequest): Cancelled {
  const { address } = authenticate(state.accounts, request);
  const body = parseJson(request.body);
  if (!Array.isArray(body)) throw new Refused(TEXTS.payload);
  if (body.length > MAX_CANCELS) throw new Refused(`Too many orders in payload, max allowed: ${MAX_CANCELS}`);
  return cancel(state, address, body.map(orderId));
}

function cancelMarket(state: ExchangeState, request: WireRequest): Cancelled {
  authenticate(state.accounts, request);
  const body = parseJson(request.body);
  if (!isRecord(body)) throw new Refused(TEXTS.payload);
  const [market, asset] = [optionalText(body.market), optionalText(body.asset_id)];
  if (market === undefined && asset === undefined) throw new Refused(TEXTS.payload);
  return cancelWhere(
    state,
    request,
    (order) =>
      (market === undefined || order.market.conditionId === market.toLowerCase()) &&
      (asset === undefined || tokenOf(order) === asset),
  );
}

function cancelWhere(state: ExchangeState, request: WireRequest, fits: (order: OrderRecord) => boolean): Cancelled {
  const { address } = authenticate(state.accounts, request);
  const orders = state.trading.openOrders(address).filter(fits);
  return cancel(
    state,
    address,
    orders.map((order) => order.id),
  );
}

/** A failed cancel is no error: the id is in `not_canceled` with the reason. */
function cancel(state: ExchangeState, account: string, ids: string[]): Cancelled {
  const result: Cancelled = { canceled: [], not_canceled: {} };
  for (const id of new Set(ids)) {
    const reason = state.trading.cancel(account, id);
    if (reason === undefined) result.canceled.push(id);
    else result.not_canceled[id] = reason;
  }
  return result;
}

function orderId(value: unknown): string {
  if (typeof value !== 'string') throw new Refused(TEXTS.payload);
  if (!ORDER_ID.test(value)) throw new Refused(TEXTS.orderId);
  return value;
}

function optionalText(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw new Refused(TEXTS.payload);
  return value;
}
