import { Breaker, type BreakerState, type Outcome } from './breaker.js';
import type { Caller, Callers } from './callers.js';
import type { Priority } from './priority.js';
import { BREAKER_MAX_CALLERS, BREAKER_MAX_TRIALS } from './upstream.constants.js';
import { UpstreamError } from './upstream-client.js';

/**
 * Each priority has one breaker for all callers and one for each caller. Reads that fail hold back neither orders nor cancels,
 * since one route of a server may be broken; what fails for one caller stops that caller's calls alone, since the cause may be
 * the account or the question; what fails for several stops everybody's.
 */
export class Breakers {
  readonly #groups: Readonly<Record<Priority, Group>>;

  /** `name` is for the log; `now` is a clock in ms that only goes forward. */
  constructor(name: string, now: () => number = () => performance.now()) {
    this.#groups = {
      // Each caller may try a cancel, however many do.
      cancel: new Group(`${name} for cancels`, now, Infinity),
      order: new Group(`${name} for orders`, now),
      read: new Group(`${name} for reads`, now),
    };
  }

  /** By priority: `open` where its calls are stopped for all, or for each caller who called lately. */
  get states(): Readonly<Record<Priority, BreakerState>> {
    const { cancel, order, read } = this.#groups;
    return { cancel: cancel.state, order: order.state, read: read.state };
  }

  /** Throws UpstreamError `paused` where a call for none of the callers may be made now; counts nothing. */
  check(callers: Callers, priority: Priority): void {
    this.#groups[priority].firstAllowed(callers);
  }

  /** As `check`; lets one call go for a caller who may, and returns the function that records its outcome, once. */
  enter(callers: Callers, priority: Priority): (outcome: Outcome) => void {
    return this.#groups[priority].enter(callers);
  }
}

/** The breakers of one priority. */
class Group {
  readonly #all: Breaker;
  /** That of the caller who called longest ago stands first. */
  readonly #own = new Map<string, Breaker>();

  constructor(
    private readonly name: string,
    private readonly now: () => number,
    maxTrials = BREAKER_MAX_TRIALS,
  ) {
    this.#all = new Breaker(name, now, maxTrials);
  }

  get state(): BreakerState {
    if (this.#all.state !== 'closed') return this.#all.state;
    const states = [...this.#own.values()].filter(({ isIdle }) => !isIdle).map(({ state }) => state);
    if (states.length === 0 || states.includes('closed')) return 'closed';
    return states.includes('open') ? 'open' : 'half_open';
  }

  firstAllowed(callers: Callers): { caller: Caller; own: Breaker | undefined } {
    let refusal: UpstreamError | null = null;
    for (const caller of callers) {
      const own = caller === undefined ? undefined : this.#of(caller);
      refusal = this.#all.refusal(caller) ?? own?.refusal(undefined) ?? null;
      if (refusal === null) return { caller, own };
    }
    throw refusal ?? new UpstreamError('paused', false);
  }

  enter(callers: Callers): (outcome: Outcome) => void {
    const { caller, own } = this.firstAllowed(callers);
    const recorders = [this.#all.enter(caller), ...(own ? [own.enter(undefined)] : [])];
    return (outcome) => {
      for (const record of recorders) record(outcome);
    };
  }

  #of(caller: string): Breaker {
    const own = this.#own.get(caller) ?? new Breaker(`${this.name} of one caller`, this.now);
    this.#own.delete(caller);
    this.#own.set(caller, own);
    const [oldest = caller] = this.#own.keys();
    if (this.#own.size > BREAKER_MAX_CALLERS) this.#own.delete(oldest);
    return own;
  }
}
