import { type Fill, type PlaceResult } from '../matching-engine.js';
import { product, smaller } from '../units.js';
import { type Account } from './account.js';
import { type KalshiEvent } from './events.js';
import { type Exchange } from './exchange.js';
import { afterTrade, type Holding, ownPrice, reserve, takerFee } from './ledger.js';
import { type Market, type TradeRecord } from './market.js';
import { finish, newOrder, type OrderRecord, type OrderRequest } from './order.js';
import { notAttested, refusal } from './refusals.js';
import { type Subaccount } from './subaccount.js';

/** What a create answers with. `spent` and `fees` are in millionths of a dollar, the former in YES terms. */
export interface Placement {
  order: OrderRecord;
  filled: bigint;
  resting: bigint;
  spent: bigint;
  fees: bigint;
}

/** Who wants to trade what: the parts of a create that every check needs. */
interface Attempt {
  account: Account;
  subaccount: Subaccount;
  market: Market;
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
  checkFunds(attempt, order);
  const result = market.book.place({ ...engineOrder(account, order), ...engineTerms(request) });
  account.orders.set(order.id, order);
  if (order.clientOrderId !== '') account.clientOrderIds.add(order.clientOrderId);
  return settleTrades(exchange, { account, market, now }, order, result);
}

/** The market, where the shard that the order goes to has it and both are trading. */
function tradableMarket(exchange: Exchange, request: OrderRequest, now: number): Market {
  const shard = exchange.route(request);
  const market = exchange.liveMarket(request.ticker);
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
function checkFunds({ account, subaccount, market, request }: Attempt, order: OrderRecord): void {
  if (account.unlimited) return;
  if (!subaccount.isFunded(market.shard)) throw refusal(404, 'insufficient_shard_balance', NEVER_FUNDED);
  const commitments = account.commitments(subaccount.number, order.ticker);
  let holding: Holding = subaccount.holding(order.ticker);
  let cash = account.available(subaccount.number, market.shard) + reserve(holding.position, commitments);
  let left = order.remaining;
  for (const { price, size } of market.book.preview({ ...engineOrder(account, order), ...engineTerms(request) })) {
    const after = afterTrade(holding, { side: order.side, price, size });
    holding = after.holding;
    cash += after.cash - takerFee(price, size);
    left -= size;
  }
  const rest = request.timeInForce === 'GTC' && left > 0n ? [{ ...order, remaining: left }] : [];
  if (cash < reserve(holding.position, [...commitments, ...rest])) throw refusal(400, 'insufficient_balance');
}

/** Where and when the trades of an order happen. */
interface Scene {
  account: Account;
  market: Market;
  now: number;
}

function settleTrades(exchange: Exchange, scene: Scene, order: OrderRecord, result: PlaceResult): Placement {
  const { account, market, now } = scene;
  let spent = 0n;
  for (const fill of result.fills) {
    trade(exchange, scene, order, fill);
    spent += product(fill.price, fill.size);
  }
  for (const maker of result.cancelledMakers) {
    const own = account.orders.get(maker.id);
    if (own === undefined) continue;
    finish(own, 'canceled', now);
    exchange.tape.note({ kind: 'order', account, order: own, reason: 'SelfTradeCancel' });
  }
  if (result.resting === 0n) finish(order, order.remaining === 0n ? 'executed' : 'canceled', now);
  market.recordQuote(now);
  const reason = result.selfTradePrevented ? 'SelfTradeCancel' : result.filled > 0n ? 'Trade' : undefined;
  exchange.tape.note({ kind: 'order', account, order, reason });
  return { order, filled: result.filled, resting: result.resting, spent, fees: order.takerFees };
}

function trade(exchange: Exchange, { account: taker, market, now }: Scene, order: OrderRecord, fill: Fill): void {
  const maker = exchange.accounts.get(fill.makerOwner);
  const makerOrder = maker?.orders.get(fill.makerId);
  if (maker === undefined || makerOrder === undefined) throw new Error('The book holds an order of nobody.');
  const before = longContracts([taker, maker], market.ticker);
  const fee = takerFee(fill.price, fill.size);
  const record = market.recordTrade({ at: now, price: fill.price, size: fill.size, side: order.side });
  exchange.tape.note({ kind: 'trade', market, trade: record });
  exchange.tape.note(book(taker, order, record, fee));
  exchange.tape.note(book(maker, makerOrder, record, undefined));
  exchange.tape.note({ kind: 'order', account: maker, order: makerOrder, reason: 'Trade' });
  market.openInterest += longContracts([taker, maker], market.ticker) - before;
  record.openInterest = market.openInterest;
}

/** Enters one side of a trade: order, fill, holding and cash. A maker's fee is undefined. */
function book(
  account: Account,
  order: OrderRecord,
  record: TradeRecord,
  takerFeePaid: bigint | undefined,
): KalshiEvent {
  const { id, price, size, at } = record;
  const { ticker, subaccount: number, shard, side } = order;
  const fee = takerFeePaid ?? 0n;
  const isTaker = takerFeePaid !== undefined;
  const cost = product(ownPrice(side, price), size);
  const subaccount = account.openSubaccount(number, at);
  const after = afterTrade(subaccount.holding(ticker), { side, price, size });
  subaccount.holdings.set(ticker, { ...after.holding, fees: after.holding.fees + fee, updatedAt: at });
  subaccount.pay(shard, after.cash - fee, at);
  const fill = { id, orderId: order.id, ticker, subaccount: number, shard, side, price, size, isTaker, fee, at };
  account.fills.push(fill);
  order.filled += size;
  order.remaining -= size;
  order.updatedAt = at;
  if (isTaker) order.takerCost += cost;
  else order.makerCost += cost;
  order.takerFees += fee;
  if (order.remaining === 0n) order.status = 'executed';
  return { kind: 'fill', account, order, fill, position: after.holding.position };
}

/** Long positions in a market of all subaccounts of the accounts, each account once. */
function longContracts(accounts: readonly Account[], ticker: string): bigint {
  return [...new Set(accounts)]
    .flatMap((account) => account.subaccounts())
    .map((subaccount) => subaccount.holding(ticker).position)
    .reduce((sum, position) => (position > 0n ? sum + position : sum), 0n);
}

function engineOrder(account: Account, order: OrderRecord) {
  return { id: order.id, owner: account.userId, side: order.side, price: order.price, size: order.remaining };
}

function engineTerms(request: OrderRequest) {
  return { timeInForce: request.timeInForce, selfTrade: request.selfTradePrevention };
}
