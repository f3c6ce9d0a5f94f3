import type { Feeds } from '../exchanges/feeds.contract.js';
import type { BookFeed } from './book-feed.js';
import type { FeedClock } from './feed-parts.js';
import type { WatchedBook } from './watched-book.js';

/** A call begins so often at most: five a second. */
const PACE_MS = 200;
/** No book is read more often. */
const LEAST_INTERVAL_MS = 1_000;
const MOST_CALLS = 5;
/** A book that was not read for so long beyond its interval is called live no more. */
const GRACE_MS = 5_000;

/** Reads all books of a feed in turn, for an exchange without a feed that may be used here (feeds.md 1). */
export class Polling {
  /** When each book was last begun to be read, Unix milliseconds. */
  readonly #begun = new Map<string, number>();
  #calls = 0;
  #answeredMs: number | null = null;
  #hasFailed = false;

  constructor(
    private readonly feed: BookFeed,
    private readonly feeds: Feeds,
    private readonly clock: FeedClock,
  ) {}

  static readonly paceMs = PACE_MS;

  /** Whether the last read that ended was answered. */
  get isAnswered(): boolean {
    return !this.#hasFailed;
  }

  /** When a read was last answered, Unix milliseconds; null before. */
  get answeredMs(): number | null {
    return this.#answeredMs;
  }

  /** How long it takes until each book was read once more. */
  get intervalMs(): number {
    const calls = Math.ceil([...this.feed.books].length / this.feeds.booksPerRead);
    return Math.max(LEAST_INTERVAL_MS, calls * PACE_MS);
  }

  /** Begins one call, and says what is too old: to be called every `paceMs`. */
  tick(): void {
    const now = this.clock.now();
    const books = [...this.feed.books];
    const staleMs = this.intervalMs + GRACE_MS;
    for (const book of books) {
      const { state, verifiedMs } = book.engine;
      if (state === 'live' && now - verifiedMs >= staleMs) this.feed.lose(book, 'silent');
    }
    if (this.#calls < MOST_CALLS) void this.#read(this.#next(books, now), now);
  }

  /** Those that wait longest, as many as one call reads. */
  #next(books: readonly WatchedBook[], now: number): WatchedBook[] {
    const due = books.filter(({ key, engine }) => engine.state !== 'closed' && this.#dueMs(key) <= now);
    return due.sort((one, other) => this.#dueMs(one.key) - this.#dueMs(other.key)).slice(0, this.feeds.booksPerRead);
  }

  #dueMs(key: string): number {
    return (this.#begun.get(key) ?? -LEAST_INTERVAL_MS) + LEAST_INTERVAL_MS;
  }

  async #read(books: readonly WatchedBook[], now: number): Promise<void> {
    if (books.length === 0) return;
    this.#calls += 1;
    for (const { key } of books) this.#begun.set(key, now);
    try {
      for (const { key, bids, asks, facts } of await this.feeds.readBooks(books.map(({ key }) => key))) {
        // A later read may have been answered sooner.
        if (this.#begun.get(key) === now) this.feed.take({ type: 'whole', key, bids, asks, facts });
      }
      this.#answeredMs = this.clock.now();
      this.#hasFailed = false;
    } catch {
      this.#hasFailed = true;
      // Books that were not read for too long are told as that.
    }
    this.#calls -= 1;
    if (this.#begun.size > 2 * [...this.feed.books].length) this.#forgetOthers();
  }

  #forgetOthers(): void {
    const watched = new Set(Array.from(this.feed.books, ({ key }) => key));
    for (const key of this.#begun.keys()) if (!watched.has(key)) this.#begun.delete(key);
  }
}
