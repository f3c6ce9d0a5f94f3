import { Logger } from '@nestjs/common';
import type { Caller } from './callers.js';
import { FailureWindow } from './failure-window.js';
import { BREAKER_MAX_TRIALS, BREAKER_OPEN_MS } from './upstream.constants.js';
import { UpstreamError } from './upstream-client.js';

export type BreakerState = 'closed' | 'open' | 'half_open';

/** How one call ended for the other server; `ignored` where it ended for a reason of our own. */
export type Outcome = 'success' | 'failure' | 'ignored';

/** Stops calls to a server that fails, and then tries again with one call of each caller at a time (contract.md 5.5, R-11, R-27). */
export class Breaker {
  readonly #logger = new Logger(Breaker.name);
  readonly #window: FailureWindow;
  #openUntil: number | null = null;
  /** Whose trial calls are under way. */
  readonly #trials = new Set<Caller>();
  /** Whose trial failed last: another failure of the same caller is not counted. */
  #failedLast: Caller;
  /** Counts changes of state: the outcome of a call from an earlier state is not counted. */
  #generation = 0;

  /** `name` is for the log; `now` is a clock in ms that only goes forward; at most `maxTrials` trial calls run at once. */
  constructor(
    private readonly name: string,
    private readonly now: () => number = () => performance.now(),
    private readonly maxTrials = BREAKER_MAX_TRIALS,
  ) {
    this.#window = new FailureWindow(now);
  }

  get state(): BreakerState {
    if (this.#openUntil === null) return 'closed';
    return this.now() < this.#openUntil ? 'open' : 'half_open';
  }

  /** Whether no outcome was recorded lately. */
  get isIdle(): boolean {
    return this.#openUntil === null && this.#window.isEmpty;
  }

  /** UpstreamError `paused` where the caller may make no call now, else null; counts nothing. */
  refusal(caller: Caller): UpstreamError | null {
    if (this.#openUntil === null) return null;
    const waitMs = this.#openUntil - this.now();
    if (waitMs <= 0 && !this.#trials.has(caller) && this.#trials.size < this.maxTrials) return null;
    return new UpstreamError('paused', false, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) });
  }

  /**
   * Lets one call go; returns the function that records its outcome, to be called once. Throws the refusal where there is one.
   * Of one `target` only the first failure in 10 s counts, where it is given.
   */
  enter(caller: Caller, target?: string): (outcome: Outcome) => void {
    const refusal = this.refusal(caller);
    if (refusal !== null) throw refusal;
    if (this.#openUntil === null) return this.watch(caller, target);
    const generation = this.#generation;
    this.#trials.add(caller);
    return (outcome) => {
      if (generation === this.#generation) this.#recordTrial(caller, outcome);
    };
  }

  /** Like `enter`, for a call that is never refused and is no trial. Its outcome counts if the breaker stays closed during the call. */
  watch(caller: Caller, target?: string): (outcome: Outcome) => void {
    const generation = this.#generation;
    return (outcome) => {
      const isCounted = generation === this.#generation && this.#openUntil === null;
      if (isCounted && outcome !== 'ignored') this.#count(caller, outcome === 'failure', target);
    };
  }

  #recordTrial(caller: Caller, outcome: Outcome): void {
    this.#trials.delete(caller);
    if (outcome === 'success') this.#close();
    else if (outcome === 'failure' && (caller === undefined || caller !== this.#failedLast)) {
      this.#failedLast = caller;
      this.#open('the trial call failed too');
    }
  }

  #count(caller: Caller, failed: boolean, target: string | undefined): void {
    this.#window.count(caller, failed, target);
    const { failing } = this.#window;
    if (failing !== null) this.#open(`${failing.failures} of ${failing.calls} calls failed`);
  }

  #open(reason: string): void {
    this.#openUntil = this.now() + BREAKER_OPEN_MS;
    this.#changed();
    this.#logger.warn(`Calls to ${this.name} stop for ${BREAKER_OPEN_MS / 1_000} s: ${reason}.`);
  }

  #close(): void {
    this.#openUntil = null;
    this.#failedLast = undefined;
    this.#changed();
    this.#logger.log(`Calls to ${this.name} go on.`);
  }

  #changed(): void {
    this.#generation++;
    this.#trials.clear();
    this.#window.clear();
  }
}
