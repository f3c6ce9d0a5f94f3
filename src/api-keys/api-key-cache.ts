import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Optional } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Settings } from '../platform/config/settings.js';
import { Tally } from '../platform/metrics/tally.js';
import { ApiKeyCacheLease } from './api-key-cache-lease.js';
import type { ApiKeyFacts } from './api-keys.repository.js';

const MAX_ENTRIES = 10_000;
/** Timers may fire a little early; a revocation waits this much longer. */
const TIMER_SLACK_MS = 20;

/**
 * The last part of the time that facts may be used. In this part a request has the key looked up anew, so that the
 * facts of a busy key never run out.
 */
const LAST_PART = 0.2;

/** A look-up that has begun. Times are those of `performance.now()`. */
interface LookUp {
  readonly facts: Promise<ApiKeyFacts | null>;
  /** The facts once they have come, if the key is live. */
  live?: ApiKeyFacts;
  /** No later than the end of the key, once that is known. */
  usableUntil: number;
  /** From this time on a request starts a new look-up. */
  readonly renewableFrom: number;
  /** The look-up before this one, kept while this one runs. */
  previous: LookUp | undefined;
}

/**
 * Facts of live keys for `API_KEY_CACHE_TTL`, counted from before the query that read them, so that no instance trusts a
 * key for longer than that after its revocation was committed, nor beyond the end that it has (contract.md 6, S-30). Refusals are
 * never kept.
 *
 * A request that arrives while a look-up runs waits for that one, within the same time: a request that begins after a DELETE has answered
 * finds no look-up from before the commit, since the DELETE waited for that time to pass. With a time of 0 nothing is
 * shared, as a DELETE then waits for nothing.
 *
 * Near the end of that time one request has the key looked up anew, and all go on with what is known within its own time.
 */
@Injectable()
export class ApiKeyCache {
  /** Requests whose key was known, and those for which it had to be read. */
  readonly uses = new Tally(['result']);
  readonly #ttlMs: number;
  readonly #lookUps = new LRUCache<string, LookUp>({ max: MAX_ENTRIES });

  /** Without a lease this instance is taken for the only one. */
  constructor(
    settings: Settings,
    @Optional() private readonly lease?: ApiKeyCacheLease,
  ) {
    this.#ttlMs = settings.apiKeyCacheTtlMs;
  }

  /** How many keys are kept. */
  get size(): number {
    return this.#lookUps.size;
  }

  /** The facts under this hash, from the cache, from a look-up that runs, or by `read`. */
  async get(hash: string, read: () => Promise<ApiKeyFacts | null>): Promise<ApiKeyFacts | null> {
    const now = performance.now();
    const known = this.#usable(hash, now);
    this.uses.count(known === undefined ? 'miss' : 'hit');
    if (known === undefined) return this.#lookUp(hash, read);
    // The new look-up serves later requests. This one uses the known facts, so a failure of the look-up does not
    // concern it.
    if (this.#isDue(hash, known, now)) this.#lookUp(hash, read, known).catch(() => undefined);
    return known.facts;
  }

  /** Returns the cached facts under this hash; null where they would have to be read. */
  peek(hash: string): ApiKeyFacts | null {
    const now = performance.now();
    const known = this.#usable(hash, now);
    if (known?.live === undefined || this.#isDue(hash, known, now)) return null;
    this.uses.count('hit');
    return known.live;
  }

  /** Ends when no instance can still hold what was read before now. Call it after the commit. */
  async waitForKeyCacheExpiry(): Promise<void> {
    const longestMs = Math.max(this.#ttlMs, (await this.lease?.longestMs('keys')) ?? 0);
    if (longestMs > 0) await delay(longestMs + TIMER_SLACK_MS);
  }

  /** Ends when no stream can go on by what was read of its caller before now. Call it after the commit. */
  async waitForStreams(): Promise<void> {
    const longestMs = (await this.lease?.longestMs('streams')) ?? 0;
    if (longestMs > 0) await delay(longestMs + TIMER_SLACK_MS);
  }

  async #lookUp(hash: string, read: () => Promise<ApiKeyFacts | null>, previous?: LookUp): Promise<ApiKeyFacts | null> {
    const before = performance.now();
    const usableUntil = Math.min(before + this.#ttlMs, this.lease?.trustedUntil ?? Infinity);
    if (usableUntil <= before) return read();
    const renewableFrom = usableUntil - (usableUntil - before) * LAST_PART;
    const lookUp: LookUp = { facts: read(), usableUntil, renewableFrom, previous };
    this.#lookUps.set(hash, lookUp);
    await this.#land(hash, lookUp);
    return lookUp.facts;
  }

  /** While a key is looked up anew, what was known before goes on to be used within its own time. */
  #usable(hash: string, now: number): LookUp | undefined {
    const newest = this.#lookUps.get(hash);
    return [newest?.previous, newest].find((lookUp) => lookUp !== undefined && lookUp.usableUntil > now);
  }

  /** Whether this request should start a new look-up: the facts are near their end, and no look-up runs yet. */
  #isDue(hash: string, known: LookUp, now: number): boolean {
    return known.live !== undefined && now >= known.renewableFrom && known === this.#lookUps.get(hash);
  }

  /**
   * Only live keys are cached: the next request reads again what was null, revoked or unreadable. A failure says nothing about the
   * key, so what was known before stands within its own time.
   */
  async #land(hash: string, lookUp: LookUp): Promise<void> {
    const facts = await lookUp.facts.catch(() => undefined);
    const { previous } = lookUp;
    lookUp.previous = undefined;
    if (facts?.refusal === null) {
      lookUp.live = facts;
      lookUp.usableUntil = Math.min(lookUp.usableUntil, facts.endsAt);
    } else if (this.#lookUps.get(hash) !== lookUp) return;
    else if (facts === undefined && previous !== undefined) this.#lookUps.set(hash, previous);
    else this.#lookUps.delete(hash);
  }
}
