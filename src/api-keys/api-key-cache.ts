import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Settings } from '../platform/config/settings.js';
import type { ApiKeyFacts } from './api-keys.repository.js';

const MAX_ENTRIES = 10_000;
/** Timers may fire a little early; a revocation waits this much longer. */
const TIMER_SLACK_MS = 20;

interface Entry {
  readonly facts: ApiKeyFacts;
  readonly expiresAt: number;
}

/**
 * Facts of live keys for `API_KEY_CACHE_TTL`, counted from before the query that read them, so that no instance trusts a
 * key for longer than that after its revocation was committed (DESIGN 6, S-30). Refusals are never kept.
 */
@Injectable()
export class ApiKeyCache {
  readonly #ttlMs: number;
  readonly #entries = new Map<string, Entry>();

  constructor(settings: Settings) {
    this.#ttlMs = settings.apiKeyCacheTtlMs;
  }

  /** The facts under this hash, from the cache or by `read`. */
  async get(hash: string, read: () => Promise<ApiKeyFacts | null>): Promise<ApiKeyFacts | null> {
    const before = performance.now();
    const known = this.#entries.get(hash);
    if (known !== undefined && known.expiresAt > before) return known.facts;
    this.#entries.delete(hash);
    const facts = await read();
    if (facts !== null && !facts.revoked) this.#keep(hash, { facts, expiresAt: before + this.#ttlMs });
    return facts;
  }

  /** Ends when no instance can still hold what was read before now. Call it after the commit. */
  async outlive(): Promise<void> {
    if (this.#ttlMs > 0) await delay(this.#ttlMs + TIMER_SLACK_MS);
  }

  #keep(hash: string, entry: Entry): void {
    if (this.#ttlMs === 0) return;
    if (this.#entries.size >= MAX_ENTRIES) this.#dropOldest();
    this.#entries.set(hash, entry);
  }

  #dropOldest(): void {
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
