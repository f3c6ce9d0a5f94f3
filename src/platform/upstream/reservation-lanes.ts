import { AppError } from '../errors/app-error.js';
import { type AnySignal, onAbort } from './stop-signal.js';

/** More of them than these do not wait. */
const MOST_WAITING = 64;
const RETRY_SECONDS = 1;

interface Lane {
  running: number;
  /** In the order in which they came. */
  readonly waiting: Set<() => void>;
}

/** How long a call may wait. */
export interface LaneWait {
  /** By `performance.now()`. */
  readonly until: number;
  /** Aborts when the client has gone. */
  readonly signal: AnySignal | undefined;
}

/**
 * Lets few calls with one key run at once in an instance, in the order in which they came, so that one key never holds the pool of connections:
 * reservations of a bot (contract.md 5.12), changes of an order (5.16). A call enters before it waits for a place among the calls to its
 * exchange, so that what waits here holds none.
 */
export class ReservationLanes {
  readonly #lanes = new Map<string, Lane>();

  constructor(private readonly atOnce: number) {}

  /**
   * Waits for the key's turn; returns the function that ends it, once. Throws `rate_limited` where 64 wait already, where its time is over,
   * and where its client has gone.
   */
  async enter(key: string, wait: LaneWait): Promise<() => void> {
    const lane = this.#lanes.get(key) ?? { running: 0, waiting: new Set() };
    this.#lanes.set(key, lane);
    if (lane.running < this.atOnce) lane.running += 1;
    else await turnOf(lane, wait);
    let hasLeft = false;
    return () => {
      if (!hasLeft) this.#leave(key, lane);
      hasLeft = true;
    };
  }

  /** A turn that is given on stays taken. */
  #leave(key: string, lane: Lane): void {
    const [next] = lane.waiting;
    if (next !== undefined) {
      lane.waiting.delete(next);
      next();
      return;
    }
    lane.running -= 1;
    if (lane.running === 0) this.#lanes.delete(key);
  }
}

async function turnOf({ waiting }: Lane, { until, signal }: LaneWait): Promise<void> {
  if (waiting.size >= MOST_WAITING) throw tooMany('As many calls of this bot, or for this order, wait as may.');
  let forget = (): void => undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const drop = (): void => {
        waiting.delete(resolve);
        reject(tooMany('Other calls of this bot, or for this order, were before this one, and its time is over.'));
      };
      const timer = setTimeout(drop, Math.max(0, until - performance.now()));
      const forgetSignal = signal === undefined ? undefined : onAbort(signal, drop);
      forget = (): void => {
        clearTimeout(timer);
        forgetSignal?.();
      };
      if (signal?.aborted === true) drop();
      else waiting.add(resolve);
    });
  } finally {
    forget();
  }
}

function tooMany(why: string): AppError {
  return new AppError('rate_limited', `${why} Nothing was sent: send fewer at once.`, {
    retryAfterSeconds: RETRY_SECONDS,
  });
}
