import { setTimeout as delay } from 'node:timers/promises';
import { type AnySignal, onAbort } from './stop-signal.js';
import { UpstreamError } from './upstream-client.js';

/** The reason why a call ended without an answer. */
type Ending = 'timeout' | 'aborted';

/**
 * The limit on all waits of one call together: queue, pause before a retry, connection, answer. It ends them when the time
 * is up or the client disconnects.
 */
export class CallLimit {
  readonly #listeners = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;
  readonly #endsAt: number;
  #forgetCaller: () => void = () => undefined;
  #ending: Ending | null = null;

  constructor(totalMs: number, caller: AnySignal | undefined) {
    this.#endsAt = performance.now() + totalMs;
    this.#timer = setTimeout(() => {
      this.end('timeout');
    }, totalMs);
    if (caller === undefined) return;
    const onCallerGone = (): void => {
      this.end('aborted');
    };
    this.#forgetCaller = onAbort(caller, onCallerGone);
    if (caller.aborted) onCallerGone();
  }

  /** 0 or less where the time is up. */
  get remainingMs(): number {
    return this.#endsAt - performance.now();
  }

  /** Throws where the call is over already; nothing has been sent then. */
  throwIfOver(): void {
    if (this.#ending !== null) throw this.error(false);
  }

  /** Calls `listener` when the call ends, if it has not ended yet; returns the function that removes it. */
  onEnd(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  error(sent: boolean): UpstreamError {
    return new UpstreamError(this.#ending ?? 'timeout', sent);
  }

  /** Ends all waits, once. */
  end(ending: Ending): void {
    if (this.#ending !== null) return;
    this.#ending = ending;
    for (const listener of this.#listeners) listener();
  }

  /** From now on only the time can end the call (an order that is on its way, R-16). */
  keepWithoutCaller(): void {
    this.#forgetCaller();
  }

  /** The result of `work`; throws when the call is over before. `sent` is what is true of the request meanwhile. */
  within<T>(work: Promise<T>, sent: boolean): Promise<T> {
    return new Promise((resolve, reject) => {
      const refuse = (): void => {
        reject(this.error(sent));
      };
      const forget = this.onEnd(refuse);
      work.then(forget, forget);
      if (this.#ending !== null) refuse();
      work.then(resolve, reject);
    });
  }

  /** Waits; throws when the call is over before. */
  async sleep(ms: number): Promise<void> {
    await this.within(delay(ms, undefined, { ref: false }), false);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.keepWithoutCaller();
  }
}
