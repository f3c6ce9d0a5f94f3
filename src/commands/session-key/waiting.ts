import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../platform/errors/app-error.js';
import { withReadLimit } from '../../platform/upstream/call-context.js';
import { RelayerError } from './relayer.js';

/** How long to wait for the chain and the exchange in all, and how long between two looks, in ms. */
export interface Waits {
  readonly totalMs: number;
  readonly pauseMs: number;
}

/** So long Polymarket's own clients wait (polymarket.md 11.1). */
export const WAITS: Waits = { totalMs: 300_000, pauseMs: 2_000 };

/** Looks again and again until there is something to be seen, or the time that all looks have together is over. */
export class Waiting {
  readonly #endsAt: number;
  #trouble: Error | null = null;

  constructor(private readonly waits: Waits = WAITS) {
    this.#endsAt = performance.now() + waits.totalMs;
  }

  /** Why the last look told nothing; null where it did. */
  get trouble(): Error | null {
    return this.#trouble;
  }

  get #leftMs(): number {
    return this.#endsAt - performance.now();
  }

  /** Returns what `look` returns that is not null; null where the time is over first. A look that fails is repeated. */
  async until<T>(look: () => Promise<T | null>): Promise<T | null> {
    for (;;) {
      const seen = await withReadLimit(this.#leftMs, () => this.#looked(look));
      if (seen !== null) return seen;
      if (this.#leftMs <= this.waits.pauseMs) return null;
      await this.pause();
    }
  }

  async pause(): Promise<void> {
    await delay(this.waits.pauseMs);
  }

  async #looked<T>(look: () => Promise<T | null>): Promise<T | null> {
    this.#trouble = null;
    try {
      return await look();
    } catch (error) {
      if (!(error instanceof RelayerError || error instanceof AppError)) throw error;
      this.#trouble = error;
      return null;
    }
  }
}
