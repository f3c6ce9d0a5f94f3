/** What a cache holds at most. */
export interface CacheBounds {
  readonly entries: number;
  readonly bytes: number;
}

/** A value, its size, and until when it may be used, by `performance.now()`. */
interface Expiring<Value> {
  readonly value: Value;
  readonly bytes: number;
  readonly end: number;
}

/**
 * Values that may be used for a while. Where there are too many, or too many bytes, those kept first go first. What has come to its
 * end is let go of with those kept before it: one timer serves all, since there are thousands a second.
 */
export class ExpiringCache<Value> {
  readonly #entries = new Map<string, Expiring<Value>>();
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly bounds: CacheBounds) {}

  /** How much is kept, what has just come to its end among it. */
  get size(): CacheBounds {
    return { entries: this.#entries.size, bytes: this.#bytes };
  }

  /** Never returns what has come to its end. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.end > performance.now() ? entry.value : undefined;
  }

  /** Keeps a value of that many bytes until `end`; forgets what was kept under the key before. */
  set(key: string, value: Value, { bytes, end }: { readonly bytes: number; readonly end: number }): void {
    this.delete(key);
    this.#entries.set(key, { value, bytes, end });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.bounds.entries && this.#bytes <= this.bounds.bytes) break;
      this.delete(oldest);
    }
    this.#schedule();
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }

  clear(): void {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    this.#entries.clear();
    this.#bytes = 0;
  }

  /** Wakes when the value kept first comes to its end. */
  #schedule(): void {
    if (this.#timer !== null) return;
    const [first] = this.#entries.values();
    if (first === undefined) return;
    const letGo = (): void => {
      this.#timer = null;
      for (const [key, { end }] of this.#entries) {
        if (end > performance.now()) break;
        this.delete(key);
      }
      this.#schedule();
    };
    this.#timer = setTimeout(letGo, Math.max(1, Math.ceil(first.end - performance.now()))).unref();
  }
}
