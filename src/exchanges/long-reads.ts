import { Injectable } from '@nestjs/common';
import { Settings } from '../platform/config/settings.js';
import { AppError } from '../platform/errors/app-error.js';
import { currentCallContext, withReadLimit } from '../platform/upstream/call-context.js';
import { onAbort, type StopSignal } from '../platform/upstream/stop-signal.js';

/** The most long reads of one user at once; further ones wait. */
const AT_ONCE = 2;

/** Errors that are thrown as they are, also where the time is up. */
const OURS: ReadonlySet<string> = new Set(['idempotency_in_progress', 'rate_limited']);

/** Such a share of its time a long read may wait for others of its user. */
const MOST_WAITING_SHARE = 0.9;

/** The long reads of one user, running and waiting. */
interface Lane {
  running: number;
  readonly waiting: Set<() => void>;
}

/** Runs a part of a long read. */
export type ReadInParts = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Reads of many pages for one answer: the listing part of a cancel-all, and look-ups of orders. At most two of a user run at
 * once in a process, each ends within `UPSTREAM_TIMEOUT`, waiting included, and with its client.
 */
@Injectable()
export class LongReads {
  readonly #lanes = new Map<string, Lane>();
  readonly #limitMs: number;

  constructor(settings: Settings) {
    this.#limitMs = settings.upstreamTimeoutMs;
  }

  /**
   * The result of `work`, whose reads end in time. Throws `exchange_timeout` where they do not come to an end, and
   * `rate_limited` where two others of the user take all of the time.
   */
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.#runWithin(this.#limitMs, work);
  }

  /** Like `run`, for a read in several parts with other work between them: all parts together have the time of one read. */
  inParts(): ReadInParts {
    let leftMs = this.#limitMs;
    return async (work) => {
      if (leftMs <= 0) throw timedOut();
      const startedAt = performance.now();
      try {
        return await this.#runWithin(leftMs, work);
      } finally {
        leftMs -= performance.now() - startedAt;
      }
    };
  }

  async #runWithin<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
    return withReadLimit(limitMs, async (deadline, signal) => {
      const { caller = '' } = currentCallContext() ?? {};
      const askedAt = performance.now();
      const leave = await this.#enter(caller, signal);
      try {
        // What hardly has time left after its wait is not begun.
        if (performance.now() - askedAt > limitMs * MOST_WAITING_SHARE) throw tooManyAtOnce();
        const result = await work();
        // What follows a listing, such as the first cancel, is no more begun for a client that has gone.
        if (signal.aborted) throw timedOut();
        return result;
      } catch (error) {
        throw deadline.aborted ? asTimedOut(error) : error;
      } finally {
        leave();
      }
    });
  }

  /** Waits for a place of the user's; the returned function frees it. */
  async #enter(caller: string, signal: StopSignal): Promise<() => void> {
    const lane = this.#lanes.get(caller) ?? { running: 0, waiting: new Set() };
    this.#lanes.set(caller, lane);
    if (lane.running >= AT_ONCE) await this.#wait(lane, signal);
    else lane.running += 1;
    return () => {
      const [next] = lane.waiting;
      if (next !== undefined) next();
      else {
        lane.running -= 1;
        if (lane.running === 0) this.#lanes.delete(caller);
      }
    };
  }

  /** Resolves with a place that another leaves. */
  #wait(lane: Lane, signal: StopSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = (): void => {
        lane.waiting.delete(go);
        forget();
        resolve();
      };
      const giveUp = (): void => {
        lane.waiting.delete(go);
        reject(tooManyAtOnce());
      };
      const forget = onAbort(signal, giveUp);
      lane.waiting.add(go);
      if (signal.aborted) giveUp();
    });
  }
}

function tooManyAtOnce(): AppError {
  const message = 'Two other look-ups or cancel-alls of yours still run. Repeat the call shortly.';
  return new AppError('rate_limited', message, { retryAfterSeconds: 1 });
}

/** What ended because the time was up says so. */
function asTimedOut(error: unknown): unknown {
  return error instanceof AppError && !OURS.has(error.code) ? timedOut(error) : error;
}

function timedOut(cause?: AppError): AppError {
  return new AppError('exchange_timeout', 'The exchange did not list the orders in time. Try again.', { cause });
}
