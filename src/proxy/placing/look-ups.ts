import { Injectable } from '@nestjs/common';
import { Settings } from '../../platform/config/settings.js';
import { Tally } from '../../platform/metrics/tally.js';
import { withoutClientAbort, withReadLimit } from '../../platform/upstream/call-context.js';
import type { Ledger } from './ledger.repository.js';
import { hasCode, inProgress } from './outcomes.js';
import { Sendings } from './sendings.js';
import type { Sought } from './subject.js';

/** Reads what may exist at an exchange. Each look-up ends in time, and stops where another call has taken over. */
@Injectable()
export class LookUps {
  /** By how they ended. */
  readonly ends = new Tally(['outcome']);
  readonly #upstreamMs: number;

  constructor(
    private readonly sendings: Sendings,
    settings: Settings,
  ) {
    this.#upstreamMs = settings.upstreamTimeoutMs;
  }

  /** As `Sendings.busyMs`. */
  get busyMs(): number {
    return this.sendings.busyMs;
  }

  /**
   * Until when a call that begins now may read before it sends, by `performance.now()`. After the sending it may read until
   * `UPSTREAM_TIMEOUT` later, so that the whole call takes at most twice that time, beside the database.
   */
  begin(): number {
    return performance.now() + this.#upstreamMs;
  }

  /** Reads before anything is sent. */
  async beforeSending<T>(readsUntil: number, read: () => Promise<T>): Promise<T> {
    return withReadLimit(readsUntil - performance.now(), read);
  }

  /**
   * One look-up, by a function that awaits what it is given before each upstream call; null where nothing shows. What was sent just now
   * is looked up although its client has gone.
   */
  async find<T>(
    { when, readsUntil, claim }: Sought,
    records: Ledger,
    read: (beforeCall: () => Promise<void>) => Promise<T | null>,
  ): Promise<T | null> {
    const beforeCall = async (): Promise<void> => {
      // A kept refusal is nobody's to renew.
      if (claim === null || when === 'refused') return;
      if (!(await records.extend(claim, this.sendings.busyMs))) throw inProgress();
    };
    const isSent = when === 'after' || when === 'duplicate';
    const within = readsUntil + (isSent ? this.#upstreamMs : 0) - performance.now();
    const look = (): Promise<T | null> => withReadLimit(within, () => read(beforeCall));
    try {
      const found = await (isSent ? withoutClientAbort(look) : look());
      this.ends.count(found === null ? 'absent' : 'found');
      return found;
    } catch (error) {
      this.ends.count(hasCode(error, 'idempotency_in_progress') ? 'taken_over' : 'failed');
      throw error;
    }
  }
}
