import { type NewOrder, type TimeInForce } from '../matching-engine.js';
import { smaller } from '../units.js';
import { type Account } from './account.js';
import { type Exchange, type RouteTarget } from './exchange.js';
import { isAffordable, type Purse } from './funds.js';
import { type Market } from './market.js';
import { newOrder, type OrderRecord, type OrderRequest } from './order.js';
import { notAttested, refusal } from './refusals.js';
import { type Placement, settleTrades } from './trades.js';

/** Who wants to trade what: the parts of a create that every check needs. */
interface Attempt extends Purse {
  request: OrderRequest;
}

/** Categories in which only members trade whose location attestation is valid (kalshi.md 2.2). */
const ATTESTED_CATEGORIES = new Set(['Sports', 'Elections', 'Entertainment']);

/** Places an order or throws a refusal, in which case nothing has changed. */
export function placeOrder(exchange: Exchange, account: Account, request: OrderRequest, now: number): Placement {
  if (request.clientOrderId !== '' && account.clientOrderIds.has(request.clientOrderId))
    throw refusal(409, 'order_already_exists');
  const market = tradableMarket(exchange, request, now);
  const subaccount = account.subaccount(request.subaccount);
  if (subaccount === undefined) throw refusal(400, 'bad_request', 'subaccount does not exist');
  const attempt = { account, subaccount, market, request };
  checkAttestation(attempt, now);
  checkTerms(market, request, now);
  const order = newOrder(request, market.shard, permittedSize(attempt), now);
  checkFunds(exchange, attempt, order);
  const result = market.book.place(atBook(account, order, request.timeInForce));
  account.orders.set(order.id, order);
  if (order.clientOrderId !== '') account.clientOrderIds.add(order.clientOrderId);
  return settleTrades(exchange, { account, market, now }, order, { result });
}

/** The market, where the shard that the order goes to has it and both are trading. */
export function tradableMarket(exchange: Exchange, target: RouteTarget & { ticker: string }, now: number): Market {
  const shard = exchange.route(target);
  const market = exchange.liveMarket(target.ticker);
  if (market?.shard !== shard) throw refusal(404, 'market_not_found');
  exchange.requireActive(shard);
  if (exchange.shards.find(shard)?.tradingActive === false) throw refusal(400, 'trading_is_paused');
  if (market.statusAt(now) !== 'active') throw refusal(400, 'MARKET_NOT_ACTIVE');
  return market;
}

function checkAttestation({ account, market }: Attempt, now: number): void {
  const isNeeded = ATTESTED_CATEGORIES.has(market.seed.event.series.category) && !account.unlimited;
  if (isNeeded && (account.attestedUntil ?? now) <= now) throw notAttested();
}

function checkTerms(market: Market, request: OrderRequest, now: number): void {
  if (!market.seed.grid.has(request.price)) throw refusal(400, 'invalid_price');
  if (request.expiresAt !== null && request.timeInForce !== 'GTC')
    throw refusal(400, 'invalid_order', 'expiration_time requires good_till_canceled');
  if (request.expiresAt !== null && request.expiresAt <= now)
    throw refusal(400, 'invalid_order', 'expiration_time must be in the future');
  if (request.reduceOnly && request.timeInForce !== 'IOC')
    throw refusal(400, 'invalid_order', 'reduce only requires immediate_or_cancel');
  if (request.postOnly) checkPostOnly(market, request);
}

function checkPostOnly(market: Market, request: OrderRequest): void {
  if (request.timeInForce !== 'GTC') throw refusal(400, 'invalid_order', 'post only requires good_till_canceled');
  if (market.book.crosses(request.side, request.price)) throw refusal(400, 'invalid_order', 'post only cross');
}

function permittedSize({ subaccount, request }: Attempt): bigint {
  if (!request.reduceOnly) return request.size;
  const size = smaller(request.size, subaccount.reducible(request.ticker, request.side));
  if (size === 0n) throw refusal(400, 'invalid_order', 'reduce only order would not reduce the position');
  return size;
}

const NEVER_FUNDED =
  'Exchange user not found. For Predictions: reference documentation Exchange Sharding documentation.';

/** Refuses an order whose trades, fees and rest the available cash of its shard cannot carry. */
function checkFunds(exchange: Exchange, { account, subaccount, market, request }: Attempt, order: OrderRecord): void {
  if (!account.unlimited && !subaccount.isFunded(market.shard))
    throw refusal(404, 'insufficient_shard_balance', NEVER_FUNDED);
  const purse = { account, subaccount, market };
  if (!isAffordable(exchange, purse, order, atBook(account, order, request.timeInForce)))
    throw refusal(400, 'insufficient_balance');
}

/** An order as the book takes it. */
export function atBook({ userId }: Account, order: OrderRecord, timeInForce: TimeInForce = 'GTC'): NewOrder {
  const { id, side, price, remaining: size, selfTradePrevention: selfTrade } = order;
  return { id, owner: userId, side, price, size, timeInForce, selfTrade };
}
