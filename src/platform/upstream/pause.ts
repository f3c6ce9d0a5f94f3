import type { Caller } from './callers.js';

/**
 * How long public reads of one host wait after a 429. At first the reads of the user who drew the 429 wait. Where a second user
 * draws one meanwhile, the reads of all wait: a single 429 may be caused by what its user asks for (contract.md 5, R-27).
 */
export class Pause {
  readonly #own = new Map<Caller, number>();
  #untilForAll = -Infinity;

  /** `now` is a clock in ms that only goes forward. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** 0 or less where there is none. */
  remainingMs(caller: Caller): number {
    return Math.max(this.#untilForAll, this.#own.get(caller) ?? -Infinity) - this.now();
  }

  /** At least so long from now on; never shortens. What the service itself draws (undefined) is no user's. */
  draw(caller: Caller, seconds: number): void {
    const now = this.now();
    const until = now + seconds * 1_000;
    for (const [name, end] of this.#own) if (end <= now) this.#own.delete(name);
    this.#own.set(caller, Math.max(until, this.#own.get(caller) ?? until));
    const users = [...this.#own.keys()].filter((name) => name !== undefined);
    if (users.length > 1) this.#untilForAll = Math.max(this.#untilForAll, until);
  }
}
