import type { CallLimit } from './call-limit.js';
import { UpstreamError } from './upstream-client.js';

interface Waiter {
  readonly go: () => void;
  readonly refuse: () => void;
}

/** So many calls at once and so many waiting; orders go before reads, each in the order they came. */
export class Bulkhead {
  readonly #waiting: Readonly<Record<'order' | 'read', Set<Waiter>>> = { order: new Set(), read: new Set() };
  #inFlight = 0;

  constructor(
    private readonly maxInFlight: number,
    private readonly maxWaiting: number,
  ) {}

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#waiting.order.size + this.#waiting.read.size;
  }

  /**
   * Waits for a place, which `leave` gives back. Throws UpstreamError `busy` where too many wait already (an order then
   * takes the place of the read that came last), or what the limit says.
   */
  async enter(priority: 'order' | 'read', limit: CallLimit): Promise<void> {
    limit.throwIfOver();
    if (this.#inFlight < this.maxInFlight) {
      this.#inFlight++;
      return;
    }
    if (this.waiting >= this.maxWaiting) this.#makeRoom(priority);
    await this.#wait(this.#waiting[priority], limit);
  }

  /** Gives the place to who waits longest, orders first. */
  leave(): void {
    const { order, read } = this.#waiting;
    const [next] = order.size > 0 ? order : read;
    if (next === undefined) this.#inFlight--;
    else next.go();
  }

  #makeRoom(priority: 'order' | 'read'): void {
    const last = priority === 'order' ? [...this.#waiting.read].at(-1) : undefined;
    if (last === undefined) throw new UpstreamError('busy', false);
    last.refuse();
  }

  #wait(queue: Set<Waiter>, limit: CallLimit): Promise<void> {
    return new Promise((resolve, reject) => {
      const leaveQueue = (): void => {
        queue.delete(waiter);
        forget();
      };
      const forget = limit.onEnd(() => {
        leaveQueue();
        reject(limit.error(false));
      });
      const waiter: Waiter = {
        go: () => {
          leaveQueue();
          resolve();
        },
        refuse: () => {
          leaveQueue();
          reject(new UpstreamError('busy', false));
        },
      };
      queue.add(waiter);
    });
  }
}
