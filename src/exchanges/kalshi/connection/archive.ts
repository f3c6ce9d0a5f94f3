import { z } from 'zod';
import { optionalReadLimit, readOptional } from '../../optional-read.js';
import type { KalshiClient } from './client.js';
import { maybeTime } from './wire.js';

export const wireCutoff = z.object({ trades_created_ts: maybeTime, orders_updated_ts: maybeTime });

/** Where the live data ends: what is older is in the archive alone (kalshi.md 8). */
export class KalshiArchive {
  constructor(private readonly client: KalshiClient) {}

  /**
   * Whether trades or fills since `start` may be in the archive: always without a start, and also where the exchange does not say,
   * so that no list is cut short.
   */
  mayHoldTradesSince(start: Date | undefined): Promise<boolean> {
    return this.#mayHoldSince(start, 'trades_created_ts');
  }

  /** As `mayHoldTradesSince`, for orders made since `start`: they go there two weeks after their last change (kalshi.md 8). */
  mayHoldOrdersSince(start: Date | null): Promise<boolean> {
    return this.#mayHoldSince(start ?? undefined, 'orders_updated_ts');
  }

  async #mayHoldSince(start: Date | undefined, what: keyof z.infer<typeof wireCutoff>): Promise<boolean> {
    if (start === undefined) return true;
    const read = this.client.read('/historical/cutoff', {}, wireCutoff, optionalReadLimit());
    const from = (await readOptional(read, null))?.value[what] ?? null;
    return from === null || start.toISOString() < from;
  }
}
