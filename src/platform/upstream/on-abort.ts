import { setMaxListeners } from 'node:events';

/**
 * Calls `listener` once when `signal` aborts; the answer takes it away again. One signal may stand for many calls at once,
 * which is no leak and shall not be warned of as one.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => {
    signal.removeEventListener('abort', listener);
  };
}
