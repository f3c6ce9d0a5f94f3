import type { Caller } from './callers.js';

/** What waits, by caller: callers have their turn one after another, and what one of them waits for comes in its order. */
export class Turns<Item> {
  /** Whose turn is next stands first. */
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

  /** The longest waiting item of the first caller in turn who `may`, who has had a turn then; the item stays. */
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

  /** What came last of the caller's. */
  lastOf(caller: Caller): Item | undefined {
    return [...(this.#lanes.get(caller) ?? [])].at(-1);
  }

  /** Who waits for most. */
  get longest(): Caller {
    let longest: Caller;
    for (const [caller, { size }] of this.#lanes) if (size > this.lengthOf(longest)) longest = caller;
    return longest;
  }
}
