import { randomUUID } from 'node:crypto';
import { type Fill, type PlaceResult } from '../matching-engine.js';
import { product, smaller } from '../units.js';
import { Account } from './account.js';
import { KeyRing } from './auth.js';
import { afterTrade, type Holding, ownPrice, reserve, takerFee } from './ledger.js';
import { Market, type TradeRecord } from './market.js';
import { finish, newOrder, type OrderRecord, type OrderRequest } from './order.js';
import { refusal } from './refusals.js';
import { HISTORICAL_AGE, MARKETS } from './seeds/events.js';
import { generatePast } from './seeds/past.js';

/** What a create answers with. `spent` and `fees` are in millionths of a dollar, the former in YES terms. */
export interface Placement {
  order: OrderRecord;
  filled: bigint;
  resting: bigint;
  spent: bigint;
  fees: bigint;
}

/** The exchange itself: markets, members, orders and their trades. It knows no HTTP; refusals are `Refusal`. */
export class Exchange {
  readonly markets = new Map<string, Market>();
  readonly accounts = new Map<string, Account>();
  readonly keys = new KeyRing();
  /** Markets settled and orders finished before this moment are served under `/historical` only. */
  readonly cutoff: number;
  /** False while the exchange is paused: creates are refused with 503. */
  tradingActive = true;

  constructor(readonly startedAt: number) {
    this.cutoff = startedAt - HISTORICAL_AGE;
    for (const seed of MARKETS) {
      const market = new Market(seed, startedAt);
      generatePast(market, startedAt);
      this.markets.set(market.ticker, market);
    }
  }

  openAccount(options: { cash: bigint; now: number; unlimited?: boolean }): Account {
    const account = new Account(randomUUID(), options);
    this.accounts.set(account.userId, account);
    return account;
  }

  /** The markets of the live endpoints. */
  liveMarkets(): Market[] {
    return [...this.markets.values()].filter((market) => !market.isArchived(this.cutoff));
  }

  liveMarket(ticker: string): Market | undefined {
    const market = this.markets.get(ticker);
    return market?.isArchived(this.cutoff) === true ? undefined : market;
  }

  /** True for an order that ended before the cutoff: it is served under `/historical` only. */
  isArchivedOrder(order: OrderRecord): boolean {
    return order.status !== 'resting' && order.updatedAt < this.cutoff;
  }

  eventOf(ticker: string): string {
    return this.#requireMarket(ticker).seed.event.ticker;
  }

  /** Brings the books up to a moment: what expired and what closed leaves them. */
  advance(now: number): void {
    for (const account of this.accounts.values())
      for (const order of account.resting()) {
        const expired = order.expiresAt !== null && order.expiresAt <= now;
        const status = this.markets.get(order.ticker)?.statusAt(now);
        if (expired || (status !== 'active' && status !== 'inactive')) this.#withdraw(account, order, now);
      }
  }

  /** Places an order or throws a refusal, in which case nothing has changed. */
  place(account: Account, request: OrderRequest, now: number): Placement {
    if (request.clientOrderId !== '' && account.clientOrderIds.has(request.clientOrderId))
      throw refusal(409, 'order_already_exists');
    const market = this.#tradableMarket(request, now);
    checkTerms(market, request, now);
    const size = this.#permittedSize(account, request);
    const order = newOrder(request, size, now);
    this.#checkFunds(account, market, order, request);
    const result = market.book.place({ ...engineOrder(account, order), ...engineTerms(request) });
    account.orders.set(order.id, order);
    if (order.clientOrderId !== '') account.clientOrderIds.add(order.clientOrderId);
    return this.#settleTrades(account, order, result, { market, now });
  }

  /** Cancels a resting order and returns what was left of it; undefined where the account has none of that id. */
  cancel(account: Account, orderId: string, now: number): { order: OrderRecord; reducedBy: bigint } | undefined {
    const order = account.orders.get(orderId);
    if (order?.status !== 'resting') return undefined;
    const reducedBy = order.remaining;
    this.#withdraw(account, order, now);
    return { order, reducedBy };
  }

  /** Pauses or reopens one market; orders that asked for it are cancelled by a pause. */
  setPaused(ticker: string, paused: boolean, now: number): void {
    const market = this.#requireMarket(ticker);
    market.changeLifecycle(paused ? 'inactive' : 'active', now);
    if (!paused) return;
    for (const account of this.accounts.values())
      for (const order of account.resting(ticker)) if (order.cancelOnPause) this.#withdraw(account, order, now);
  }

  /** Closes and settles a market: its orders are cancelled, its holdings paid out. */
  settle(ticker: string, result: 'yes' | 'no', now: number): void {
    const market = this.#requireMarket(ticker);
    market.changeLifecycle('finalized', now);
    market.outcome = { result, expirationValue: result, settledAt: now };
    this.advance(now);
    const eventTicker = market.seed.event.ticker;
    for (const account of this.accounts.values()) account.settle({ ticker, eventTicker, result, at: now });
  }

  /** Cash that orders do not hold back. */
  available(account: Account): bigint {
    const tickers = new Set(account.resting().map((order) => order.ticker));
    let held = 0n;
    for (const ticker of tickers) held += reserve(account.holding(ticker).position, account.commitments(ticker));
    return account.cash - held;
  }

