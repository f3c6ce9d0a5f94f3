import { LRUCache } from 'lru-cache';

/** What one answer has said is believed for so long, in ms: then it is read anew (contract.md 5). */
const KEPT_MS = 3_600_000;

interface Kept<Value> {
  readonly value: Value;
  readonly endsAtMs: number;
}

/** A bounded map whose entries end an hour after they were set, however often they are used. */
export class KeptFacts<Key extends string, Value> {
  readonly #entries: LRUCache<Key, Kept<Value>>;

  /** `nowMs` is a clock that never goes back. */
  constructor(
    capacity: number,
    private readonly nowMs: () => number,
  ) {
    this.#entries = new LRUCache({ max: capacity });
  }

  get(key: Key): Value | undefined {
    return this.#live(key)?.value;
  }

  set(key: Key, value: Value): void {
    this.#entries.set(key, { value, endsAtMs: this.nowMs() + KEPT_MS });
  }

  /** Replaces a value that is kept, where there is one; its end stays. */
  amend(key: Key, amended: (value: Value) => Value): void {
    const kept = this.#live(key);
    if (kept !== undefined) this.#entries.set(key, { ...kept, value: amended(kept.value) });
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }

  #live(key: Key): Kept<Value> | undefined {
    const kept = this.#entries.get(key);
    return kept !== undefined && this.nowMs() < kept.endsAtMs ? kept : undefined;
  }
}
