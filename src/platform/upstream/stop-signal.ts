import { setMaxListeners } from 'node:events';

/**
 * Signals once that work is to end, as an AbortSignal does, at a small part of its cost: each read of market data is waited for at
 * several places, and nearly none of them ends early. With AbortSignals an order book costs 9 % more CPU (2026-11-26,
 * docs/performance.md).
 */
export class StopSignal {
  readonly #listeners = new Set<() => void>();
  #aborted = false;

  get aborted(): boolean {
    return this.#aborted;
  }

  abort(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /** Calls `listener` when it aborts; returns the function that removes it. */
  onAbort(listener: () => void): () => void {
    if (!this.#aborted) this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}

/** What may end work early. */
export type AnySignal = AbortSignal | StopSignal;

/**
 * Calls `listener` once when `signal` aborts; returns the function that removes it. One signal may serve many calls at once:
 * that is no leak, so Node's warning is off.
 */
export function onAbort(signal: AnySignal, listener: () => void): () => void {
  if (signal instanceof StopSignal) return signal.onAbort(listener);
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => {
    signal.removeEventListener('abort', listener);
  };
}

/** Returns what `call` returns; throws `reason` once `signal` aborts, without a call where it has. What was called goes on. */
export async function unlessAborted<T>(signal: AnySignal, call: () => Promise<T>, reason: () => Error): Promise<T> {
  if (signal.aborted) throw reason();
  let forget: () => void = () => undefined;
  const end = new Promise<never>((_, reject) => {
    forget = onAbort(signal, () => {
      reject(reason());
    });
  });
  try {
    return await Promise.race([end, call()]);
  } finally {
    forget();
  }
}

/** `AbortSignal.any` holds its sources weakly: a deadline that nobody else holds would be collected and never come. */
const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>();

/** An AbortSignal that aborts as soon as one of `signals` does. */
export function anyOf(...signals: readonly AnySignal[]): AbortSignal {
  const each = signals.map(toAbortSignal);
  const any = AbortSignal.any(each);
  sources.set(any, each);
  return any;
}

function toAbortSignal(signal: AnySignal): AbortSignal {
  if (!(signal instanceof StopSignal)) return signal;
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort();
  };
  onAbort(signal, abort);
  if (signal.aborted) abort();
  return controller.signal;
}
