import { randomUUID } from 'node:crypto';
import { Tape } from '../streams/tape.js';
import { DAY, unixSeconds } from '../times.js';
import { ONE } from '../units.js';
import { Account } from './account.js';
import { KeyRing } from './auth.js';
import { type ChangeReason, type KalshiEvent } from './events.js';
import { FeeSchedule } from './fees/schedule.js';
import { dollars } from './format.js';
import { RateLimits } from './limits/limits.js';
import { Market } from './market.js';
import { finish, type OrderRecord } from './order.js';
import { refusal } from './refusals.js';
import { EVENTS, HISTORICAL_AGE, HISTORICAL_ORDER_AGE, MARKETS, SERIES } from './seeds/events.js';
import { manySeeds } from './seeds/many.js';
import { generatePast } from './seeds/past.js';
import type { EventSeed, SeriesSeed } from './seeds/seed.js';
import { Shards, type ShardState } from './shards.js';
import { Transfers } from './transfers/transfers.js';

/** How a call names the shard that it is for: by its number, or by a market. */
export interface RouteTarget {
  /** -1 asks for routing by the ticker. */
  exchangeIndex: number | undefined;
  ticker: string | undefined;
}

/** One order as its owner names it: the exchange looks on that shard, in that subaccount, and nowhere else. */
export interface OrderAddress {
  orderId: string;
  subaccount: number;
  shard: number;
}

/** The exchange itself: markets, members, shards and what rests in the books. It knows no HTTP; refusals are `Refusal`. */
export class Exchange {
  readonly markets = new Map<string, Market>();
  /** In the order of the exchange's lists. */
  readonly events: readonly EventSeed[];
  readonly series: readonly SeriesSeed[];
  readonly #marketsOf = new Map<string, Market[]>();
  readonly accounts = new Map<string, Account>();
  readonly keys = new KeyRing();
  readonly shards = new Shards();
  readonly fees = new FeeSchedule();
  readonly limits = new RateLimits();
  readonly transfers = new Transfers(this.shards);
  readonly tape = new Tape<KalshiEvent>();
  /** Markets settled, trades made and positions settled before this moment are served under `/historical` only. */
  readonly cutoff: number;
  /** Called before an order is changed or cancelled by its owner. */
  beforeChange: (orderId: string, now: number) => void = () => undefined;
  #now: number;

  /** `many` adds a thousand markets to the few that tests know. */
  constructor(
    readonly startedAt: number,
    many = false,
  ) {
    this.#now = startedAt;
    this.cutoff = startedAt - HISTORICAL_AGE;
    const more = many ? manySeeds() : { series: [], events: [], markets: [] };
    this.events = [...EVENTS, ...more.events];
    this.series = [...SERIES, ...more.series];
    for (const seed of [...MARKETS, ...more.markets]) {
      const market = new Market(seed, startedAt);
      generatePast(market, startedAt);
      market.book.watch((change) => {
        this.tape.note({ kind: 'level', market, change });
      });
      this.markets.set(market.ticker, market);
      const { ticker } = seed.event;
      this.#marketsOf.set(ticker, [...(this.#marketsOf.get(ticker) ?? []), market]);
    }
  }

  /** Every market of an event, archived ones included. */
  marketsOf({ ticker }: EventSeed): readonly Market[] {
    return this.#marketsOf.get(ticker) ?? [];
  }

