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
  readonly timer: NodeJS.Timeout;
}

/** Values that may be used for a while. Where there are too many, or too many bytes, those kept first go first. */
export class ExpiringCache<Value> {
  readonly #entries = new Map<string, Expiring<Value>>();
  #bytes = 0;

  constructor(private readonly bounds: CacheBounds) {}

  /** Never returns what has come to its end. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.end > performance.now() ? entry.value : undefined;
  }

  /** Keeps a value of that many bytes until `end`; forgets what was kept under the key before. */
  set(key: string, value: Value, { bytes, end }: { readonly bytes: number; readonly end: number }): void {
    this.delete(key);
    const forget = (): void => {
      this.delete(key);
    };
    const timer = setTimeout(forget, Math.max(0, end - performance.now())).unref();
    this.#entries.set(key, { value, bytes, end, timer });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.bounds.entries && this.#bytes <= this.bounds.bytes) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    clearTimeout(entry.timer);
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }

  clear(): void {
    for (const key of this.#entries.keys()) this.delete(key);
  }
}
