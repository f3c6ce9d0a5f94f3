import { AppError } from '../../platform/errors/app-error.js';

/** Reservations of one bot that run at once in an instance, so that one bot never holds the pool of connections. */
const AT_ONCE = 2;
/** More of them than these do not wait. */
const MOST_WAITING = 64;
const RETRY_SECONDS = 1;

interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}

/** Lets reservations of one bot run two at a time, in the order in which they came (contract.md 5.12). */
export class ReservationLanes {
  readonly #lanes = new Map<string, Lane>();

  /** Throws `rate_limited` where 64 wait already. */
  async run<T>(botId: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(botId) ?? { running: 0, waiting: [] };
    this.#lanes.set(botId, lane);
    await enter(lane);
    try {
      return await work();
    } finally {
      const next = lane.waiting.shift();
      if (next !== undefined) next();
      else lane.running -= 1;
      if (lane.running === 0) this.#lanes.delete(botId);
    }
  }
}

/** A lane that is given on stays taken. */
async function enter(lane: Lane): Promise<void> {
  if (lane.running < AT_ONCE) {
    lane.running += 1;
    return;
  }
  if (lane.waiting.length >= MOST_WAITING) {
    const message = 'This bot has as many orders waiting as one may. Nothing was sent: send fewer at once.';
    throw new AppError('rate_limited', message, { retryAfterSeconds: RETRY_SECONDS });
  }
  await new Promise<void>((resolve) => {
    lane.waiting.push(resolve);
  });
}
