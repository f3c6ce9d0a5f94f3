import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Settings } from '../platform/config/settings.js';
import { randomToken } from '../platform/secrets/random.js';
import { Retention } from '../platform/retention/retention.js';
import { Periodic } from '../platform/time/periodic.js';
import { ApiKeyCachesRepository } from './api-key-caches.repository.js';

const RENEW_EVERY_MS = 4_000;
/** How long this instance relies on what it recorded. */
const TRUSTED_MS = 12_000;
/**
 * How long the record counts for others: longer than this instance relies on it, since the clock of the database may be
 * set forward meanwhile.
 */
const RECORDED_MS = 30_000;
/** The largest legal `API_KEY_CACHE_TTL`. A revocation waits this long where it cannot read the times of other instances. */
const LARGEST_TTL_MS = 5_000;
/** Streams look their callers up three times in this at least. */
const LEAST_STREAM_MS = 1_000;
const INSTANCE_BYTES = 12;

/**
 * Instances may differ in `API_KEY_CACHE_TTL`. Each records its own in the database and renews that, and keeps facts of keys
 * only while its record surely stands; so an instance that ends a key reads there, after the commit, how long any instance
 * may still trust it (contract.md 6, S-30). An instance that cannot reach the database stops keeping before its record lapses.
 */
@Injectable()
export class ApiKeyCacheLease implements OnModuleInit, OnApplicationShutdown {
  readonly #logger = new Logger('ApiKeyCacheLease');
  readonly #instance = randomToken(INSTANCE_BYTES);
  readonly #renewals = new Periodic(RENEW_EVERY_MS, () => this.renew());
  readonly #ttlMs: number;
  /** How long streams of this instance rely on what was read; 0 before the first of them. */
  #streamsMs = 0;
  #trustedUntil = -Infinity;
  #raised: Promise<void> | undefined;

  constructor(
    settings: Settings,
    private readonly caches: ApiKeyCachesRepository,
    private readonly retention: Retention,
  ) {
    this.#ttlMs = settings.apiKeyCacheTtlMs;
  }

  /** Until when others are sure to wait for this instance, by `performance.now()`. */
  get trustedUntil(): number {
    return this.#trustedUntil;
  }

  /** How long a stream may rely on what was read of its caller (contract.md 5.14). */
  get streamsMs(): number {
    return Math.max(this.#ttlMs, LEAST_STREAM_MS);
  }

  /** Says before the first stream of this instance that it relies on what it reads for `streamsMs`: for good. */
  async raise(): Promise<void> {
    this.#raised ??= this.#raise();
    await this.#raised;
    if (this.#trustedUntil > performance.now()) return;
    this.#raised = undefined;
  }

  async #raise(): Promise<void> {
    const isRenewed = this.#ttlMs > 0 || this.#streamsMs > 0;
    this.#streamsMs = this.streamsMs;
    await this.renew();
    if (!isRenewed) this.#renewals.start();
  }

  async onModuleInit(): Promise<void> {
    this.retention.register('api_key_caches', (limit) => this.caches.removeLapsed(limit));
    if (this.#ttlMs === 0) return;
    await this.renew();
    this.#renewals.start();
  }

  /** After the last request: nothing is kept any more, so nobody needs to wait for this instance. */
  async onApplicationShutdown(): Promise<void> {
    await this.#renewals.stop();
    this.#trustedUntil = -Infinity;
    if (this.#ttlMs === 0 && this.#streamsMs === 0) return;
    await this.caches.remove(this.#instance).catch((error: unknown) => {
      this.#logger.warn({ err: error, message: 'The record of the API key cache stays until it lapses' });
    });
  }

  /**
   * Renews the record of this instance. Where that fails, the instance stops caching once its old record is no longer
   * trusted.
   */
  async renew(): Promise<void> {
    const before = performance.now();
    try {
      const ttlMs = Math.max(this.#ttlMs, this.#streamsMs);
      await this.caches.record(this.#instance, { ttlMs, streamsMs: this.#streamsMs }, RECORDED_MS);
      this.#trustedUntil = before + TRUSTED_MS;
    } catch (error) {
      this.#logger.warn({ err: error, message: 'The API key cache could not be recorded; it is off until it is' });
    }
  }

  /**
   * The largest time that any live instance keeps facts for, or only its streams do; the largest that is legal where that cannot be
   * read.
   */
  async longestMs(of: 'keys' | 'streams'): Promise<number> {
    try {
      return await this.caches.longestMs(of);
    } catch (error) {
      this.#logger.warn({ err: error, message: 'What other instances keep could not be read; waiting the longest' });
      return LARGEST_TTL_MS;
    }
  }
}
