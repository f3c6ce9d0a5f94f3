import { complement } from '../exchanges/decimal.js';
import type { BookInput, BookRef, LevelChange, StaleReason } from '../exchanges/feeds.contract.js';
import type { LevelDto } from '../exchanges/unified.market-data.dto.js';
import { BookEngine } from './book-engine.js';
import type { BookDetails, BookMessage, BookState, BookTop, WholeBook } from './book-messages.js';
import type { Comparison } from './comparison.js';

/** What readers of a book are told, in the prices of the outcome that they asked for. */
export type ReaderMessage =
  | Exclude<BookMessage, { type: 'snapshot' }>
  | { readonly type: 'snapshot'; readonly reason: 'initial' | 'resync'; readonly book: WholeBook };

/** One who reads a book. The same message is the same object for all who read the same outcome. */
export interface BookReader {
  tell(message: ReaderMessage): void;
}

/** What somebody who reads a book may ask of it, and how the reading ends. */
export interface BookReading {
  /** The whole book as this reader sees it; null while it cannot be shown. */
  readonly whole: WholeBook | null;
  readonly state: BookState;
  /** The best of the book as this reader sees it; null while it cannot be shown. */
  readonly top: BookTop | null;
  stop(): void;
}

interface Reading {
  readonly reader: BookReader;
  readonly isMirrored: boolean;
  /** Whether it ever had the whole book; updates follow only then. */
  hasBook: boolean;
}

/** A book with those who read it. */
export class WatchedBook {
  readonly engine: BookEngine;
  readonly #readings = new Set<Reading>();
  /** Since when nobody reads it, Unix milliseconds; null while somebody does. */
  idleSinceMs: number | null = null;
  /** How often the whole book was asked for in vain. */
  attempts = 0;
  /** When it is asked for again, while the book is not live. */
  recoverAtMs = Infinity;
  #mayAskMs = 0;
  comparison: Comparison | null = null;
  /** When it is next compared. */
  compareAtMs = Infinity;
  /** Whether the comparison before found another book. */
  isSuspect = false;

  /** `provedMs` says when the feed last proved that nothing of the book was lost, 0 where it never does. */
  constructor(
    readonly ref: BookRef,
    flushMs: number,
    private readonly provedMs: () => number,
    private readonly noteStale: (reason: StaleReason) => void = () => undefined,
  ) {
    this.engine = new BookEngine(flushMs);
  }

  get key(): string {
    return this.ref.key;
  }

  /** Adds one who reads the outcome of `index`, and tells what is known. */
  join(reader: BookReader, index: 0 | 1, now: () => number): BookReading {
    const reading = { reader, isMirrored: index !== this.ref.index, hasBook: false };
    this.#readings.add(reading);
    this.idleSinceMs = null;
    const { whole, status } = this.engine;
    if (whole !== null) this.#tellWhole(reading, this.#proved(whole));
    // A live book that cannot be shown yet begins with its snapshot.
    if (status !== null && (whole !== null || this.engine.state !== 'live')) reader.tell(status);
    return this.#handleOf(reading, now);
  }

  #handleOf(reading: Reading, now: () => number): BookReading {
    const wholeNow = (): WholeBook | null => {
      const { whole } = this.engine;
      if (whole === null) return null;
      return this.#proved(reading.isMirrored ? mirrored(whole) : whole);
    };
    const stateNow = (): BookState => this.engine.state;
    const topNow = (): BookTop | null => {
      const { top } = this.engine;
      return top !== null && reading.isMirrored ? mirroredTop(top) : top;
    };
    return {
      get whole() {
        return wholeNow();
      },
      get state() {
        return stateNow();
      },
      get top() {
        return topNow();
      },
      stop: () => {
        this.#readings.delete(reading);
        if (this.#readings.size === 0) this.idleSinceMs ??= now();
      },
    };
  }

  take(input: BookInput, now: number): void {
    const before = this.engine.changedMs;
    this.#tell(this.engine.take(input, now));
    if (this.engine.changedMs !== before || input.type !== 'lost') this.comparison?.noteChange();
  }