  /** Orders that ended before this moment are served under `/historical` only; it moves on day by day (kalshi.md 8). */
  get orderCutoff(): number {
    return Math.floor((this.#now - HISTORICAL_ORDER_AGE) / DAY) * DAY;
  }

  openAccount(start: ConstructorParameters<typeof Account>[1]): Account {
    const account = new Account(randomUUID(), start);
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
    return order.status !== 'resting' && order.updatedAt < this.orderCutoff;
  }

  /** True where all markets of an event are archived: then what was held in them is, too. */
  isArchivedEvent(ticker: string): boolean {
    return !this.liveMarkets().some((market) => market.seed.event.ticker === ticker);
  }

  /** The event and the shard of a market. */
  placeOf(ticker: string): { eventTicker: string; shard: number } {
    const market = this.#requireMarket(ticker);
    return { eventTicker: market.seed.event.ticker, shard: market.shard };
  }

  /**
   * The shard that a call goes to (kalshi.md 9.2): the one that it names, right or wrong, else the market's, else 0.
   * Throws a refusal where the market is unknown or missing.
   */
  route({ exchangeIndex, ticker }: RouteTarget): number {
    if (exchangeIndex !== undefined && exchangeIndex >= 0) return exchangeIndex;
    const market = ticker === undefined ? undefined : this.liveMarket(ticker);
    if (market !== undefined) return market.shard;
    if (ticker !== undefined) throw refusal(404, 'market_not_found');
    if (exchangeIndex === undefined) return 0;
    throw refusal(400, 'bad_request', 'market_ticker is required for auto-routing');
  }

  /** Brings the exchange up to a moment: transfers arrive, and what expired and what closed leaves the books. */
  advance(now: number): void {
    this.#noteOpenings(now);
    this.#now = now;
    this.transfers.advance(now);
    for (const account of this.accounts.values())
      for (const order of account.resting()) {
        const expired = order.expiresAt !== null && order.expiresAt <= now;
        const status = this.markets.get(order.ticker)?.statusAt(now);
        const isClosed = status !== 'active' && status !== 'inactive';
        if (expired || isClosed) this.withdraw(account, order, now, isClosed ? 'CloseCancel' : 'ExpiryCancel');
      }
  }

  /** Markets open by the clock; that they close is told nobody (kalshi.md 4). */
  #noteOpenings(now: number): void {
    for (const market of this.markets.values()) {
      const isOpened = market.openTime > this.#now && market.openTime <= now && market.statusAt(now) === 'active';
      if (isOpened) this.tape.note({ kind: 'lifecycle', market, change: { event_type: 'activated' } });
    }
  }

  /** The order at an address, as long as the live endpoints serve it. */
  find(account: Account, { orderId, shard }: Omit<OrderAddress, 'subaccount'>): OrderRecord | undefined {
    const order = account.orders.get(orderId);
    return order?.shard !== shard || this.isArchivedOrder(order) ? undefined : order;
  }

  /** The order that rests at an address; throws the refusal of any other. */
  requireResting(account: Account, address: OrderAddress): OrderRecord {
    this.beforeChange(address.orderId, this.#now);
    const order = this.find(account, address);
    if (order?.status !== 'resting' || order.subaccount !== address.subaccount) throw refusal(404, 'not_found');
    return order;
  }

  /** Cancels a resting order and returns what was left of it; throws the refusal where there is none at that address. */
  cancel(account: Account, address: OrderAddress, now: number): { order: OrderRecord; reducedBy: bigint } {
    this.requireActive(address.shard);
    const order = this.requireResting(account, address);
    const reducedBy = order.remaining;
    this.withdraw(account, order, now);
    return { order, reducedBy };
  }

  /** Throws the refusal of a shard on which nothing happens; nothing where there is no such shard. */
  requireActive(shard: number): void {
    if (this.shards.find(shard)?.exchangeActive === false)
      throw refusal(503, 'service_unavailable', 'exchange is paused');
  }

  /** Pauses or reopens one market; orders that asked for it are cancelled by a pause. */
  setPaused(ticker: string, paused: boolean, now: number): void {
    const market = this.#requireMarket(ticker);
    market.changeLifecycle(paused ? 'inactive' : 'active', now);
    const change = paused ? { event_type: 'deactivated', is_deactivated: true } : { event_type: 'activated' };
    this.tape.note({ kind: 'lifecycle', market, change });
    if (paused) this.#cancelOnPause((order) => order.ticker === ticker, now);
  }

  /** Changes what a shard lets happen; false where there is none of that number. Pauses cancel as those of a market. */
  changeShard(index: number, change: Partial<ShardState>, now: number): boolean {
    const shard = this.shards.change(index, change);
    if (shard === undefined) return false;
    if (!shard.exchangeActive || !shard.tradingActive) this.#cancelOnPause((order) => order.shard === index, now);
    return true;
  }

  /** Closes and settles a market: its orders are cancelled, its holdings paid out. */
  settle(ticker: string, result: 'yes' | 'no', now: number): void {
    const market = this.#requireMarket(ticker);
    market.changeLifecycle('finalized', now);
    market.outcome = { result, expirationValue: result, settledAt: now };
    this.advance(now);
    const seconds = unixSeconds(now);
    const settlement_value = dollars(result === 'yes' ? ONE : 0n);
    const determined = { event_type: 'determined', result, determination_ts: seconds, settlement_value };
    this.tape.note({ kind: 'lifecycle', market, change: determined });
    this.tape.note({ kind: 'lifecycle', market, change: { event_type: 'settled', settled_ts: seconds } });
    const end = { ticker, ...this.placeOf(ticker), result, at: now };
    for (const account of this.accounts.values()) account.settle(end);
  }

  /** Takes a resting order out of its book and ends it; `reason` is left out where its owner asked for that. */
  withdraw(account: Account, order: OrderRecord, now: number, reason?: ChangeReason): void {
    const market = this.#requireMarket(order.ticker);
    market.book.cancel(order.id);
    finish(order, 'canceled', now);
    account.openSubaccount(order.subaccount, now).updatedAt = now;
    market.recordQuote(now);
    this.tape.note({ kind: 'order', account, order, reason });
  }

  #cancelOnPause(isHit: (order: OrderRecord) => boolean, now: number): void {
    for (const account of this.accounts.values())
      for (const order of account.resting())
        if (order.cancelOnPause && isHit(order)) this.withdraw(account, order, now, 'HaltCancel');
  }

  #requireMarket(ticker: string): Market {
    const market = this.markets.get(ticker);
    if (market === undefined) throw refusal(404, 'market_not_found');
    return market;
  }
}
