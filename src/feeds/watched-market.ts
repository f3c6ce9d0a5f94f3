import type { Feeds, MarketInput } from '../exchanges/feeds.contract.js';
import type { MarketDto, TradeDto } from '../exchanges/unified.market-data.dto.js';
import type { BookFeed } from './book-feed.js';
import type { BookTop } from './book-messages.js';
import { BookStanding } from './book-standing.js';
import type { FeedClock } from './feed-parts.js';
import { WatchedQuote } from './watched-quote.js';
import { WatchedTrades } from './watched-trades.js';

/** What the trades and quotes of markets hang on. */
export interface MarketParts {
  readonly feed: BookFeed;
  readonly feeds: Feeds;
  readonly clock: FeedClock;
  /** Milliseconds that the exchange's clock is ahead of ours: its trades are of its own time. */
  readonly skewMs: () => number;
  readonly readTrades: (marketId: string, sinceMs: number) => Promise<readonly TradeDto[]>;
}

/** A market whose trades or quotes somebody reads. */
export class WatchedMarket {
  readonly trades: WatchedTrades;
  readonly quote: WatchedQuote;
  readonly #standing: BookStanding;
  #isBegun = false;
  /** When HTTP was last asked for its facts, Unix milliseconds. */
  askedMs = -Infinity;

  /** Throws `service_unavailable` as `BookFeed.watch` does. */
  constructor(
    readonly id: string,
    market: MarketDto,
    { feed, feeds, clock, skewMs, readTrades }: MarketParts,
  ) {
    this.#standing = new BookStanding(feed, feeds, market, () => {
      if (this.#isBegun) this.advance();
    });
    const books = () => this.#standing.status;
    const tops = (): [BookTop | null, BookTop | null] => {
      const [zero, one] = this.#standing.readings;
      return [zero.top, one.top];
    };
    this.trades = new WatchedTrades({
      books,
      isFollowed: () => this.#standing.isFollowed,
      read: (sinceMs) => readTrades(id, sinceMs),
      now: () => clock.now() + skewMs(),
    });
    this.quote = new WatchedQuote(market, { books, tops, now: clock.now });
    this.#isBegun = true;
    this.advance();
  }

  get keys(): Iterable<string> {
    return this.#standing.keys;
  }

  get isIdle(): boolean {
    return this.trades.isIdle && this.quote.isIdle;
  }

  take(input: MarketInput): void {
    if (input.type === 'trade') this.trades.take(input.trade);
    else if (input.type === 'missed') this.trades.miss(input.reason);
    else this.quote.say(input.ticker);
  }

  advance(): void {
    this.trades.advance();
    this.quote.advance();
  }

  stop(): void {
    this.#standing.stop();
  }
}
