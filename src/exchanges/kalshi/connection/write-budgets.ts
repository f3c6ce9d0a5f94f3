import { LRUCache } from 'lru-cache';
import { z } from 'zod';

/** An order costs 10 tokens of a bucket that holds 100 of them at least, and gets 100 a second (kalshi.md 10). */
const COST = 10;
const FEWEST = 10;
export const PAUSE_OF_ONE_MS = 100;

/** Members change their tier seldom; what could not be read is asked for again after a minute. */
const KNOWN_MS = 3_600_000;
const UNKNOWN_MS = 60_000;
const MOST_KEYS = 10_000;

/** `GET /account/limits`, as much of it as is used. */
export const wireLimits = z.object({ write: z.object({ bucket_capacity: z.number() }) });
export type WireLimits = z.infer<typeof wireLimits>;

/** How many orders the write bucket of each member holds; learned beside the first batch that has more than the smallest holds. */
export class WriteBudgets {
  readonly #holds = new LRUCache<string, number>({ max: MOST_KEYS, ttl: KNOWN_MS });

  /** The most orders of a call where so many are to leave. `key` is a digest of the API key; nobody waits for `read`. */
  mostOf(key: string, count: number, read: () => Promise<WireLimits>): number {
    const known = this.#holds.get(key);
    if (known === undefined && count > FEWEST) void this.#learn(key, read);
    return known ?? FEWEST;
  }

  async #learn(key: string, read: () => Promise<WireLimits>): Promise<void> {
    this.#holds.set(key, FEWEST, { ttl: UNKNOWN_MS });
    const limits = await read().catch(() => null);
    if (limits !== null) this.#holds.set(key, Math.max(1, Math.floor(limits.write.bucket_capacity / COST)));
  }
}
