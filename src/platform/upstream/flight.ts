import { type Caller, Callers } from './callers.js';
import { type AnySignal, onAbort, StopSignal } from './stop-signal.js';
import { UpstreamError } from './upstream-client.js';

/** Work that several wait for: each ends its own wait, and the work ends with the last of them. */
export class Flight<Result> {
  readonly #callers: Callers;
  readonly #ending = new StopSignal();
  readonly #result: Promise<Result>;
  #waiting = 0;
  #isOver = false;

  /** Starts the work; `signal` ends it, and `callers` are all that wait for it. */
  constructor(first: Caller, work: (signal: StopSignal, callers: Callers) => Promise<Result>) {
    this.#callers = new Callers(first);
    this.#result = work(this.#ending, this.#callers);
    const land = (): void => {
      this.#isOver = true;
    };
    this.#result.then(land, land);
  }

  /** Waits for the result on behalf of `callers`; throws UpstreamError `aborted` where `signal` ends the wait. */
  join(callers: Callers, signal: AnySignal | undefined): Promise<Result> {
    return new Promise((resolve, reject) => {
      const leave = this.#count(callers);
      const giveUp = (): void => {
        leave();
        reject(new UpstreamError('aborted', true));
      };
      const forget = signal && onAbort(signal, giveUp);
      const stopWaiting = (): void => {
        forget?.();
        leave();
      };
      this.#result.then(stopWaiting, stopWaiting);
      this.#result.then(resolve, reject);
      if (signal?.aborted) giveUp();
    });
  }

  /** Whether the work was stopped, since nobody waits for it any more. */
  get isAbandoned(): boolean {
    return this.#ending.aborted;
  }

  /** Counts one who waits; returns the function that counts them out, once. */
  #count(callers: Callers): () => void {
    this.#waiting += 1;
    for (const name of callers) this.#callers.join(name);
    const forget = callers.onJoin((name) => {
      this.#callers.join(name);
    });
    let isCounted = true;
    return () => {
      if (!isCounted) return;
      isCounted = false;
      forget();
      this.#waiting -= 1;
      if (this.#waiting === 0 && !this.#isOver) this.#ending.abort();
    };
  }
}
