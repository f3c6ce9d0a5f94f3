import type { Scope } from '../access/principal.js';
import type { RoutedRequest } from '../access/routed-request.js';

/** How an answer goes out again without the framework (contract.md 5.10, "Answer lane"). */
export interface LaneEntry {
  /** What the route declares; null is any API key. */
  readonly scope: Scope | null;
  /** The header lines of an answer as they were written, names and values by turns. */
  readonly headers: readonly string[];
  /** The routes of the path that was asked for. */
  readonly found?: RoutedRequest['found'];
}

/** So often asked for, a read ahead of the end costs one more in so many answers. */
const MANY_USES = 100;
/** When an answer may be renewed ahead: in the last part of its time, or so early that slow reads are done before the end. */
const LAST_PART = { share: 0.2, greatestShare: 0.5, ms: 1_000, makings: 2 };

/** The JSON of an answer of status 200. */
export class FinishedAnswer {
  /** Set once the ordinary way has written this answer for an ordinary request. */
  lane: LaneEntry | null = null;
  readonly #renewableFrom: number;
  #uses = 0;
  #isClaimed = false;

  /**
   * `end` is until when it may be used, by `performance.now()`; 0 is only for those who wait for it. `madeInMs` is how long it
   * took to make.
   */
  constructor(
    readonly body: Buffer,
    readonly end: number,
    madeInMs = 0,
  ) {
    const leftMs = end - performance.now();
    const wantedMs = Math.max(leftMs * LAST_PART.share, madeInMs * LAST_PART.makings);
    this.#renewableFrom = end - Math.min(wantedMs, leftMs * LAST_PART.greatestShare, LAST_PART.ms);
  }

  /** Notes that it was given once more. */
  countUse(): void {
    this.#uses += 1;
  }

  /** Whether one who asks should renew it: it is often asked for and near its end, and nobody has begun to (contract.md 5.10). */
  get isDueForRenewal(): boolean {
    return this.#uses >= MANY_USES && !this.#isClaimed && performance.now() >= this.#renewableFrom;
  }

  /** Whether who asks now is the one who renews it; true at most once. */
  claimRenewal(): boolean {
    const isDue = this.isDueForRenewal;
    if (isDue) this.#isClaimed = true;
    return isDue;
  }
}
