import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Settings } from '../../platform/config/settings.js';
import { AppError } from '../../platform/errors/app-error.js';
import { LedgerReads } from './ledger-reads.repository.js';

/** Whoever has more left than this is counted again only after `COUNT_AGAIN_MS`, by us alone meanwhile. */
const FAR = 1_000;
const COUNT_AGAIN_MS = 10_000;
const MOST_USERS = 10_000;
/** For so many ms a user without rows left is refused without another count: a count reads all rows of the user. */
const FULL_FOR_MS = 1_000;

/** What is known of the rows of a user on this day. */
interface Count {
  /** In the ledger when it was read, and begun here since. */
  used: number;
  /** Begun here, ever, and of these maybe not in the ledger yet. */
  taken: number;
  pending: number;
  /** By `performance.now()`. */
  readAt: number;
  /** When the day ends, likewise. */
  endsAt: number;
  /** Until when the ledger is known to have no row left, likewise. */
  fullUntil: number;
}

/** A row that may be made; `end` is called once it is made, or is not. */
export interface Allowance {
  end(): void;
}

/**
 * Bounds the rows that one user can make on a UTC day (`ORDERS_PER_DAY`), so that nobody fills the ledger. Near the bound each row is
 * counted in the ledger; instances that begin rows in the same moment may pass it by those.
 */
@Injectable()
export class DailyPlacements {
  readonly #logger = new Logger('DailyPlacements');
  readonly #counts = new LRUCache<string, Count>({ max: MOST_USERS });
  readonly #most: number;

  constructor(
    private readonly reads: LedgerReads,
    settings: Settings,
  ) {
    this.#most = settings.ordersPerDay;
  }

  /** Returns null where the user has no row left today. */
  async take(userId: string): Promise<Allowance | null> {
    const count = this.#countOf(userId);
    if (performance.now() < count.fullUntil) return null;
    if (this.#isUnclear(count)) await this.#read(userId, count);
    else if (performance.now() - count.readAt > COUNT_AGAIN_MS) this.#readLater(userId, count);
    if (count.used >= this.#most) return null;
    count.used += 1;
    count.taken += 1;
    count.pending += 1;
    let hasEnded = false;
    return {
      end: () => {
        if (!hasEnded) count.pending -= 1;
        hasEnded = true;
      },
    };
  }

  /** 429 `rate_limited` until the day is over. */
  refusal(userId: string): AppError {
    const message =
      'You have asked for as many orders and transfers today as one user may. Wait as long as Retry-After says.';
    return new AppError('rate_limited', message, {
      details: { reason: 'orders_per_day' },
      retryAfterSeconds: Math.max(1, Math.ceil((this.#countOf(userId).endsAt - performance.now()) / 1_000)),
    });
  }

  #countOf(userId: string): Count {
    const known = this.#counts.get(userId);
    if (known !== undefined) return known;
    const count = { used: 0, taken: 0, pending: 0, readAt: -Infinity, endsAt: 0, fullUntil: 0 };
    this.#counts.set(userId, count);
    return count;
  }

  /** Whether nothing of this day is known, or little is left. */
  #isUnclear({ used, endsAt }: Count): boolean {
    return performance.now() >= endsAt || this.#most - used < FAR;
  }

  /** No order waits for it. */
  #readLater(userId: string, count: Count): void {
    count.readAt = performance.now();
    this.#read(userId, count).catch((error: unknown) => {
      this.#logger.warn({ err: error, message: 'the orders of a day could not be counted, and are later' });
    });
  }

  async #read(userId: string, count: Count): Promise<void> {
    const readAt = performance.now();
    const { taken, pending } = count;
    const today = await this.reads.countToday(userId, this.#most);
    // What is begun before the answer comes is not in it.
    count.used = today.count + pending + (count.taken - taken);
    count.readAt = readAt;
    count.endsAt = readAt + today.endsInMs;
    if (today.count >= this.#most) count.fullUntil = Math.min(count.endsAt, performance.now() + FULL_FOR_MS);
  }
}
