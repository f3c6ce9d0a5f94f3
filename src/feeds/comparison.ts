import type { ReadBook } from '../exchanges/feeds.contract.js';
import { digestOf } from './book.js';
import type { BookEngine } from './book-engine.js';

/** How much later than its answer over HTTP the feed may say the same; 1.1 s was seen. */
const LATEST_MS = 2_000;
/** What is read may lack a change that is younger than this. */
const SETTLED_MS = 1_000;
/** States of a book that are remembered while it is read: a busy one has some 400 a second. */
const MOST_STATES = 4_096;

export type Verdict = 'same' | 'other' | 'unsure';

/**
 * Holds one book as it was read over HTTP against what the feed said meanwhile. A book that changes in between is found by its
 * hash, where the exchange states one; without, only a quiet book can be compared.
 */
export class Comparison {
  /** Digests of the levels, by the hash that the exchange gave them. */
  readonly #states = new Map<string, string>();
  readonly #isSettled: boolean;
  #isQuiet = true;
  #answer: { readonly digest: string; readonly hash: string | null; readonly atMs: number } | null = null;

  /** `askedMs` is when the reading began. */
  constructor(
    private readonly engine: BookEngine,
    readonly askedMs: number,
  ) {
    this.#isSettled = askedMs - engine.changedMs >= SETTLED_MS;
    this.#remember();
  }

  /** Notes that the feed changed the book. */
  noteChange(): void {
    this.#isQuiet = false;
    this.#remember();
  }

  answer({ bids, asks, facts }: ReadBook, now: number): void {
    this.#answer = { digest: digestOf(bids, asks), hash: facts.hash ?? null, atMs: now };
  }

  /** Returns what is known so far; null while that is nothing. */
  verdict(now: number): Verdict | null {
    if (this.#answer === null) return null;
    const { digest, hash, atMs } = this.#answer;
    const known = hash === null ? undefined : this.#states.get(hash);
    if (known !== undefined) return known === digest ? 'same' : 'other';
    if (this.#isQuiet && this.engine.digest === digest) return 'same';
    return hash === null || now - atMs >= LATEST_MS ? this.#lastWord : null;
  }

  /** Of levels that are not the same, once nothing more is expected. */
  get #lastWord(): Verdict {
    return this.#isQuiet && this.#isSettled ? 'other' : 'unsure';
  }

  #remember(): void {
    const { hash, digest } = this.engine;
    if (hash !== null && this.#states.size < MOST_STATES) this.#states.set(hash, digest);
  }
}
