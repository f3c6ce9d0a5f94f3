import type { Caller } from './callers.js';

/** A queue that serves callers in turn (round robin), and the items of one caller in their order. */
export class FairQueue<Item> {
  /** The items of each caller; the caller whose turn is next is the first entry. */
  readonly #lanes = new Map<Caller, Set<Item>>();

  add(caller: Caller, item: Item): void {
    const lane = this.#lanes.get(caller);
    if (lane === undefined) this.#lanes.set(caller, new Set([item]));
    else lane.add(item);
  }

  delete(caller: Caller, item: Item): void {
    const lane = this.#lanes.get(caller);
    lane?.delete(item);
    if (lane?.size === 0) this.#lanes.delete(caller);
  }

  /**
   * Returns the oldest item of the next caller in turn that `may` allows, and ends the turn of this caller; the item stays in
   * the queue.
   */
  next(may: (caller: Caller) => boolean): { readonly caller: Caller; readonly item: Item } | undefined {
    for (const [caller, lane] of this.#lanes) {
      const [item] = lane;
      if (item === undefined || !may(caller)) continue;
      this.#lanes.delete(caller);
      this.#lanes.set(caller, lane);
      return { caller, item };
    }
    return undefined;
  }

  lengthOf(caller: Caller): number {
    return this.#lanes.get(caller)?.size ?? 0;
  }

  /** The caller's newest item. */
  lastOf(caller: Caller): Item | undefined {
    return [...(this.#lanes.get(caller) ?? [])].at(-1);
  }

  /** The caller with the most items. */
  get longest(): Caller {
    let longest: Caller;
    for (const [caller, { size }] of this.#lanes) if (size > this.lengthOf(longest)) longest = caller;
    return longest;
  }
}
