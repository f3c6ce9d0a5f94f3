import type { Callers } from './callers.js';
import type { CallLimit } from './call-limit.js';
import { FairQueue } from './fair-queue.js';
import { UpstreamError } from './upstream-client.js';

/** The most attempts that wait; of them one caller has at most as many as there is room left. */
const MOST_WAITING = 400;

/** The part of a second's attempts that may leave at once; the others leave evenly. */
const BURST_SHARE = 0.2;
/** The part that is left unused, since what leaves evenly may arrive unevenly. */
const SLACK_SHARE = 0.15;

/** What one attempt may wait for. */
interface PacedCall {
  readonly callers: Callers;
  readonly limit: CallLimit;
}

/** Limits the attempts of all callers to a number a second; callers take turns. */
export class Pace {
  readonly #burst: number;
  readonly #perMs: number;
  /** How many may leave at once, as of `#countedAt`; may have a fraction. */
  #free: number;
  #countedAt: number;
  readonly #queue = new FairQueue<() => void>();
  #waiting = 0;
  #timer: NodeJS.Timeout | null = null;

  /** `now` is a clock in ms that only goes forward. */
  constructor(
    perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#burst = Math.max(1, Math.floor(perSecond * BURST_SHARE));
    this.#perMs = (perSecond * (1 - SLACK_SHARE) - this.#burst) / 1_000;
    this.#free = this.#burst;
    this.#countedAt = now();
  }

  /** Waits for the attempt's turn. Throws UpstreamError `busy` where too many wait already, or the error of the limit. */
  async enter({ callers, limit }: PacedCall): Promise<void> {
    limit.throwIfOver();
    if (this.#waiting === 0 && this.#waitMs <= 0) {
      this.#leave();
      return;
    }
    const [caller] = callers;
    if (this.#queue.lengthOf(caller) >= MOST_WAITING - this.#waiting) throw new UpstreamError('busy', false);
    await new Promise<void>((resolve, reject) => {
      const end = (): void => {
        this.#waiting -= 1;
        this.#queue.delete(caller, go);
        forget();
      };
      const go = (): void => {
        end();
        resolve();
      };
      const forget = limit.onEnd(() => {
        end();
        reject(limit.error(false));
      });
      this.#queue.add(caller, go);
      this.#waiting += 1;
      this.#schedule();
    });
  }

  /** 0 where one may leave now. */
  get #waitMs(): number {
    const now = this.now();
    this.#free = Math.min(this.#burst, this.#free + (now - this.#countedAt) * this.#perMs);
    this.#countedAt = now;
    return this.#free >= 1 ? 0 : (1 - this.#free) / this.#perMs;
  }

  #leave(): void {
    this.#free -= 1;
  }

  #schedule(): void {
    if (this.#timer !== null || this.#waiting === 0) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#letGo();
        this.#schedule();
      },
      Math.max(1, Math.ceil(this.#waitMs)),
    ).unref();
  }

  #letGo(): void {
    while (this.#waitMs <= 0) {
      const next = this.#queue.next(() => true);
      if (next === undefined) return;
      this.#leave();
      next.item();
    }
  }
}