  lose(reason: StaleReason, now: number): void {
    this.#tell(this.engine.lose(reason, now));
  }

  close(reason: StaleReason, now: number): void {
    this.#tell(this.engine.close(reason, now));
  }

  advance(now: number): void {
    this.#tell(this.engine.advance(now));
  }

  /** The whole book was just asked for, and must come within `answerMs`; sooner than `leastMs` it is not asked for again. */
  expect(now: number, answerMs: number, leastMs: number): void {
    this.recoverAtMs = now + answerMs;
    this.#mayAskMs = now + leastMs;
    this.attempts = Math.max(1, this.attempts);
  }

  /** The book was lost: it is asked for as soon as that is allowed. */
  recoverSoon(now: number): void {
    this.recoverAtMs = Math.min(this.recoverAtMs, Math.max(now, this.#mayAskMs));
  }

  /** The whole book has come. */
  recovered(): void {
    this.attempts = 0;
    this.recoverAtMs = Infinity;
  }

  #tell(messages: readonly BookMessage[]): void {
    for (const message of messages) this.#spread(message);
  }

  #spread(message: BookMessage): void {
    if (message.type === 'status' && message.state === 'stale' && message.reason !== null)
      this.noteStale(message.reason);
    const own = this.#toReaders(message);
    let other: ReaderMessage | undefined;
    for (const reading of this.#readings) {
      if (message.type === 'status') reading.reader.tell(message);
      else if (!reading.hasBook) this.#begin(reading, message);
      else reading.reader.tell(reading.isMirrored ? (other ??= mirroredMessage(own)) : own);
    }
  }

  /** Who waited while others were told that it is live is told so behind the book. */
  #begin(reading: Reading, message: BookMessage): void {
    const { whole, status } = this.engine;
    if (whole === null) return;
    this.#tellWhole(reading, this.#proved(whole));
    if (message.type === 'update' && status !== null) reading.reader.tell(status);
  }

  #tellWhole(reading: Reading, book: WholeBook): void {
    reading.hasBook = true;
    reading.reader.tell({ type: 'snapshot', reason: 'initial', book: reading.isMirrored ? mirrored(book) : book });
  }

  #toReaders(message: BookMessage): ReaderMessage {
    if (message.type !== 'snapshot') return message;
    return { type: 'snapshot', reason: 'resync', book: this.#proved(message.book) };
  }

  #proved(book: WholeBook): WholeBook {
    return { ...book, verifiedMs: Math.max(book.verifiedMs, this.provedMs()) };
  }
}

function mirroredMessage(message: ReaderMessage): ReaderMessage {
  if (message.type === 'snapshot') return { ...message, book: mirrored(message.book) };
  if (message.type === 'status') return message;
  return { ...message, changes: message.changes.map(mirroredLevel), details: mirroredDetails(message.details) };
}

/** A bid on one outcome at `p` is an ask on the other at `1 - p` (unified-schema.md 4). */
function mirrored(book: WholeBook): WholeBook {
  const turned = ({ price, size }: LevelDto): LevelDto => ({ price: complement(price), size });
  return {
    ...book,
    bids: book.asks.map(turned),
    asks: book.bids.map(turned),
    details: mirroredDetails(book.details),
  };
}

function mirroredTop({ bid, ask, details }: BookTop): BookTop {
  return { bid: turned(ask), ask: turned(bid), details: mirroredDetails(details) };
}

function turned(level: LevelDto | null): LevelDto | null {
  return level === null ? null : { price: complement(level.price), size: level.size };
}

function mirroredLevel({ side, price, size }: LevelChange): LevelChange {
  return { side: side === 'bids' ? 'asks' : 'bids', price: complement(price), size };
}

/** The exchange's hash is that of the book that it keeps. */
function mirroredDetails(details: BookDetails): BookDetails {
  const { lastPrice } = details;
  return { ...details, hash: null, lastPrice: lastPrice === null ? null : complement(lastPrice) };
}
