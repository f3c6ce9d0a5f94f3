import type { MarketDto } from '../exchanges/unified.market-data.dto.js';
import type { Feeds } from '../exchanges/feeds.contract.js';
import type { BookFeed } from './book-feed.js';
import type { StatusMessage } from './book-messages.js';
import { standingOf } from './feed-parts.js';
import type { BookReading } from './watched-book.js';

/**
 * The books of both outcomes of a market, which what else is told of that market hangs on: what is wrong with one of them is wrong with
 * that too (feeds.md 4).
 */
export class BookStanding {
  readonly readings: readonly [BookReading, BookReading];
  readonly #keys: ReadonlySet<string>;
  readonly #statuses: (StatusMessage | null)[] = [null, null];

  /** `changed` is called behind every message of a book. Throws `service_unavailable` as `BookFeed.watch` does. */
  constructor(
    private readonly feed: BookFeed,
    feeds: Feeds,
    market: MarketDto,
    changed: () => void,
  ) {
    const read = (index: 0 | 1): BookReading => {
      const tell = (message: { readonly type: string } | StatusMessage): void => {
        if ('state' in message) this.#statuses[index] = message;
        changed();
      };
      return feed.watch(feeds.bookOf(market, index), index, { tell }, standingOf(market));
    };
    const first = read(0);
    try {
      this.readings = [first, read(1)];
    } catch (error) {
      first.stop();
      throw error;
    }
    this.#keys = new Set(([0, 1] as const).map((index) => feeds.bookOf(market, index).key));
    for (const key of this.#keys) feed.follow(key);
  }

  get keys(): Iterable<string> {
    return this.#keys;
  }

  /** Whether every trade of the market is told from now on. */
  get isFollowed(): boolean {
    return [...this.#keys].every((key) => this.feed.follows(key));
  }

  /** How the worse of the two stands; null while one has not been heard of and none is stale. */
  get status(): StatusMessage | null {
    const [one, other] = this.#statuses;
    const stale = this.#statuses.find((status) => status?.state === 'stale');
    if (stale) return stale;
    if (!one || !other) return null;
    return one.state === 'live' ? one : other;
  }

  stop(): void {
    for (const reading of this.readings) reading.stop();
  }
}
