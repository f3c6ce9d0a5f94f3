import type { BestPrices, BookFacts, BookInput, LevelChange, StaleReason } from '../exchanges/feeds.contract.js';
import { Book } from './book.js';
import type { BookDetails, BookMessage, BookState, BookTop, StatusMessage, WholeBook } from './book-messages.js';

/** How long a book may be crossed, or differ from the best prices that the exchange states, before it counts as wrong. */
const DOUBT_MS = 1_000;

const UNKNOWN: BookDetails = { timeMs: 0, timeSource: 'received', hash: null, tickSize: null, lastPrice: null };

/**
 * Makes one book of what an exchange says of it, and says what changed. Pure: every call says what time it is (Unix milliseconds),
 * and returns the messages that follow. It never says a change of a book that it called stale.
 */
export class BookEngine {
  readonly #book = new Book();
  #state: BookState = 'waiting';
  #reason: StaleReason | null = null;
  #sinceMs = 0;
  #details = UNKNOWN;
  /** Whether the levels are a whole book; else changes say nothing. */
  #isWhole = false;
  #sequence = 0;
  #changes = new Map<string, LevelChange>();
  #isChanged = false;
  #flushedMs = -Infinity;
  #changedMs = -Infinity;
  #verifiedMs = 0;
  #crossedMs: number | null = null;
  #contradictedMs: number | null = null;

  /** Changes within `flushMs` are one message; the first after a rest is one at once. */
  constructor(private readonly flushMs: number) {}

  get state(): BookState {
    return this.#state;
  }

  get digest(): string {
    return this.#book.digest;
  }

  get hash(): string | null {
    return this.#details.hash;
  }

  /** When the exchange last said a change of it. */
  get changedMs(): number {
    return this.#changedMs;
  }

  get verifiedMs(): number {
    return this.#verifiedMs;
  }

