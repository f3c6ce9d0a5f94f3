import { z } from 'zod';
import { optionalReadLimit, readOptional } from '../../optional-read.js';
import type { KalshiClient } from './client.js';
import { maybeTime } from './wire.js';

export const wireCutoff = z.object({ trades_created_ts: maybeTime });

/** Where the live data ends: older trades and fills are in the archive alone (kalshi.md 7). */
export class KalshiArchive {
  constructor(private readonly client: KalshiClient) {}

  /**
   * Whether trades or fills since `start` may be in the archive: always without a start, and also where the exchange does not say,
   * so that no list is cut short.
   */
  async mayHoldTradesSince(start: Date | undefined): Promise<boolean> {
    if (start === undefined) return true;
    const read = this.client.read('/historical/cutoff', {}, wireCutoff, optionalReadLimit());
    const from = (await readOptional(read, null))?.value.trades_created_ts ?? null;
    return from === null || start.toISOString() < from;
  }
}
