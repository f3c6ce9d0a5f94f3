import type { Exchange } from '../exchanges/exchange.js';
import type { Feeds, MarketInput } from '../exchanges/feeds.contract.js';
import type { MarketDto, TradeDto } from '../exchanges/unified.market-data.dto.js';
import { AppError } from '../platform/errors/app-error.js';
import type { BookFeed } from './book-feed.js';
import type { BookState } from './book-messages.js';
import { BookStanding } from './book-standing.js';
import type { FeedClock } from './feed-parts.js';
import { type TradeReader, WatchedTrades } from './watched-trades.js';

/** Trades that one call reads. */
const TRADES_PER_CALL = 100;
/** What was missed is read back by so many calls at most. */
const MOST_CALLS = 3;

/** What the trades and quotes of markets hang on. */
interface MarketFeedParts {
  readonly feed: BookFeed;
  readonly feeds: Feeds;
  readonly clock: FeedClock;
}

/** How somebody reads trades or quotes of a market. */
export interface MarketReading {
  readonly state: BookState;
  stop(): void;
}

interface WatchedMarket {
  readonly standing: BookStanding;
  readonly trades: WatchedTrades;
}

/** The public trades of the markets of one exchange that somebody reads. */
export class MarketFeed {
  readonly #markets = new Map<string, WatchedMarket>();
  /** Market ids by the keys of their books. */
  readonly #ids = new Map<string, string>();

  constructor(
    private readonly exchange: Exchange,
    private readonly parts: MarketFeedParts,
  ) {}

  watchTrades(market: MarketDto, reader: TradeReader): MarketReading {
    if (this.parts.feeds.stream === null) {
      throw new AppError('not_supported', 'This service has no key with which the exchange would stream its trades.');
    }
    const { trades } = this.#markets.get(market.id) ?? this.#begin(market);
    const leave = trades.join(reader);
    return {
      get state() {
        return trades.state;
      },
      stop: () => {
        leave();
        if (trades.isIdle) this.#forget(market.id);
      },
    };
  }

  take(input: MarketInput): void {
    const market = this.#markets.get(this.#ids.get(input.key) ?? '');
    if (market === undefined) return;
    if (input.type === 'trade') market.trades.take(input.trade);
    else if (input.type === 'missed') market.trades.miss(input.reason);
  }

  /** Does what time brings: to be called several times a second. */
  tick(): void {
    for (const { trades } of this.#markets.values()) trades.advance();
  }

  #begin(market: MarketDto): WatchedMarket {
    const { feed, feeds, clock } = this.parts;
    let standing: BookStanding | null = null;
    const trades = new WatchedTrades({
      books: () => standing?.status ?? null,
      isFollowed: () => standing?.isFollowed ?? false,
      read: (sinceMs) => this.#readTrades(market.id, sinceMs),
      now: clock.now,
    });
    standing = new BookStanding(feed, feeds, market, () => {
      trades.advance();
    });
    const watched = { standing, trades };
    this.#markets.set(market.id, watched);
    for (const key of standing.keys) this.#ids.set(key, market.id);
    trades.advance();
    return watched;
  }

  #forget(id: string): void {
    const watched = this.#markets.get(id);
    if (watched === undefined) return;
    watched.standing.stop();
    for (const key of watched.standing.keys) this.#ids.delete(key);
    this.#markets.delete(id);
  }

  /** The list shows whole seconds at some exchanges. */
  async #readTrades(id: string, sinceMs: number): Promise<readonly TradeDto[]> {
    const start = new Date(Math.floor(sinceMs / 1_000) * 1_000);
    const trades: TradeDto[] = [];
    let cursor: string | null = null;
    for (let call = 0; call < MOST_CALLS; call += 1) {
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
