import type { Caller, Callers } from './callers.js';
import type { CallLimit } from './call-limit.js';
import { PRIORITIES, type Priority } from './priority.js';
import { FairQueue } from './fair-queue.js';
import { UpstreamError } from './upstream-client.js';

/** One call that asks for a place. */
export interface AdmissionRequest {
  readonly priority: Priority;
  readonly callers: Callers;
  readonly limit: CallLimit;
}

interface Waiter {
  /** Takes a place, on the share of this caller. */
  readonly go: (caller: Caller) => void;
  readonly refuse: () => void;
}

/**
 * How many places a caller may hold for each one that is free, by the priority of the next call. So one caller's reads never
 * take more than half of all places, orders two thirds and cancels four fifths; n callers who ask for all they can get hold
 * 1/(n+1) each for reads; and each newcomer finds at least half of what is free ("dynamic thresholds", Choudhury and Hahne
 * 1998). So cancels find places that the caller's own reads cannot take.
 */
const SHARES: Readonly<Record<Priority, number>> = { cancel: 4, order: 2, read: 1, background: 1 };

/**
 * Bounds how many calls run at once and how many wait. Cancels go before orders, orders before reads, and reads before
 * what nobody waits for at a screen;
 * within each, callers take turns, and no caller takes the share of the others. Calls of the service itself are
 * bounded only by what is free.
 */
export class Bulkhead {
  readonly #queues: Readonly<Record<Priority, FairQueue<Waiter>>> = {
    cancel: new FairQueue(),
    order: new FairQueue(),
    read: new FairQueue(),
    background: new FairQueue(),
  };
  readonly #held = new Map<string, number>();
  #inFlight = 0;
  #waiting = 0;

  constructor(
    private readonly maxInFlight: number,
    private readonly maxWaiting: number,
  ) {}

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Waits for a place; returns the function that frees it, once. Throws UpstreamError `busy` where too many wait already, or
   * too many of the callers' own (a call then replaces the newest less urgent one), or the error of the limit.
   */
  async enter(request: AdmissionRequest): Promise<() => void> {
    request.limit.throwIfOver();
    const caller = this.#goAtOnce(request) ?? (await this.#wait(request));
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#leave(caller.name);
    };
  }

  #goAtOnce({ priority, callers }: AdmissionRequest): { readonly name: Caller } | null {
    for (const name of callers) {
      if (!this.#mayHold(priority, name)) continue;
      this.#take(name);
      return { name };
    }
    return null;
  }

  /** A call that waits may not take a place now, so a newcomer that may overtakes nobody. */
  #mayHold(priority: Priority, caller: Caller): boolean {
    const free = this.maxInFlight - this.#inFlight;
    return caller === undefined ? free > 0 : (this.#held.get(caller) ?? 0) < free * SHARES[priority];
  }

  /** Room to wait is shared as places are, for all priorities alike. */
  #mayWait(caller: Caller): boolean {
    const free = this.maxWaiting - this.#waiting;
    if (caller === undefined) return free > 0;
    return PRIORITIES.reduce((sum, each) => sum + this.#queues[each].lengthOf(caller), 0) < free;
  }

  #take(caller: Caller): void {
    this.#inFlight++;
    if (caller !== undefined) this.#held.set(caller, (this.#held.get(caller) ?? 0) + 1);
  }

  #leave(caller: Caller): void {
    this.#inFlight--;
    if (caller !== undefined) {
      const held = (this.#held.get(caller) ?? 0) - 1;
      if (held > 0) this.#held.set(caller, held);
      else this.#held.delete(caller);
    }
    while (this.#letOneIn());
  }

  #letOneIn(): boolean {
    for (const priority of PRIORITIES) {
      const next = this.#queues[priority].next((caller) => this.#mayHold(priority, caller));
      if (next === undefined) continue;
      this.#take(next.caller);
      next.item.go(next.caller);
      return true;
    }
    return false;
  }

  /**
   * Refuses the caller's newest call of the least priority; where all room is taken, such a call of the caller with most calls.
   */
  #makeRoom(priority: Priority, caller: Caller): void {
    const isFull = this.#waiting >= this.maxWaiting;
    for (const less of PRIORITIES.slice(PRIORITIES.indexOf(priority) + 1).reverse()) {
      const queue = this.#queues[less];
      const last = queue.lastOf(caller) ?? (isFull ? queue.lastOf(queue.longest) : undefined);
      if (last === undefined) continue;
      last.refuse();
      return;
    }
    throw new UpstreamError('busy', false);
  }

  /** Waits until it has taken a place for one of the callers. */
  async #wait({ priority, callers, limit }: AdmissionRequest): Promise<{ readonly name: Caller }> {
    const [first] = callers;
    if (![...callers].some((name) => this.#mayWait(name))) this.#makeRoom(priority, first);
    const queue = this.#queues[priority];
    return new Promise((resolve, reject) => {
      const forget = [
        limit.onEnd(() => {
          end();
          reject(limit.error(false));
        }),
        callers.onJoin((name) => {
          if (this.#mayHold(priority, name)) {
            this.#take(name);
            waiter.go(name);
          } else if (this.#mayWait(name)) queue.add(name, waiter);
        }),
      ];
      const end = (): void => {
        this.#waiting--;
        for (const name of callers) queue.delete(name, waiter);
        for (const each of forget) each();
      };
      const waiter: Waiter = {
        go: (name) => {
          end();
          resolve({ name });
        },
        refuse: () => {
          end();
          reject(new UpstreamError('busy', false));
        },
      };
      const lanes = [...callers].filter((name) => this.#mayWait(name));
      for (const name of lanes.length > 0 ? lanes : [first]) queue.add(name, waiter);
      this.#waiting++;
    });
  }
}
