import { type Caller, Callers } from './callers.js';
import { onAbort } from './on-abort.js';
import { UpstreamError } from './upstream-client.js';

/** Work that several wait for: each ends its own wait, and the work ends with the last of them. */
export class Flight<Result> {
  readonly #callers: Callers;
  readonly #ending = new AbortController();
  readonly #result: Promise<Result>;
  #waiting = 0;
  #isOver = false;

  /** Starts the work; `signal` ends it, and `callers` are all that wait for it. */
  constructor(first: Caller, work: (signal: AbortSignal, callers: Callers) => Promise<Result>) {
    this.#callers = new Callers(first);
    this.#result = work(this.#ending.signal, this.#callers);
    const land = (): void => {
      this.#isOver = true;
    };
    this.#result.then(land, land);
  }

  /** Waits for the result on behalf of `callers`; throws UpstreamError `aborted` where `signal` ends the wait. */
  async join(callers: Callers, signal: AbortSignal | undefined): Promise<Result> {
    const forget = this.#count(callers);
    try {
      return await (signal === undefined ? this.#result : this.#until(signal));
    } finally {
      forget();
      this.#waiting -= 1;
      if (this.#waiting === 0 && !this.#isOver) this.#ending.abort();
    }
  }

  /** Whether nobody waits any more, so that the work was told to end. */
  get isAbandoned(): boolean {
    return this.#ending.signal.aborted;
  }

  #count(callers: Callers): () => void {
    this.#waiting += 1;
    for (const name of callers) this.#callers.join(name);
    return callers.onJoin((name) => {
      this.#callers.join(name);
    });
  }

  async #until(signal: AbortSignal): Promise<Result> {
    let forget: () => void = () => undefined;
    const gone = new Promise<never>((_, reject) => {
      const refuse = (): void => {
        reject(new UpstreamError('aborted', true));
      };
      forget = onAbort(signal, refuse);
      if (signal.aborted) refuse();
    });
    try {
      return await Promise.race([this.#result, gone]);
    } finally {
      forget();
    }
  }
}
