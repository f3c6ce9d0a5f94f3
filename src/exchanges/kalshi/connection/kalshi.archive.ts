import { z } from 'zod';
import type { KalshiClient } from './kalshi.client.js';
import { isNotFound } from './kalshi.pages.js';
import { maybeTime } from './kalshi.wire.js';

const wireCutoff = z.object({ trades_created_ts: maybeTime });

/** The archive moves once a day at most. */
const KEPT_MS = 10 * 60_000;

/** Where the live data ends: older trades and fills are in the archive alone (kalshi.md 7). */
export class KalshiArchive {
  #tradesFrom: string | null = null;
  #readAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly client: KalshiClient) {}

  /** Whether trades or fills since `start` may be in the archive; without a start they always may. */
  async mayHoldTradesSince(start: Date | undefined): Promise<boolean> {
    if (start === undefined) return true;
    const from = await this.tradesFrom();
    return from === null || start.toISOString() < from;
  }

  private async tradesFrom(): Promise<string | null> {
    if (Date.now() - this.#readAtMs >= KEPT_MS) {
      this.#tradesFrom = await this.read();
      this.#readAtMs = Date.now();
    }
    return this.#tradesFrom;
  }

  /** Null where the exchange does not tell. */
  private async read(): Promise<string | null> {
    try {
      return (await this.client.read('/historical/cutoff', {}, wireCutoff)).body.trades_created_ts;
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  }
}
