import { Logger } from '@nestjs/common';
import { BREAKER_FAILURE_SHARE, BREAKER_MIN_CALLS, BREAKER_OPEN_MS, BREAKER_WINDOW_MS } from './http.constants.js';
import { UpstreamError } from './upstream-client.js';

export type BreakerState = 'closed' | 'open' | 'half_open';

/** What one call proved of the other server; `nothing` where it ended for a reason of our own. */
export type Proof = 'alive' | 'failing' | 'nothing';

const BUCKETS = 10;
const BUCKET_MS = BREAKER_WINDOW_MS / BUCKETS;

interface Bucket {
  readonly number: number;
  calls: number;
  failures: number;
}

/** Stops calling a server that fails, and tries again with one call at a time (security.md 1, R-11). */
export class Breaker {
  readonly #logger = new Logger(Breaker.name);
  #buckets: Bucket[] = [];
  #openUntil: number | null = null;
  #probing = false;
  /** Counts changes of state, so that a call of an earlier state says nothing in a later one. */
  #generation = 0;

  /** `now` is a clock in ms that only goes forward; `name` is for the log. */
  constructor(
    private readonly name: string,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get state(): BreakerState {
    if (this.#openUntil === null) return 'closed';
    return this.now() < this.#openUntil ? 'open' : 'half_open';
  }

  /** Throws UpstreamError `paused` where no call may be made now; counts nothing. */
  check(): void {
    if (this.#openUntil === null) return;
    const waitMs = this.#openUntil - this.now();
    if (waitMs <= 0 && !this.#probing) return;
    throw new UpstreamError('paused', false, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) });
  }

  /** As `check`, and lets one call go, which must tell once what it proved. */
  enter(): (proof: Proof) => void {
    this.check();
    const generation = this.#generation;
    const isProbe = this.#openUntil !== null;
    this.#probing = isProbe;
    return (proof) => {
      if (generation !== this.#generation) return;
      if (isProbe) this.#judgeProbe(proof);
      else if (proof !== 'nothing') this.#count(proof === 'failing');
    };
  }

  #judgeProbe(proof: Proof): void {
    this.#probing = false;
    if (proof === 'failing') this.#open('the trial call failed too');
    else if (proof === 'alive') this.#close();
  }

  #count(failed: boolean): void {
    const number = Math.floor(this.now() / BUCKET_MS);
    this.#buckets = this.#buckets.filter((bucket) => bucket.number > number - BUCKETS);
    let bucket = this.#buckets.at(-1);
    if (bucket?.number !== number) {
      bucket = { number, calls: 0, failures: 0 };
      this.#buckets.push(bucket);
    }
    bucket.calls++;
    if (failed) bucket.failures++;
    const calls = this.#buckets.reduce((sum, each) => sum + each.calls, 0);
    const failures = this.#buckets.reduce((sum, each) => sum + each.failures, 0);
    if (calls >= BREAKER_MIN_CALLS && failures >= calls * BREAKER_FAILURE_SHARE) {
      this.#open(`${failures} of ${calls} calls failed`);
    }
  }

  #open(reason: string): void {
    this.#openUntil = this.now() + BREAKER_OPEN_MS;
    this.#generation++;
    this.#buckets = [];
    this.#logger.warn(`Calls to ${this.name} stop for ${BREAKER_OPEN_MS / 1_000} s: ${reason}.`);
  }

  #close(): void {
    this.#openUntil = null;
    this.#generation++;
    this.#logger.log(`Calls to ${this.name} go on.`);
  }
}
