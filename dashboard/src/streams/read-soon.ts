import { hashKey, type QueryKey } from '@tanstack/react-query';
import { queries } from '../api/queries.js';

/** What comes together has one reading, in milliseconds. */
const TOGETHER_MS = 250;
/** One reading in so long at most, in milliseconds. */
const ONCE_IN_MS = 5_000;
/** A reading that is under way may be too early: the next begins after it. Looked at so often, in milliseconds. */
const AGAIN_MS = 500;

const timers = new Map<string, number>();
const readAt = new Map<string, number>();

function read(key: QueryKey): void {
  const name = hashKey(key);
  timers.delete(name);
  if (document.visibilityState === 'hidden') {
    // Who looks reads: nobody else.
    const seen = (): void => {
      readSoon(key);
    };
    document.addEventListener('visibilitychange', seen, { once: true });
    return;
  }
  if (queries.isFetching({ queryKey: key }) > 0) {
    timers.set(name, setTimeout(read, AGAIN_MS, key));
    return;
  }
  readAt.set(name, Date.now());
  void queries.invalidateQueries({ queryKey: key });
}

/** Reads what is shown under a key once more: soon, and at most once in 5 s however often it is asked for. */
export function readSoon(key: QueryKey): void {
  const name = hashKey(key);
  if (timers.has(name)) return;
  const wait = (readAt.get(name) ?? 0) + ONCE_IN_MS - Date.now();
  timers.set(name, setTimeout(read, Math.max(TOGETHER_MS, wait), key));
}

/** The person has gone, and nothing is read for them any more. */
export function readNothing(): void {
  for (const timer of timers.values()) clearTimeout(timer);
  timers.clear();
  readAt.clear();
}
