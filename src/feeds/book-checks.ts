import type { Feeds } from '../exchanges/feeds.contract.js';
import type { BookFeed } from './book-feed.js';
import { Comparison } from './comparison.js';
import type { FeedClock } from './feed-parts.js';
import type { WatchedBook } from './watched-book.js';

/** How often a book is compared that no number of a frame proves. */
const PERIOD_MS = 25_000;
/** How long a book of a numbered feed is quiet before it is compared. */
const QUIET_MS = 30_000;
const AGAIN_MS = 1_000;
const AFTER_FAILURE_MS = 2_000;
/** A book of a feed without numbers that was not proved right for so long is called live no more. */
const PROVED_MS = 34_000;
/** Calls that begin at once. */
const MOST_CALLS = 4;

/**
 * Compares books with what HTTP says of them, many a call (feeds.md 1): what a feed lost in silence is found so. A book is wrong
 * where two reads, a second apart, say so.
 */
export class BookChecks {
  readonly #isNumbered: boolean;
  #calls = 0;

  constructor(
    private readonly feed: BookFeed,
    private readonly feeds: Feeds,
    private readonly clock: FeedClock,
  ) {
    this.#isNumbered = feeds.stream?.isNumbered === true;
  }

  /** Does what time brings: to be called several times a second. */
  tick(): void {
    const now = this.clock.now();
    const due: WatchedBook[] = [];
    for (const book of this.feed.books) {
      if (book.engine.state !== 'live') forget(book);
      else if (this.#isUnproved(book, now)) this.feed.lose(book, 'silent');
      else if (this.#isDue(book, now)) due.push(book);
    }
    const { booksPerRead } = this.feeds;
    for (let at = 0; at < due.length && this.#calls < MOST_CALLS; at += booksPerRead) {
      void this.#read(due.slice(at, at + booksPerRead), now);
    }
  }

  #isUnproved({ engine }: WatchedBook, now: number): boolean {
    return !this.#isNumbered && now - engine.verifiedMs >= PROVED_MS;
  }

  #isDue(book: WatchedBook, now: number): boolean {
    if (book.comparison !== null) {
      this.#judge(book, book.comparison, now);
      return false;
    }
    const firstMs = this.#isNumbered ? book.engine.changedMs + QUIET_MS : book.engine.verifiedMs + PERIOD_MS;
    if (book.compareAtMs === Infinity) book.compareAtMs = firstMs;
    if (this.#isNumbered) book.compareAtMs = Math.max(book.compareAtMs, book.isSuspect ? 0 : firstMs);
    return now >= book.compareAtMs;
  }

  async #read(books: readonly WatchedBook[], now: number): Promise<void> {
    this.#calls += 1;
    const asked = new Map(books.map((book) => [book.key, book]));
    for (const book of books) book.comparison = new Comparison(book.engine, now);
    try {
      for (const read of await this.feeds.readBooks([...asked.keys()])) {
        asked.get(read.key)?.comparison?.answer(read, this.clock.now());
        asked.delete(read.key);
      }
    } catch {
      // What is unproved for too long is told as that.
    }
    this.#calls -= 1;
    for (const book of asked.values()) {
      book.comparison = null;
      book.compareAtMs = this.clock.now() + AFTER_FAILURE_MS;
    }
  }

  #judge(book: WatchedBook, comparison: Comparison, now: number): void {
    const verdict = comparison.verdict(now);
    if (verdict === null) return;
    book.comparison = null;
    if (verdict === 'same') {
      book.engine.verify(comparison.askedMs);
      forget(book);
    } else if (verdict === 'other' && book.isSuspect) {
      this.feed.lose(book, 'mismatch');
    } else {
      book.isSuspect ||= verdict === 'other';
      book.compareAtMs = now + AGAIN_MS;
    }
  }
}

/** The next comparison is as if there had been none. */
function forget(book: WatchedBook): void {
  book.comparison = null;
  book.compareAtMs = Infinity;
  book.isSuspect = false;
}
