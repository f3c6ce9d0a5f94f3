import { Logger } from '@nestjs/common';
import type { Priority } from './priority.js';
import type { Caller } from './callers.js';
import { FailureWindow } from './failure-window.js';
import { BREAKER_MAX_TRIALS, BREAKER_OPEN_MS } from './upstream.constants.js';
import { UpstreamError } from './upstream-client.js';

export type BreakerState = 'closed' | 'open' | 'half_open';

/** How one call ended for the other server; `ignored` where it ended for a reason of our own. */
export type Outcome = 'success' | 'failure' | 'ignored';

/** Whose call it is and how urgent. */
export interface GuardedCall {
  readonly caller: Caller;
  readonly priority: Priority;
}

/**
 * Stops calls to a server that fails, and then tries again with one call of each caller at a time, and one cancel of the
 * same caller beside it (rules.md 1, R-11, R-27).
 */
export class Breaker {
  readonly #logger = new Logger(Breaker.name);
  readonly #window: FailureWindow;
  #openUntil: number | null = null;
  /** Trial calls under way, by `trialOf`. */
  readonly #trials = new Set<string>();
  /** Whose trial failed last: another failure of the same caller is not counted. */
  #failedLast: Caller;
  /** Counts changes of state: the outcome of a call from an earlier state is not counted. */
  #generation = 0;

  /** `now` is a clock in ms that only goes forward; `name` is for the log. */
  constructor(
    private readonly name: string,
    private readonly now: () => number = () => performance.now(),
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

  /** UpstreamError `paused` where no such call may be made now, else null; counts nothing. */
  refusal(call: GuardedCall): UpstreamError | null {
    if (this.#openUntil === null) return null;
    const waitMs = this.#openUntil - this.now();
    if (waitMs <= 0 && this.#mayTry(call)) return null;
    return new UpstreamError('paused', false, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) });
  }

  /** Lets one call go; returns the function that records its outcome, to be called once. Throws the refusal where there is one. */
  enter(call: GuardedCall): (outcome: Outcome) => void {
    const refusal = this.refusal(call);
    if (refusal !== null) throw refusal;
    const generation = this.#generation;
    const isTrial = this.#openUntil !== null;
    if (isTrial) this.#trials.add(trialOf(call));
    return (outcome) => {
      if (generation !== this.#generation) return;
      if (isTrial) this.#recordTrial(call, outcome);
      else if (outcome !== 'ignored') this.#count(call.caller, outcome === 'failure');
    };
  }

  /** A trial read that hangs does not hold back a cancel. */
  #mayTry(call: GuardedCall): boolean {
    if (this.#trials.has(trialOf(call))) return false;
    return call.priority === 'cancel' || this.#trials.size < BREAKER_MAX_TRIALS;
  }

  #recordTrial(call: GuardedCall, outcome: Outcome): void {
    this.#trials.delete(trialOf(call));
    if (outcome === 'success') this.#close();
    else if (outcome === 'failure' && (call.caller === undefined || call.caller !== this.#failedLast)) {
      this.#failedLast = call.caller;
      this.#open('the trial call failed too');
    }
  }

  #count(caller: Caller, failed: boolean): void {
    this.#window.count(caller, failed);
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

function trialOf({ caller = '', priority }: GuardedCall): string {
  return `${priority === 'cancel' ? 'cancel' : 'call'} ${caller}`;
}
