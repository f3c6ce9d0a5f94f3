import { randomUUID } from 'node:crypto';
import { type BookSide, OrderBook } from '../matching-engine.js';
import { HOUR, SECOND, unixSeconds } from '../times.js';
import { ONE, product } from '../units.js';
import { type Lifecycle, type MarketSeed } from './seeds/seed.js';

/** One public trade; `price` in YES terms, `side` the taker's. */
export interface TradeRecord {
  id: string;
  ticker: string;
  at: number;
  price: bigint;
  size: bigint;
  side: BookSide;
  isBlock: boolean;
  /** Contracts outstanding after it. */
  openInterest: bigint;
}

/** The best YES prices from a moment on; 0 and 1 where a side is empty. */
export interface QuoteRecord {
  at: number;
  bid: bigint;
  ask: bigint;
}

/** How a market ended; `settledAt` is absent between determination and settlement. */
export interface MarketOutcome {
  result: 'yes' | 'no';
  expirationValue: string;
  settledAt?: number;
}

/** Trades and quotes that a market keeps at most, and how many of the oldest go when there are more. */
const MOST_KEPT = 10_000;
const FORGOTTEN_AT_ONCE = 1_000;

/** One market with its book and its past. Times are milliseconds of the exchange's clock. */
export class Market {
  readonly book = new OrderBook();
  /** Oldest first. */
  readonly trades: TradeRecord[] = [];
  /** Oldest first, one entry for each change. */
  readonly quotes: QuoteRecord[] = [];
  readonly openTime: number;
  readonly closeTime: number;
  readonly createdTime: number;
  openInterest = 0n;
  outcome: MarketOutcome | undefined;
  updatedTime: number;
  #lifecycle: Lifecycle;
  readonly #forgotten = { volume: 0n, turnover: 0n };

  constructor(
    readonly seed: MarketSeed,
    start: number,
  ) {
    this.openTime = wholeSecond(start + seed.openOffset);
    this.closeTime = wholeSecond(start + seed.closeOffset);
    this.createdTime = this.openTime - HOUR;
    this.updatedTime = seed.openOffset < 0 ? this.openTime : this.createdTime;
    this.#lifecycle = seed.lifecycle;
    this.outcome = outcomeAt(seed, start);
  }

  get ticker(): string {
    return this.seed.ticker;
  }

  /** Where it is traded, and where the money for it must lie (kalshi.md 9.1). */
  get shard(): number {
    return this.seed.event.shard;
  }

  /** `Market.status` at a moment: markets open and close by the clock. */
  statusAt(now: number): Lifecycle {
    const opened = this.#lifecycle === 'initialized' && now >= this.openTime;
    const stage = opened ? 'active' : this.#lifecycle;
    const tradable = stage === 'active' || stage === 'inactive';
    return tradable && now >= this.closeTime ? 'closed' : stage;
  }

  /** Moves the market on by hand: pause, reopen, close, settle. */
  changeLifecycle(lifecycle: Lifecycle, now: number): void {
    this.#lifecycle = lifecycle;
    this.updatedTime = now;
  }

  /** True where the market settled before the cutoff and is served under `/historical` only. */
  isArchived(cutoff: number): boolean {
    const settledAt = this.outcome?.settledAt;
    return settledAt !== undefined && settledAt < cutoff;
  }

  get lastTrade(): TradeRecord | undefined {
    return this.trades.at(-1);
  }

  recordTrade(trade: Omit<TradeRecord, 'id' | 'ticker' | 'isBlock' | 'openInterest'>): TradeRecord {
    const record = {
      ...trade,
      id: randomUUID(),
      ticker: this.ticker,
      isBlock: false,
      openInterest: this.openInterest,
    };
    this.trades.push(record);
    if (this.trades.length > MOST_KEPT)
      for (const { size, price } of this.trades.splice(0, FORGOTTEN_AT_ONCE)) {
        this.#forgotten.volume += size;
        this.#forgotten.turnover += product(price, size);
      }
    return record;
  }

  /** Notes the best prices where they have changed. */
  recordQuote(now: number): void {
    const bid = this.book.best('bid')?.price ?? 0n;
    const ask = this.book.best('ask')?.price ?? ONE;
    const last = this.quotes.at(-1);
    if (last?.bid === bid && last.ask === ask) return;
    this.quotes.push({ at: now, bid, ask });
    if (this.quotes.length > MOST_KEPT) this.quotes.splice(0, FORGOTTEN_AT_ONCE);
  }

  /** Contracts traded since a moment. */
  volumeSince(from: number): bigint {
    const forgotten = from <= this.openTime ? this.#forgotten.volume : 0n;
    return this.trades.reduce((sum, trade) => (trade.at >= from ? sum + trade.size : sum), forgotten);
  }

  /** Money turned over, in millionths of a dollar. */
  get turnover(): bigint {
    return this.trades.reduce((sum, { price, size }) => sum + product(price, size), this.#forgotten.turnover);
  }
}

function outcomeAt({ outcome }: MarketSeed, start: number): MarketOutcome | undefined {
  if (outcome === undefined) return undefined;
  const { result, expirationValue, settledOffset } = outcome;
  return { result, expirationValue, ...(settledOffset === undefined ? {} : { settledAt: start + settledOffset }) };
}

function wholeSecond(time: number): number {
  return unixSeconds(time) * SECOND;
}