  /** When `advance` has something to do; null where only the exchange can change anything. */
  get dueMs(): number | null {
    if (!this.#isWhole) return null;
    const flush = this.#mayFlush ? this.#flushedMs + this.flushMs : Infinity;
    const doubt = Math.min(this.#crossedMs ?? Infinity, this.#contradictedMs ?? Infinity) + DOUBT_MS;
    const due = Math.min(flush, doubt);
    return due === Infinity ? null : due;
  }

  /** The book for one who joins now; null while it cannot be shown: a crossed one is held back. */
  get whole(): WholeBook | null {
    return this.#state === 'live' && this.#crossedMs === null ? this.#wholeBook() : null;
  }

  /** The best of the book; null while it cannot be shown. */
  get top(): BookTop | null {
    if (this.#state !== 'live' || this.#crossedMs !== null) return null;
    return { bid: this.#book.top('bids'), ask: this.#book.top('asks'), details: this.#details };
  }

  /** How it stands, for one who joins now; null before anything was heard. */
  get status(): StatusMessage | null {
    const state = this.#state;
    return state === 'waiting' ? null : { type: 'status', state, reason: this.#reason, sinceMs: this.#sinceMs };
  }

  take(input: BookInput, now: number): BookMessage[] {
    if (this.#state === 'closed') return [];
    if (input.type === 'lost') return this.lose(input.reason, now);
    if (input.type === 'whole') {
      this.#note(this.#book.replace(input.bids, input.asks));
      this.#isWhole = true;
      this.#contradictedMs = null;
      this.#verifiedMs = now;
      return this.#changed(input.facts, now, true);
    }
    if (!this.#isWhole) return [];
    if (input.type === 'sizes') this.#set(input, now);
    else if (!this.#step(input.changes)) return this.lose('mismatch', now);
    return this.#changed(input.facts, now, false);
  }

  /** The book cannot be trusted from now on, until a whole one comes. */
  lose(reason: StaleReason, now: number): BookMessage[] {
    if (this.#state === 'closed') return [];
    this.#isWhole = false;
    this.#forgetDoubts();
    if (this.#state === 'stale' && this.#reason === reason) return [];
    return [this.#become('stale', reason, now)];
  }

  /** No more of this market will come. */
  close(reason: StaleReason, now: number): BookMessage[] {
    if (this.#state === 'closed') return [];
    this.#isWhole = false;
    this.#forgetDoubts();
    return [this.#become('closed', reason, now)];
  }

  /** Something else than the feed proved the book right. */
  verify(now: number): void {
    this.#verifiedMs = Math.max(this.#verifiedMs, now);
  }

  /** Does what is due. */
  advance(now: number): BookMessage[] {
    if (!this.#isWhole) return [];
    const doubted = Math.min(this.#crossedMs ?? Infinity, this.#contradictedMs ?? Infinity);
    if (now - doubted >= DOUBT_MS) return this.lose('mismatch', now);
    return this.#flush(now);
  }

  get #mayFlush(): boolean {
    return this.#state === 'live' && this.#isChanged && this.#crossedMs === null;
  }

  #changed(facts: BookFacts, now: number, isWhole: boolean): BookMessage[] {
    this.#changedMs = now;
    this.#learn(facts, now, isWhole);
    this.#crossedMs = this.#book.isCrossed ? (this.#crossedMs ?? now) : null;
    if (this.#crossedMs !== null) return this.advance(now);
    return this.#state === 'live' ? this.advance(now) : this.#begin(now);
  }

  #learn({ timeMs, hash, tickSize, lastPrice }: BookFacts, now: number, isWhole: boolean): void {
    const before = this.#details;
    const kept = isWhole ? undefined : before.hash;
    this.#details = {
      timeMs: timeMs ?? now,
      timeSource: timeMs === undefined ? 'received' : 'exchange',
      hash: (hash === undefined ? kept : hash) ?? null,
      tickSize: tickSize === undefined ? before.tickSize : tickSize,
      lastPrice: lastPrice === undefined ? before.lastPrice : lastPrice,
    };
    this.#isChanged ||= this.#details.lastPrice !== before.lastPrice || this.#details.tickSize !== before.tickSize;
  }

  /** The book is whole, and nothing speaks against it: it is live from now on. */
  #begin(now: number): BookMessage[] {
    this.#sequence += 1;
    this.#flushedMs = now;
    this.#forgetChanges();
    const book = this.#wholeBook();
    return [{ type: 'snapshot', book }, this.#become('live', null, now)];
  }

  #flush(now: number): BookMessage[] {
    if (!this.#mayFlush || now < this.#flushedMs + this.flushMs) return [];
    const previous = this.#sequence;
    this.#sequence += 1;
    this.#flushedMs = now;
    const changes = [...this.#changes.values()];
    this.#forgetChanges();
    return [{ type: 'update', sequence: this.#sequence, previous, changes, details: this.#details }];
  }

  #wholeBook(): WholeBook {
    const [bids, asks] = [this.#book.sorted('bids'), this.#book.sorted('asks')];
    return { sequence: this.#sequence, bids, asks, details: this.#details, verifiedMs: this.#verifiedMs };
  }

  #set({ changes, best }: BookInput & { type: 'sizes' }, now: number): void {
    this.#note(changes.filter((change) => this.#book.set(change)));
    if (best !== undefined) this.#check(best, now);
  }

  /** Returns false where a size would be below 0. */
  #step(changes: readonly LevelChange[]): boolean {
    for (const change of changes) {
      const size = this.#book.step(change);
      if (size === null) return false;
      this.#note([{ ...change, size }]);
    }
    return true;
  }

  #note(changes: readonly LevelChange[]): void {
    for (const change of changes) this.#changes.set(`${change.side} ${change.price}`, change);
    this.#isChanged ||= changes.length > 0;
  }

  /** The stated prices hold after all frames of one moment: an answer to them may still be on its way. */
  #check(best: BestPrices, now: number): void {
    const own = this.#book.best;
    const agrees = own.bid === best.bid && own.ask === best.ask;
    this.#contradictedMs = agrees ? null : (this.#contradictedMs ?? now);
  }

  #become(state: 'live' | 'stale' | 'closed', reason: StaleReason | null, now: number): StatusMessage {
    if (state !== this.#state) this.#sinceMs = now;
    this.#state = state;
    this.#reason = reason;
    return { type: 'status', state, reason, sinceMs: this.#sinceMs };
  }

  #forgetDoubts(): void {
    this.#crossedMs = null;
    this.#contradictedMs = null;
    this.#forgetChanges();
  }

  #forgetChanges(): void {
    this.#changes = new Map();
    this.#isChanged = false;
  }
}
