import { type BookSide, type PlaceResult } from '../matching-engine.js';
import { type Account } from './account.js';
import { type Exchange, type OrderAddress } from './exchange.js';
import { isAffordable } from './funds.js';
import { type Market } from './market.js';
import { type OrderRecord } from './order.js';
import { refusal } from './refusals.js';
import { type Placement, settleTrades } from './trades.js';
import { atBook, tradableMarket } from './trading.js';

/** A well-formed `AmendOrderV2Request` (kalshi.md 5.3). */
export interface AmendRequest {
  ticker: string;
  side: BookSide;
  price: bigint;
  /** What is filled and what is to rest from now on. */
  total: bigint;
  clientOrderId: string | undefined;
  updatedClientOrderId: string | undefined;
  /** Ms; null for none, undefined leaves it as it is. */
  expiresAt: number | null | undefined;
}

/** `counted`: something was filled, or the resting size has changed. */
export interface Amendment extends Placement {
  counted: boolean;
}

/**
 * Changes a resting order or throws a refusal, in which case nothing has changed. A smaller size and a new expiry keep
 * the place in the queue; another price or a larger size loses it, and the order may trade at once (kalshi.md 5.3).
 */
export function amendOrder(
  exchange: Exchange,
  account: Account,
  { address, change, now }: { address: OrderAddress; change: AmendRequest; now: number },
): Amendment {
  exchange.requireActive(address.shard);
  const order = exchange.requireResting(account, address);
  checkNames(account, order, change);
  const market = tradableMarket(exchange, { ticker: order.ticker, exchangeIndex: order.shard }, now);
  checkValues(market, order, change, now);
  const left = change.total - order.filled;
  const counted = left !== order.remaining;
  const keepsPlace = change.price === order.price && left <= order.remaining;
  const amended: OrderRecord = { ...order, price: change.price, remaining: left };
  const subaccount = account.openSubaccount(order.subaccount, now);
  if (!keepsPlace && !isAffordable(exchange, { account, subaccount, market }, amended, atBook(account, amended)))
    throw refusal(400, 'available_balance_too_low');
  const shrinks = { by: order.remaining - left };
  rename(account, order, change);
  if (change.expiresAt !== undefined) order.expiresAt = change.expiresAt;
  Object.assign(order, { price: change.price, remaining: left, initial: change.total, updatedAt: now });
  const scene = { account, market, now };
  const result = keepsPlace ? shrunk(market, order, shrinks.by) : replaced(market, account, order);
  const placed = settleTrades(exchange, scene, order, { result, asked: 'Amend' });
  return { ...placed, counted: counted || placed.filled > 0n };
}

/** Takes contracts out of a resting order, which keeps its place; the last of them end it. Returns what is left. */
export function decreaseOrder(
  exchange: Exchange,
  account: Account,
  { address, to, by, now }: { address: OrderAddress; to?: bigint; by?: bigint; now: number },
): { order: OrderRecord; left: bigint } {
  exchange.requireActive(address.shard);
  const order = exchange.requireResting(account, address);
  const left = to ?? order.remaining - (by ?? 0n);
  if (left > order.remaining) throw refusal(400, 'invalid_order_size');
  const market = exchange.liveMarket(order.ticker);
  if (left <= 0n || market === undefined) {
    exchange.withdraw(account, order, now);
    return { order, left: 0n };
  }
  const result = shrunk(market, order, order.remaining - left);
  Object.assign(order, { remaining: left, updatedAt: now });
  settleTrades(exchange, { account, market, now }, order, { result, asked: 'Decrease' });
  return { order, left };
}

/** What the call says of the order must be true of it. */
function checkNames(account: Account, order: OrderRecord, change: AmendRequest): void {
  if (change.ticker !== order.ticker) throw refusal(400, 'order_ticker_mismatch');
  if (change.side !== order.side) throw refusal(400, 'order_side_mismatch');
  const { clientOrderId = order.clientOrderId, updatedClientOrderId: updated } = change;
  if (clientOrderId !== order.clientOrderId) throw refusal(400, 'order_id_and_client_order_id_mismatch');
  const isTaken = updated !== undefined && updated !== order.clientOrderId && account.clientOrderIds.has(updated);
  if (isTaken) throw refusal(409, 'order_already_exists');
}

function checkValues(market: Market, order: OrderRecord, { price, total, expiresAt }: AmendRequest, now: number): void {
  if (!market.seed.grid.has(price)) throw refusal(400, 'invalid_price');
  if (total <= order.filled) throw refusal(400, 'invalid_order_size');
  if (typeof expiresAt === 'number' && expiresAt <= now)
    throw refusal(400, 'invalid_order', 'expiration_time must be in the future');
}

/** Both ids stay used up. */
function rename(account: Account, order: OrderRecord, { updatedClientOrderId: updated }: AmendRequest): void {
  if (updated === undefined) return;
  order.clientOrderId = updated;
  account.clientOrderIds.add(updated);
}

function replaced(market: Market, account: Account, order: OrderRecord): PlaceResult {
  market.book.cancel(order.id);
  return market.book.place(atBook(account, order));
}

function shrunk(market: Market, order: OrderRecord, by: bigint): PlaceResult {
  if (by > 0n) market.book.reduce(order.id, by);
  const resting = market.book.find(order.id)?.remaining ?? 0n;
  const nothing = { fills: [], filled: 0n, cancelled: 0n, selfTradePrevented: false, cancelledMakers: [] };
  return { outcome: 'accepted', resting, ...nothing };
}
