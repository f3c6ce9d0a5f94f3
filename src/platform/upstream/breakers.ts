import { Breaker, type BreakerState, type GuardedCall, type Outcome } from './breaker.js';
import { PRIORITIES, type Priority } from './priority.js';
import type { Callers } from './callers.js';
import { BREAKER_MAX_CALLERS } from './upstream.constants.js';
import { UpstreamError } from './upstream-client.js';

/**
 * One breaker for all callers, and for each caller one a priority. What fails for one caller stops that caller's calls of that
 * priority alone, since the cause may be the account, the question or one route: reads that fail hold back neither orders nor
 * cancels. What fails for several stops everybody's.
 */
export class Breakers {
  readonly #all: Breaker;
  /** By `keyOf`; that of the caller who called longest ago stands first. */
  readonly #own = new Map<string, Breaker>();

  /** `name` is for the log; `now` is a clock in ms that only goes forward. */
  constructor(
    private readonly name: string,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#all = new Breaker(name, now);
  }

  /** The state of the breaker for all; where that is closed but each recent caller is stopped at one priority, the state of theirs. */
  get state(): BreakerState {
    if (this.#all.state !== 'closed') return this.#all.state;
    const states = PRIORITIES.map((priority) => this.#stateOfAllAt(priority));
    return states.find((state) => state === 'open') ?? states.find((state) => state === 'half_open') ?? 'closed';
  }

  /** Throws UpstreamError `paused` where a call for none of the callers may be made now; counts nothing. */
  check(callers: Callers, priority: Priority): void {
    this.#firstAllowed(callers, priority);
  }

  /** As `check`; lets one call go for a caller who may, and returns the function that records its outcome, once. */
  enter(callers: Callers, priority: Priority): (outcome: Outcome) => void {
    const { call, own } = this.#firstAllowed(callers, priority);
    const recorders = [this.#all.enter(call), ...(own ? [own.enter({ ...call, caller: undefined })] : [])];
    return (outcome) => {
      for (const record of recorders) record(outcome);
    };
  }

  #firstAllowed(callers: Callers, priority: Priority): { call: GuardedCall; own: Breaker | undefined } {
    let refusal: UpstreamError | null = null;
    for (const caller of callers) {
      const call = { caller, priority };
      const own = caller === undefined ? undefined : this.#of(caller, priority);
      refusal = this.#all.refusal(call) ?? own?.refusal({ caller: undefined, priority }) ?? null;
      if (refusal === null) return { call, own };
    }
    throw refusal ?? new UpstreamError('paused', false);
  }

  #stateOfAllAt(priority: Priority): BreakerState {
    const states = [...this.#own]
      .filter(([key, { isIdle }]) => key.startsWith(keyOf('', priority)) && !isIdle)
      .map(([, { state }]) => state);
    if (states.length === 0 || states.includes('closed')) return 'closed';
    return states.includes('open') ? 'open' : 'half_open';
  }

  #of(caller: string, priority: Priority): Breaker {
    const key = keyOf(caller, priority);
    const own = this.#own.get(key) ?? new Breaker(`${this.name} for the ${priority}s of one caller`, this.now);
    this.#own.delete(key);
    this.#own.set(key, own);
    const [oldest = key] = this.#own.keys();
    if (this.#own.size > BREAKER_MAX_CALLERS * PRIORITIES.length) this.#own.delete(oldest);
    return own;
  }
}

function keyOf(caller: string, priority: Priority): string {
  return `${priority} ${caller}`;
}
