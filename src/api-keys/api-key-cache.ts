import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Optional } from '@nestjs/common';
import { Settings } from '../platform/config/settings.js';
import { ApiKeyCacheLease } from './api-key-cache-lease.js';
import type { ApiKeyFacts } from './api-keys.repository.js';

const MAX_ENTRIES = 10_000;
/** Timers may fire a little early; a revocation waits this much longer. */
const TIMER_SLACK_MS = 20;

/** A look-up that has begun: others may rely on it until then, by `performance.now()`. */
interface LookUp {
  readonly facts: Promise<ApiKeyFacts | null>;
  /** The same once they are there, of a live key. */
  live?: ApiKeyFacts;
  readonly usableUntil: number;
}

/**
 * Facts of live keys for `API_KEY_CACHE_TTL`, counted from before the query that read them, so that no instance trusts a
 * key for longer than that after its revocation was committed (contract.md 6, S-30). Refusals are never kept.
 *
 * A request that arrives while a look-up runs waits for that one, within the same time: a request that begins after a DELETE has answered
 * finds no look-up from before the commit, since the DELETE waited for that time to pass. With a time of 0 nothing is
 * shared, as a DELETE then waits for nothing.
 */
@Injectable()
export class ApiKeyCache {
  readonly #ttlMs: number;
  readonly #lookUps = new Map<string, LookUp>();

  /** Without a lease this instance is taken for the only one. */
  constructor(
    settings: Settings,
    @Optional() private readonly lease?: ApiKeyCacheLease,
  ) {
    this.#ttlMs = settings.apiKeyCacheTtlMs;
  }

  /** The facts under this hash, from the cache, from a look-up that runs, or by `read`. */
  async get(hash: string, read: () => Promise<ApiKeyFacts | null>): Promise<ApiKeyFacts | null> {
    const before = performance.now();
    const known = this.#lookUps.get(hash);
    if (known !== undefined && known.usableUntil > before) return known.facts;
    this.#lookUps.delete(hash);
    const usableUntil = Math.min(before + this.#ttlMs, this.lease?.trustedUntil ?? Infinity);
    if (usableUntil <= before) return read();
    const lookUp: LookUp = { facts: read(), usableUntil };
    this.#keep(hash, lookUp);
    await this.#dropRefusal(hash, lookUp);
    return lookUp.facts;
  }

  /** The facts under this hash where they are at hand and may be used; null where they would have to be read. */
  peek(hash: string): ApiKeyFacts | null {
    const known = this.#lookUps.get(hash);
    return known?.live !== undefined && known.usableUntil > performance.now() ? known.live : null;
  }

  /** Ends when no instance can still hold what was read before now. Call it after the commit. */
  async waitForKeyCacheExpiry(): Promise<void> {
    const longestMs = Math.max(this.#ttlMs, (await this.lease?.longestTtlMs()) ?? 0);
    if (longestMs > 0) await delay(longestMs + TIMER_SLACK_MS);
  }

  /** Only live keys are cached: the next request reads again what was null, revoked or unreadable. */
  async #dropRefusal(hash: string, lookUp: LookUp): Promise<void> {
    const facts = await lookUp.facts.catch(() => null);
    if (facts !== null && !facts.revoked) lookUp.live = facts;
    else if (this.#lookUps.get(hash) === lookUp) this.#lookUps.delete(hash);
  }

  #keep(hash: string, lookUp: LookUp): void {
    if (this.#lookUps.size >= MAX_ENTRIES) this.#dropOldest();
    this.#lookUps.set(hash, lookUp);
  }

  #dropOldest(): void {
    const [oldest] = this.#lookUps.keys();
    if (oldest !== undefined) this.#lookUps.delete(oldest);
  }
}