  #requireMarket(ticker: string): Market {
    const market = this.markets.get(ticker);
    if (market === undefined) throw refusal(404, 'market_not_found');
    return market;
  }

  #tradableMarket(request: OrderRequest, now: number): Market {
    const market = this.liveMarket(request.ticker);
    if (market === undefined) throw refusal(404, 'market_not_found');
    if (!this.tradingActive) throw refusal(503, 'service_unavailable', 'trading is paused');
    if (market.statusAt(now) !== 'active') throw refusal(400, 'MARKET_INACTIVE');
    return market;
  }

  #permittedSize(account: Account, request: OrderRequest): bigint {
    if (!request.reduceOnly) return request.size;
    const size = smaller(request.size, account.reducible(request.ticker, request.side));
    if (size === 0n) throw refusal(400, 'invalid_order', 'reduce only order would not reduce the position');
    return size;
  }

  /** Refuses an order whose trades, fees and rest the available cash cannot carry. */
  #checkFunds(account: Account, market: Market, order: OrderRecord, request: OrderRequest): void {
    if (account.unlimited) return;
    let holding: Holding = account.holding(order.ticker);
    let cash = this.available(account) + reserve(holding.position, account.commitments(order.ticker));
    let left = order.remaining;
    for (const { price, size } of market.book.preview({ ...engineOrder(account, order), ...engineTerms(request) })) {
      const after = afterTrade(holding, { side: order.side, price, size });
      holding = after.holding;
      cash += after.cash - takerFee(price, size);
      left -= size;
    }
    const rest = request.timeInForce === 'GTC' && left > 0n ? [{ ...order, remaining: left }] : [];
    const held = reserve(holding.position, [...account.commitments(order.ticker), ...rest]);
    if (cash < held) throw refusal(400, 'insufficient_balance');
  }

  #settleTrades(
    account: Account,
    order: OrderRecord,
    result: PlaceResult,
    at: { market: Market; now: number },
  ): Placement {
    let spent = 0n;
    for (const fill of result.fills) {
      this.#trade(account, order, fill, at);
      spent += product(fill.price, fill.size);
    }
    for (const maker of result.cancelledMakers) {
      const own = account.orders.get(maker.id);
      if (own !== undefined) finish(own, 'canceled', at.now);
    }
    if (result.resting === 0n) finish(order, order.remaining === 0n ? 'executed' : 'canceled', at.now);
    at.market.recordQuote(at.now);
    return { order, filled: result.filled, resting: result.resting, spent, fees: order.takerFees };
  }

  #trade(taker: Account, order: OrderRecord, fill: Fill, at: { market: Market; now: number }): void {
    const { market, now } = at;
    const maker = this.accounts.get(fill.makerOwner);
    const makerOrder = maker?.orders.get(fill.makerId);
    if (maker === undefined || makerOrder === undefined) throw new Error('The book holds an order of nobody.');
    const before = longContracts(taker, maker, market.ticker);
    const fee = takerFee(fill.price, fill.size);
    const trade = market.recordTrade({ at: now, price: fill.price, size: fill.size, side: order.side });
    book(taker, order, trade, fee);
    book(maker, makerOrder, trade, undefined);
    market.openInterest += longContracts(taker, maker, market.ticker) - before;
    trade.openInterest = market.openInterest;
  }

  #withdraw(account: Account, order: OrderRecord, now: number): void {
    const market = this.#requireMarket(order.ticker);
    market.book.cancel(order.id);
    finish(order, 'canceled', now);
    account.updatedAt = now;
    market.recordQuote(now);
  }
}

/** Enters one side of a trade: order, fill, holding and cash. A maker's fee is undefined. */
function book(account: Account, order: OrderRecord, trade: TradeRecord, takerFeePaid: bigint | undefined): void {
  const { price, size, at } = trade;
  const fee = takerFeePaid ?? 0n;
  const isTaker = takerFeePaid !== undefined;
  const cost = product(ownPrice(order.side, price), size);
  const after = afterTrade(account.holding(order.ticker), { side: order.side, price, size });
  account.holdings.set(order.ticker, { ...after.holding, fees: after.holding.fees + fee, updatedAt: at });
  account.cash += after.cash - fee;
  account.updatedAt = at;
  account.fills.push({
    id: trade.id,
    orderId: order.id,
    ticker: order.ticker,
    side: order.side,
    price,
    size,
    isTaker,
    fee,
    at,
  });
  order.filled += size;
  order.remaining -= size;
  order.updatedAt = at;
  if (isTaker) order.takerCost += cost;
  else order.makerCost += cost;
  order.takerFees += fee;
  if (order.remaining === 0n) order.status = 'executed';
}

function longContracts(taker: Account, maker: Account, ticker: string): bigint {
  return [taker, maker].reduce((sum, account) => {
    const { position } = account.holding(ticker);
    return position > 0n ? sum + position : sum;
  }, 0n);
}

function checkTerms(market: Market, request: OrderRequest, now: number): void {
  if (!market.seed.grid.has(request.price)) throw refusal(400, 'invalid_price');
  if (request.expiresAt !== null && request.timeInForce !== 'GTC')
    throw refusal(400, 'invalid_order', 'expiration_time requires good_till_canceled');
  if (request.expiresAt !== null && request.expiresAt <= now)
    throw refusal(400, 'invalid_order', 'expiration_time must be in the future');
  if (request.postOnly) checkPostOnly(market, request);
}

function checkPostOnly(market: Market, request: OrderRequest): void {
  if (request.timeInForce !== 'GTC') throw refusal(400, 'invalid_order', 'post only requires good_till_canceled');
  if (market.book.crosses(request.side, request.price)) throw refusal(400, 'invalid_order', 'post only cross');
}

function engineOrder(account: Account, order: OrderRecord) {
  return { id: order.id, owner: account.userId, side: order.side, price: order.price, size: order.remaining };
}

function engineTerms(request: OrderRequest) {
  return { timeInForce: request.timeInForce, selfTrade: request.selfTradePrevention };
}
