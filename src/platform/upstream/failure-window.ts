import type { Caller } from './callers.js';
import {
  BREAKER_FAILURE_SHARE,
  BREAKER_MIN_CALLS,
  BREAKER_MIN_OTHERS,
  BREAKER_WINDOW_MS,
} from './upstream.constants.js';

/** How many calls counted for the breaker, and how many of them failed. */
export interface Tally {
  readonly calls: number;
  readonly failures: number;
}

interface Bucket {
  readonly number: number;
  all: Tally;
  /** The public questions whose first failure was counted. */
  readonly targets: Set<string>;
  readonly tallies: Map<string, Tally>;
}

const BUCKETS = 10;
const BUCKET_MS = BREAKER_WINDOW_MS / BUCKETS;
const NOTHING: Tally = { calls: 0, failures: 0 };

function sum(one: Tally, other: Tally): Tally {
  return { calls: one.calls + other.calls, failures: one.failures + other.failures };
}

function isBad({ calls, failures }: Tally, minCalls: number): boolean {
  return calls >= minCalls && failures >= calls * BREAKER_FAILURE_SHARE;
}

/** How the calls of the last 10 s ended, by caller. */
export class FailureWindow {
  #buckets: Bucket[] = [];

  /** `now` is a clock in ms that only goes forward. */
  constructor(private readonly now: () => number) {}

  /**
   * Counts the end of a call. Only the first failure of one `target` counts, since the cause may be the question;
   * `target` is undefined where calls do not choose one.
   */
  count(caller: Caller, failed: boolean, target?: string): void {
    const number = this.#forgetOld();
    let bucket = this.#buckets.at(-1);
    if (bucket?.number !== number) {
      bucket = { number, all: NOTHING, targets: new Set(), tallies: new Map() };
      this.#buckets.push(bucket);
    }
    if (failed && target !== undefined) {
      if (this.#buckets.some(({ targets }) => targets.has(target))) return;
      bucket.targets.add(target);
    }
    const one: Tally = { calls: 1, failures: failed ? 1 : 0 };
    bucket.all = sum(bucket.all, one);
    if (caller !== undefined) bucket.tallies.set(caller, sum(bucket.tallies.get(caller) ?? NOTHING, one));
  }

  /**
   * Returns the tally of all calls if they fail, else null. They fail where half of at least 20 calls failed, and half
   * of at least 10 would still have failed without the calls of any one caller: the failures of one caller may have a
   * cause of their own. Calls of the service itself are never left out.
   */
  get failing(): Tally | null {
    this.#forgetOld();
    let all = NOTHING;
    for (const bucket of this.#buckets) all = sum(all, bucket.all);
    if (!isBad(all, BREAKER_MIN_CALLS)) return null;
    const othersFail = [...this.#byCaller().values()].every(({ calls, failures }) =>
      isBad({ calls: all.calls - calls, failures: all.failures - failures }, BREAKER_MIN_OTHERS),
    );
    return othersFail ? all : null;
  }

  get isEmpty(): boolean {
    this.#forgetOld();
    return this.#buckets.length === 0;
  }

  clear(): void {
    this.#buckets = [];
  }

  #byCaller(): Map<string, Tally> {
    const byCaller = new Map<string, Tally>();
    for (const [caller, tally] of this.#buckets.flatMap(({ tallies }) => [...tallies])) {
      byCaller.set(caller, sum(byCaller.get(caller) ?? NOTHING, tally));
    }
    return byCaller;
  }

  /** The number of the present bucket. */
  #forgetOld(): number {
    const number = Math.floor(this.now() / BUCKET_MS);
    const [oldest] = this.#buckets;
    if (oldest !== undefined && oldest.number <= number - BUCKETS) {
      this.#buckets = this.#buckets.filter((bucket) => bucket.number > number - BUCKETS);
    }
    return number;
  }
}
