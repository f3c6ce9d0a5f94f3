import type { Exchange } from '../exchanges/exchange.js';
import type { Feeds } from '../exchanges/feeds.contract.js';
import type { MarketDto } from '../exchanges/unified.market-data.dto.js';
import { Periodic } from '../platform/time/periodic.js';
import type { Connect } from '../platform/upstream/web-socket.js';
import { BookChecks } from './book-checks.js';
import { BookFeed } from './book-feed.js';
import type { FeedClock, Standing } from './feed-parts.js';
import { Polling } from './polling.js';
import type { BookReader } from './watched-book.js';

const TICK_MS = 250;
/** Markets that one list call names (contract.md 5.2). */
const IDS_PER_CALL = 50;

/** The host's clock; what is done later keeps no process alive. */
const CLOCK: FeedClock = {
  now: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms).unref();
    return () => {
      clearTimeout(timer);
    };
  },
};

/**
 * The books of one exchange, by its stream or, where there is none, by polling. Nothing is asked of the exchange before somebody reads a
 * book.
 */
export class ExchangeFeed {
  readonly #feed: BookFeed;
  readonly #rounds: Periodic;
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
    this.#feed = new BookFeed({ stream, connect, clock: CLOCK, random: Math.random, flushMs, readStandings });
    const [everyMs, helper] =
      stream === null
        ? [Polling.paceMs, new Polling(this.#feed, feeds, CLOCK)]
        : [TICK_MS, new BookChecks(this.#feed, feeds, CLOCK)];
    this.#rounds = new Periodic(everyMs, () => {
      this.#feed.tick();
      helper.tick();
      return Promise.resolve();
    });
  }

  /**
   * Tells somebody the book of one outcome of a market until what is returned is called. Throws `service_unavailable` where too many
   * books are watched already.
   */
  watch(market: MarketDto, index: 0 | 1, reader: BookReader): () => void {
    if (!this.#hasBegun) this.#rounds.start();
    this.#hasBegun = true;
    return this.#feed.watch(this.feeds.bookOf(market, index), index, reader);
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

function standingOf({ status, result }: MarketDto): Standing {
  if (status === 'settled' || (status === 'closed' && result !== null)) return 'market_resolved';
  return status === 'closed' ? 'market_closed' : 'open';
}
