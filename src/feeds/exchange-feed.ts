import type { Exchange } from '../exchanges/exchange.js';
import { type Feeds, type MarketInput, type StaleReason, STALE_REASONS } from '../exchanges/feeds.contract.js';
import type { MarketDto } from '../exchanges/unified.market-data.dto.js';
import { Tally } from '../platform/metrics/tally.js';
import { Periodic } from '../platform/time/periodic.js';
import { outsideCallContext } from '../platform/upstream/call-context.js';
import type { Connect } from '../platform/upstream/web-socket.js';
import { BookChecks } from './book-checks.js';
import { BookFeed } from './book-feed.js';
import type { BookState } from './book-messages.js';
import { HOST_CLOCK, IDS_PER_CALL, type Standing, standingOf } from './feed-parts.js';
import { MarketFeed, type MarketReading } from './market-feed.js';
import { Polling } from './polling.js';
import type { BookReader, BookReading } from './watched-book.js';
import type { QuoteReader } from './watched-quote.js';
import type { TradeReader } from './watched-trades.js';

const TICK_MS = 250;

/**
 * The books of one exchange, by its stream or, where there is none, by polling. Nothing is asked of the exchange before somebody reads a
 * book.
 */
export class ExchangeFeed {
  /** How often a book was called stale, by the reason (feeds.md 1). */
  readonly losses = new Tally(['reason']);
  readonly #feed: BookFeed;
  readonly #marketFeed: MarketFeed;
  readonly #rounds: Periodic;
  readonly #polling: Polling | null;
  readonly #markets = new Map<string, { readonly market: MarketDto; readers: number }>();
  #hasBegun = false;

  /** Changes of a book within `flushMs` are one message. */
  constructor(
    private readonly exchange: Exchange,
    private readonly feeds: Feeds,
    connect: Connect,
    flushMs: number,
  ) {
    const readStandings = (ids: readonly string[]): Promise<Map<string, Standing>> => this.#readStandings(ids);
    const { stream } = feeds;
    const heard = (input: MarketInput): void => {
      this.#marketFeed.take(input);
    };
    for (const reason of STALE_REASONS) this.losses.expect(reason);
    const noteStale = (reason: StaleReason): void => {
      this.losses.count(reason);
    };
    const parts = { stream, connect, clock: HOST_CLOCK, random: Math.random, flushMs };
    this.#feed = new BookFeed({ ...parts, readStandings, heard, noteStale });
    const skewMs = (): number => exchange.clockSkewMs ?? 0;
    this.#marketFeed = new MarketFeed(exchange, { feed: this.#feed, feeds, clock: HOST_CLOCK, skewMs });
    this.#polling = stream === null ? new Polling(this.#feed, feeds, HOST_CLOCK) : null;
    const helper = this.#polling ?? new BookChecks(this.#feed, feeds, HOST_CLOCK);
    this.#rounds = new Periodic(stream === null ? Polling.paceMs : TICK_MS, () => {
      this.#feed.tick();
      helper.tick();
      this.#marketFeed.tick();
      return Promise.resolve();
    });
  }

  /** `polling` where the exchange has no stream that may be used here (feeds.md 3). */
  get source(): 'stream' | 'polling' {
    return this.feeds.stream === null ? 'polling' : 'stream';
  }

  /** How many books are watched, by how they stand. */
  get bookStates(): Readonly<Record<BookState, number>> {
    const states = { waiting: 0, live: 0, stale: 0, closed: 0 };
    for (const { engine } of this.#feed.books) states[engine.state] += 1;
    return states;
  }

  /** How often a polled book is read, in milliseconds; null where there is a stream. */
  get intervalMs(): number | null {
    return this.#polling?.intervalMs ?? null;
  }

  /** Whether the exchange can be heard now: on every connection that books hang on; where books are polled, by the last reads. */
  get isConnected(): boolean {
    return this.#polling?.isAnswered ?? this.#feed.isConnected;
  }

  /** When it was last heard, on the connection that is silent longest; Unix milliseconds, null before. */
  get lastFrameMs(): number | null {
    return this.#polling?.answeredMs ?? this.#feed.lastFrameMs;
  }

  /** The market of an id that somebody reads now, so that nobody has to look it up. */
  marketOf(id: string): MarketDto | undefined {
    return this.#markets.get(id)?.market;
  }

  /**
   * Tells somebody the book of one outcome of a market until the reading is stopped. Throws `service_unavailable` where too many
   * books are watched already.
   */
  watch(market: MarketDto, index: 0 | 1, reader: BookReader): BookReading {
    return this.#reading(market, () =>
      this.#feed.watch(this.feeds.bookOf(market, index), index, reader, standingOf(market)),
    );
  }

  /**
   * Tells somebody the public trades of a market from now on, until the reading is stopped. Throws as `watch`, and `not_supported` where
   * the exchange has no stream that may be used here.
   */
  watchTrades(market: MarketDto, reader: TradeReader): MarketReading {
    return this.#reading(market, () => this.#marketFeed.watchTrades(market, reader));
  }

  /** Tells somebody the quotes of a market, the first at once, until the reading is stopped. Throws as `watch`. */
  watchQuote(market: MarketDto, reader: QuoteReader): MarketReading {
    return this.#reading(market, () => this.#marketFeed.watchQuote(market, reader));
  }

  /** Begins a reading of a market that is known as long as somebody reads it. */
  #reading<Reading extends { stop(): void }>(market: MarketDto, begin: () => Reading): Reading {
    return outsideCallContext(() => {
      if (!this.#hasBegun) this.#rounds.start();
      this.#hasBegun = true;
      const reading = begin();
      const forget = this.#remember(market);
      const stop = reading.stop.bind(reading);
      let hasStopped = false;
      return Object.assign(reading, {
        stop: () => {
          stop();
          if (!hasStopped) forget();
          hasStopped = true;
        },
      });
    });
  }

  /** Finds the outcome that a client names; throws `bad_request`. */
  indexOf(market: MarketDto, outcome: string): 0 | 1 {
    return this.feeds.indexOf(market, outcome);
  }

  #remember(market: MarketDto): () => void {
    const known = this.#markets.get(market.id) ?? { market, readers: 0 };
    known.readers += 1;
    this.#markets.set(market.id, known);
    return () => {
      known.readers -= 1;
      if (known.readers === 0) this.#markets.delete(market.id);
    };
  }

  async close(): Promise<void> {
    await this.#rounds.stop();
    this.#feed.stop();
  }

  /** Markets that the exchange does not list are left out. */
  async #readStandings(ids: readonly string[]): Promise<Map<string, Standing>> {
    const standings = new Map<string, Standing>();
    for (let at = 0; at < ids.length; at += IDS_PER_CALL) {
      const part = ids.slice(at, at + IDS_PER_CALL);
      const { value } = await this.exchange.marketData.listMarkets({ ids: part }, { limit: part.length, cursor: null });
      for (const market of value.items) standings.set(market.id, standingOf(market));
    }
    return standings;
  }
}
