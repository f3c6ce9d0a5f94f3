import type { Exchange } from '../exchanges/exchange.js';
import type { MarketInput } from '../exchanges/feeds.contract.js';
import type { MarketDto, TradeDto } from '../exchanges/unified.market-data.dto.js';
import { AppError } from '../platform/errors/app-error.js';
import type { BookState } from './book-messages.js';
import { IDS_PER_CALL } from './feed-parts.js';
import { type MarketParts, WatchedMarket } from './watched-market.js';
import type { QuoteReader } from './watched-quote.js';
import type { TradeReader } from './watched-trades.js';

/** Trades that one call reads. */
const TRADES_PER_CALL = 100;
/** What was missed is read back by so many calls at most. */
const MOST_TRADE_CALLS = 3;
/** How often the facts of a market are read whose quotes somebody reads. */
const FACTS_EVERY_MS = 30_000;
const FACTS_AGAIN_MS = 2_000;
/** Calls for facts at once. */
const MOST_FACT_CALLS = 4;

/** How somebody reads trades or quotes of a market. */
export interface MarketReading {
  readonly state: BookState;
  stop(): void;
}

/** The public trades and the quotes of the markets of one exchange that somebody reads. */
export class MarketFeed {
  readonly #markets = new Map<string, WatchedMarket>();
  /** The same by the keys of their books. */
  readonly #byKey = new Map<string, WatchedMarket>();
  readonly #parts: MarketParts;
  #factCalls = 0;

  constructor(
    private readonly exchange: Exchange,
    parts: Omit<MarketParts, 'readTrades'>,
  ) {
    this.#parts = { ...parts, readTrades: (id, sinceMs) => this.#readTrades(id, sinceMs) };
  }

  /** Throws `not_supported` where books are polled, and `service_unavailable` as `BookFeed.watch` does. */
  watchTrades(market: MarketDto, reader: TradeReader): MarketReading {
    if (this.#parts.feeds.stream === null) {
      throw new AppError('not_supported', 'This service has no key with which the exchange would stream its trades.');
    }
    const watched = this.#watched(market);
    return this.#reading(watched, watched.trades, watched.trades.join(reader));
  }

  /** Throws `service_unavailable` as `BookFeed.watch` does. */
  watchQuote(market: MarketDto, reader: QuoteReader): MarketReading {
    const watched = this.#watched(market);
    return this.#reading(watched, watched.quote, watched.quote.join(reader));
  }

  take(input: MarketInput): void {
    this.#byKey.get(input.key)?.take(input);
  }

  /** Does what time brings: to be called several times a second. */
  tick(): void {
    const now = this.#parts.clock.now();
    const due: WatchedMarket[] = [];
    for (const market of this.#markets.values()) {
      market.advance();
      if (isDue(market, now)) due.push(market);
    }
    for (let at = 0; at < due.length && this.#factCalls < MOST_FACT_CALLS; at += IDS_PER_CALL) {
      void this.#readFacts(due.slice(at, at + IDS_PER_CALL), now);
    }
  }

  #watched(market: MarketDto): WatchedMarket {
    const known = this.#markets.get(market.id);
    if (known !== undefined) return known;
    const watched = new WatchedMarket(market.id, market, this.#parts);
    this.#markets.set(market.id, watched);
    for (const key of watched.keys) this.#byKey.set(key, watched);
    return watched;
  }

  #reading(watched: WatchedMarket, part: { readonly state: BookState }, leave: () => void): MarketReading {
    return {
      get state() {
        return part.state;
      },
      stop: () => {
        leave();
        if (watched.isIdle && this.#markets.get(watched.id) === watched) this.#forget(watched);
      },
    };
  }

  #forget(watched: WatchedMarket): void {
    watched.stop();
    for (const key of watched.keys) this.#byKey.delete(key);
    this.#markets.delete(watched.id);
  }

  /** What cannot be read stays as it was, and is asked for again soon. */
  async #readFacts(markets: readonly WatchedMarket[], now: number): Promise<void> {
    this.#factCalls += 1;
    for (const market of markets) market.askedMs = now;
    const ids = markets.map(({ id }) => id);
    try {
      const { value, at, source } = await this.exchange.marketData.listMarkets(
        { ids },
        { limit: ids.length, cursor: null },
      );
      for (const fresh of value.items) this.#learn(fresh, { timeMs: at.getTime(), timeSource: source });
    } catch {
      for (const { quote } of markets) quote.needsFacts = true;
    }
    this.#factCalls -= 1;
  }

  #learn(fresh: MarketDto, time: { readonly timeMs: number; readonly timeSource: 'exchange' | 'received' }): void {
    this.#markets.get(fresh.id)?.quote.learn(fresh, time);
  }

  /** The list shows whole seconds at some exchanges. */
  async #readTrades(id: string, sinceMs: number): Promise<readonly TradeDto[]> {
    const start = new Date(Math.floor(sinceMs / 1_000) * 1_000);
    const trades: TradeDto[] = [];
    let cursor: string | null = null;
    for (let call = 0; call < MOST_TRADE_CALLS; call += 1) {
      const { value } = await this.exchange.marketData.listTrades(
        { market_id: id, start },
        { limit: TRADES_PER_CALL, cursor },
      );
      trades.push(...value.items);
      cursor = value.next;
      if (cursor === null) break;
    }
    return trades;
  }
}

/** Facts are of use to quotes alone. */
function isDue({ quote, askedMs }: WatchedMarket, now: number): boolean {
  if (quote.isIdle || quote.state === 'closed') return false;
  return now - askedMs >= (quote.needsFacts ? FACTS_AGAIN_MS : FACTS_EVERY_MS);
}
