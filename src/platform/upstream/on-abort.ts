import { setMaxListeners } from 'node:events';

/**
 * Calls `listener` once when `signal` aborts; returns the function that removes it. One signal may serve many calls at once:
 * that is no leak, so Node's warning is off.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => {
    signal.removeEventListener('abort', listener);
  };
}
