import { Logger } from '@nestjs/common';
import { identify } from './market-identity.js';
import type { WireMarket } from './market.wire.js';

/** A line is logged at most this often. */
const INTERVAL_MS = 10 * 60_000;

/** Why a market is left out of lists: a version or ids that are not known, or no book of two outcomes. */
type LeftOut = 'version' | 'ids' | 'no_book';

const VERSIONS: readonly (string | null)[] = [null, 'v1', 'v2'];

/** Counts the markets in lists by their version, and those left out since they are not understood (polymarket.md 15). */
export class VersionCounts {
  readonly #logger = new Logger('PolymarketMarkets');
  #v1 = 0;
  #v2 = 0;
  readonly #leftOut: Record<LeftOut, number> = { version: 0, ids: 0, no_book: 0 };
  #loggedAt = -Infinity;

  /** How many were left out so far, by the reason. */
  get leftOut(): Readonly<Record<LeftOut, number>> {
    return this.#leftOut;
  }

  /** Counts the markets of one answer, those seen before too. */
  add(markets: readonly WireMarket[]): void {
    for (const market of markets) {
      const identity = identify(market);
      if (identity === 'no_book') this.#leftOut.no_book += 1;
      if (identity === 'not_understood') this.#leftOut[VERSIONS.includes(market.version) ? 'ids' : 'version'] += 1;
      else if (typeof identity === 'string' || identity.protocol === 'v1') this.#v1 += 1;
      else this.#v2 += 1;
    }
    if (performance.now() - this.#loggedAt < INTERVAL_MS) return;
    this.#loggedAt = performance.now();
    const { version, ids } = this.#leftOut;
    const seen = `${this.#v1} of version v1, ${this.#v2} of v2`;
    this.#logger.log(
      `Markets of Polymarket seen: ${seen}, ${version + ids} left out, whose version or ids are not known.`,
    );
  }
}
