import { AppError } from '../platform/errors/app-error.js';

/** The most upstream calls of one look-up of an order (contract.md 5.3). */
const MOST_CALLS = 30;

/** The exchange's clock and the database's may lie apart by so much, in ms, without an order being missed. */
export const CLOCK_SLACK_MS = 5 * 60_000;

/** What our own records say of the end of an order that is looked up. */
export interface KnownEnd {
  /** How long ago, in ms, a complete list of open orders first lacked it; null where none did. */
  readonly absentMs?: number | null;
  /** Whether the exchange has answered that it is cancelled. */
  readonly isCancelled?: boolean;
  /** Whether a list may serve several look-ups of one request: not where what was sent just now is looked up. */
  readonly mayShare?: boolean;
}

/** One look-up of an order, which comes to an end. */
export class OrderSearch {
  #calls = 0;

  /**
   * `sentWithinMs`: no order of the reference was sent longer ago, in ms; null where that is not known, so that everything
   * is searched. `beforeCall` is awaited before each upstream call; what it throws ends the search.
   */
  constructor(
    readonly sentWithinMs: number | null = null,
    private readonly beforeCall: () => Promise<void> = () => Promise.resolve(),
    private readonly known: KnownEnd = {},
  ) {}

  /** As `KnownEnd.absentMs`. */
  get absentMs(): number | null {
    return this.known.absentMs ?? null;
  }

  /** As `KnownEnd.isCancelled`. */
  get isCancelled(): boolean {
    return this.known.isCancelled ?? false;
  }

  /** As `KnownEnd.mayShare`. */
  get mayShare(): boolean {
    return this.known.mayShare ?? false;
  }

  /** Announces one upstream call. Throws `exchange_unavailable` (reason `search_incomplete`) after too many of them. */
  async nextCall(): Promise<void> {
    this.#calls += 1;
    if (this.#calls > MOST_CALLS) {
      throw new AppError('exchange_unavailable', 'The exchange has too many orders to look through. Try again later.', {
        details: { reason: 'search_incomplete' },
        retryAfterSeconds: 1,
      });
    }
    await this.beforeCall();
  }

  /**
   * The earliest time at which the order can have been made, by a clock that says `now`; null where that is not known, as of one that
   * was cancelled here, maybe before it was sent once more.
   */
  earliest(now: Date): Date | null {
    return this.sentWithinMs === null || this.isCancelled
      ? null
      : new Date(now.getTime() - this.sentWithinMs - CLOCK_SLACK_MS);
  }

  /** Whether the order is so young, in ms, that what is older need not be searched. */
  isYoungerThan(ms: number): boolean {
    return this.sentWithinMs !== null && this.sentWithinMs + CLOCK_SLACK_MS < ms;
  }
}
