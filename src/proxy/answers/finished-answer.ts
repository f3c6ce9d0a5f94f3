import type { Scope } from '../../access/principal.js';

/** How an answer goes out again without the framework (contract.md 9, "Answer lane"). */
export interface LaneEntry {
  /** What the route declares; null is any API key. */
  readonly scope: Scope | null;
  /** The header lines of an answer as they were written, names and values by turns. */
  readonly headers: readonly string[];
}

/** The JSON of an answer of status 200. */
export class FinishedAnswer {
  /** Set once the ordinary way has written this answer for an ordinary request. */
  lane: LaneEntry | null = null;

  /** `end` is until when it may be used, by `performance.now()`; 0 is only for those who wait for it. */
  constructor(
    readonly body: Buffer,
    readonly end: number,
  ) {}
}
