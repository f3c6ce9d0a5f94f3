import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../../platform/errors/app-error.js';
import { withReadLimit } from '../../../platform/upstream/call-context.js';
import { type StopSignal, unlessAborted } from '../../../platform/upstream/stop-signal.js';

/** How long to ask again and how long to pause between, in ms. */
export interface Patience {
  readonly totalMs: number;
  readonly pauseMs: number;
}

/** The call was ended before anything was answered: by time, or because the client left. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';

  constructor(readonly isLate: boolean) {
    super('nothing was answered in time');
  }
}

/**
 * Returns what `ask` returns once it does not throw an AppError any more; throws its last one where the time is over, and
 * UnansweredError where there was none or the client has left. All waits end with the time or the client.
 */
export function askAgain<T>(ask: () => Promise<T>, { totalMs, pauseMs }: Patience): Promise<T> {
  const endsAt = performance.now() + totalMs;
  return withReadLimit(totalMs, async (deadline, over) => {
    let last: AppError | null = null;
    for (;;) {
      try {
        return await unlessOver(ask, over);
      } catch (error) {
        if (over.aborted) throw deadline.aborted && last !== null ? last : new UnansweredError(deadline.aborted);
        if (!(error instanceof AppError)) throw error;
        last = error;
      }
      const waitMs = pauseAfter(last, pauseMs);
      if (performance.now() + waitMs >= endsAt) throw last;
      await unlessOver(() => delay(waitMs, undefined, { ref: false }), over).catch(() => undefined);
    }
  });
}

/** Returns what `call` returns; throws UnansweredError where that takes longer, or the client has left. */
export function inTime<T>(call: () => Promise<T>, limitMs: number): Promise<T> {
  return withReadLimit(limitMs, async (deadline, over) => {
    try {
      return await unlessOver(call, over);
    } catch (error) {
      throw over.aborted ? new UnansweredError(deadline.aborted) : error;
    }
  });
}

/** A call that has been sent is left alone: what it does holds, only nobody waits for it. */
function unlessOver<T>(call: () => Promise<T>, over: StopSignal): Promise<T> {
  return unlessAborted(over, call, () => new UnansweredError(false));
}

function pauseAfter({ retryAfterSeconds = 0 }: AppError, pauseMs: number): number {
  return Math.max(pauseMs, retryAfterSeconds * 1_000);
}
