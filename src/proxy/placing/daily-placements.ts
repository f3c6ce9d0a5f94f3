import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Settings } from '../../platform/config/settings.js';
import { AppError } from '../../platform/errors/app-error.js';
import { LedgerReads } from './ledger-reads.repository.js';
import type { IdempotencyScope } from './placement.js';

/** Whoever has more left than this is counted again only after `COUNT_AGAIN_MS`, by us alone meanwhile. */
const FAR = 1_000;
const COUNT_AGAIN_MS = 10_000;
const MOST_SENDERS = 10_000;
/** For so many ms a sender without rows left is refused without another count: a count reads all rows of the user. */
const FULL_FOR_MS = 1_000;

/** Who asks: a bot, or the main key of a user. */
type Asker = Pick<IdempotencyScope, 'userId' | 'botId'>;

/** What is known of the rows of a user, or of one bot, on this day. */
class DayCount {
  /** In the ledger when it was read, and begun here since. */
  used = 0;
  /** By `performance.now()`. */
  readAt = -Infinity;
  /** When the day ends, likewise. */
  endsAt = 0;
  /** Until when the ledger is known to have no row left, likewise. */
  fullUntil = 0;
  /** Begun here, ever, and of these maybe not in the ledger yet. */
  #taken = 0;
  #pending = 0;

  take(): void {
    this.used += 1;
    this.#taken += 1;
    this.#pending += 1;
  }

  end(): void {
    this.#pending -= 1;
  }

  /** Begins a count of the ledger; what is begun before the answer comes is not in it. */
  reading(): (count: number, endsInMs: number) => void {
    const readAt = performance.now();
    const [taken, pending] = [this.#taken, this.#pending];
    return (count, endsInMs) => {
      this.used = count + pending + (this.#taken - taken);
      this.readAt = readAt;
      this.endsAt = readAt + endsInMs;
    };
  }
}

/** The counts that a row is in. */
interface Counts {
  readonly user: DayCount;
  /** Null for the main key. */
  readonly bot: DayCount | null;
}

/** A row that may be made; `end` is called once it is made, or is not. */
export interface Allowance {
  end(): void;
}

/**
 * Bounds the rows that one user can make on a UTC day (`ORDERS_PER_DAY`), so that nobody fills the ledger. One bot makes at most as many
 * as it leaves to all others: half of what is left. Near the bound each row is counted in the ledger; instances that begin rows in the
 * same moment may pass it by those.
 */
@Injectable()
export class DailyPlacements {
  readonly #logger = new Logger('DailyPlacements');
  readonly #counts = new LRUCache<string, DayCount>({ max: MOST_SENDERS });
  readonly #most: number;

  constructor(
    private readonly reads: LedgerReads,
    settings: Settings,
  ) {
    this.#most = settings.ordersPerDay;
  }

  /** Whether the user, or the bot, has a row left today. */
  async hasLeft(asker: Asker): Promise<boolean> {
    const counts = this.#countsOf(asker);
    const all = allOf(counts);
    if (all.some(({ fullUntil }) => performance.now() < fullUntil)) return false;
    if (this.#isUnclear(counts)) await this.#read(asker, counts);
    else if (all.some(({ readAt }) => performance.now() - readAt > COUNT_AGAIN_MS)) this.#readLater(asker, counts);
    return this.#left(counts) > 0;
  }

  /** Returns null where it has none. */
  async take(asker: Asker): Promise<Allowance | null> {
    if (!(await this.hasLeft(asker))) return null;
    const all = allOf(this.#countsOf(asker));
    for (const count of all) count.take();
    let hasEnded = false;
    return {
      end: () => {
        if (!hasEnded) for (const count of all) count.end();
        hasEnded = true;
      },
    };
  }

  /** 429 `rate_limited` until the day is over. */
  refusal(asker: Asker): AppError {
    const who = asker.botId === null ? 'one user may' : 'this bot may';
    const message = `As many orders and transfers were asked for today as ${who}. Wait as long as Retry-After says.`;
    const { endsAt } = this.#countsOf(asker).user;
    return new AppError('rate_limited', message, {
      details: { reason: 'orders_per_day' },
      retryAfterSeconds: Math.max(1, Math.ceil((endsAt - performance.now()) / 1_000)),
    });
  }

  #countsOf({ userId, botId }: Asker): Counts {
    return { user: this.#countOf(userId), bot: botId === null ? null : this.#countOf(botId) };
  }

  #countOf(id: string): DayCount {
    const known = this.#counts.get(id);
    if (known !== undefined) return known;
    const count = new DayCount();
    this.#counts.set(id, count);
    return count;
  }

  /** How many rows more may be made: of a bot as many fewer as it has made. */
  #left({ user, bot }: Counts): number {
    return this.#most - user.used - (bot?.used ?? 0);
  }

  /** Whether nothing of this day is known, or little is left. */
  #isUnclear(counts: Counts): boolean {
    return allOf(counts).some(({ endsAt }) => performance.now() >= endsAt) || this.#left(counts) < FAR;
  }

  /** No order waits for it. */
  #readLater(asker: Asker, counts: Counts): void {
    for (const count of allOf(counts)) count.readAt = performance.now();
    this.#read(asker, counts).catch((error: unknown) => {
      this.#logger.warn({ err: error, message: 'the orders of a day could not be counted, and are later' });
    });
  }

  async #read({ userId, botId }: Asker, counts: Counts): Promise<void> {
    const { user, bot } = counts;
    const [ofUser, ofBot] = [user.reading(), bot?.reading()];
    const today = await this.reads.countToday(userId, botId, this.#most);
    ofUser(today.count, today.endsInMs);
    ofBot?.(today.ofBot, today.endsInMs);
    const fullUntil = Math.min(user.endsAt, performance.now() + FULL_FOR_MS);
    if (today.count >= this.#most) user.fullUntil = fullUntil;
    else if (bot !== null && today.count + today.ofBot >= this.#most) bot.fullUntil = fullUntil;
  }
}

function allOf({ user, bot }: Counts): DayCount[] {
  return bot === null ? [user] : [user, bot];
}
