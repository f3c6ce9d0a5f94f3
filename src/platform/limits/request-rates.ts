import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { createClient } from 'redis';
import { Settings } from '../config/settings.js';
import { Tally } from '../metrics/tally.js';
import type { Secret } from '../secrets/secret.js';
import { within } from '../time/within.js';
import { consume, toState } from './consume.js';
import type { RatePolicy, RateState } from './rate.js';

const CONNECT_MS = 2_000;
/** Between attempts, at most. */
const RECONNECT_MS = 500;
/** For one answer; the client's own time-out counts only until a command is sent. */
const ANSWER_MS = 500;
/** How long Redis is left alone after it failed, so that not every request waits for it. */
const REST_MS = 1_000;
/** A limit that counts nobody. Only a count shows whether Redis counts, since a Redis that answers may still refuse to write. */
const PROBE: RatePolicy = { name: 'probe', limit: 1_000_000, windowMs: 1_000 };

/** A limit here, and the same over all instances where there is a Redis. */
interface Limiters {
  readonly own: RateLimiterAbstract;
  readonly shared: RateLimiterAbstract | undefined;
}

type RedisClient = ReturnType<typeof createClient>;

/** Redis is a tenth of what the service would load at its start, and most installations have none. */
async function clientOf(url: string): Promise<RedisClient> {
  const redis = await import('redis');
  return redis.createClient({
    url,
    disableOfflineQueue: true,
    // Nothing can cut the wait of the client short: it would delay the stop of the service.
    socket: { connectTimeout: CONNECT_MS, reconnectStrategy: (tries) => Math.min(100 * 2 ** tries, RECONNECT_MS) },
  });
}

function inTime<T>(counting: Promise<T>): Promise<T> {
  return within(ANSWER_MS, counting, () => {
    throw new Error('Redis did not answer in time');
  });
}

/**
 * Request rates: in this process, or shared over all instances in Redis where REDIS_URL is set (contract.md 2). While Redis is
 * away or too slow each process counts for itself (S-26).
 */
@Injectable()
export class RequestRates implements OnModuleInit, OnApplicationShutdown {
  /** Calls over a limit, by its name. */
  readonly exceeded = new Tally(['limit']);
  readonly #logger = new Logger('RateLimits');
  readonly #redisUrl: Secret | undefined;
  #redis: RedisClient | undefined;
  readonly #limiters = new Map<string, Limiters>();
  #restsUntil = 0;
  #whenExceeded: (policy: RatePolicy) => Promise<void> = () => Promise.resolve();

  constructor({ redisUrl }: Settings) {
    this.#redisUrl = redisUrl;
  }

  async onModuleInit(): Promise<void> {
    if (this.#redisUrl !== undefined) this.#redis = await this.#connect(this.#redisUrl.reveal());
  }

  /** Whether Redis counts now: tries it, for half a second at most. Null where there is no Redis. */
  async redisCounts(): Promise<boolean | null> {
    const { shared } = this.#limitersOf(PROBE);
    if (shared === undefined) return null;
    try {
      await inTime(consume(shared, PROBE, 'one'));
      return true;
    } catch {
      return false;
    }
  }

  /** Closes the connection after the last request has been counted. */
  onApplicationShutdown(): void {
    this.#redis?.destroy();
  }

  /** Counts one call of a client; the key says who it is. */
  async consume(policy: RatePolicy, key: string): Promise<RateState> {
    const state = await this.#count(policy, key);
    if (state.isExceeded) this.exceeded.count(policy.name);
    if (state.isFirstExcess) this.#report(policy);
    return state;
  }

  /**
   * As `consume`, of a limit that is counted in this process alone; calls `done` with the state, or null where it cannot be
   * counted. With few promises: each costs more than the count. `done` never throws: nobody waits for what it does.
   */
  consumeHere(policy: RatePolicy, key: string, done: (state: RateState | null) => void): void {
    const settle = (result: unknown): void => {
      const state = result instanceof RateLimiterRes ? toState(policy, result) : null;
      if (state?.isFirstExcess === true) this.#report(policy);
      done(state);
    };
    this.#limitersOf(policy).own.consume(key).then(settle, settle);
  }

  /** Calls the listener once a window and client when a limit is passed (S-41). */
  onExceeded(listener: (policy: RatePolicy) => Promise<void>): void {
    this.#whenExceeded = listener;
  }

  #report(policy: RatePolicy): void {
    this.#whenExceeded(policy).catch((error: unknown) => {
      this.#logger.warn({ err: error, limit: policy.name, message: 'A passed limit could not be recorded' });
    });
  }

  async #count(policy: RatePolicy, key: string): Promise<RateState> {
    const { own, shared } = this.#limitersOf(policy);
    if (shared === undefined || performance.now() < this.#restsUntil) return consume(own, policy, key);
    try {
      return await inTime(consume(shared, policy, key));
    } catch (error) {
      this.#restsUntil = performance.now() + REST_MS;
      this.#logger.warn({ err: error, message: 'Redis does not count; each process counts for itself meanwhile' });
      return consume(own, policy, key);
    }
  }

  /** One counter for all limits of a name, as each bot may have its own: who counts compares with the limit (`toState`). */
  #limitersOf({ name, limit, windowMs }: RatePolicy): Limiters {
    const id = `${name}/${windowMs}`;
    const known = this.#limiters.get(id);
    if (known !== undefined) return known;
    const options = { points: limit, duration: Math.ceil(windowMs / 1_000), keyPrefix: `rate:${name}` };
    const redis = { storeClient: this.#redis, useRedisPackage: true, rejectIfRedisNotReady: true };
    const limiters = {
      own: new RateLimiterMemory(options),
      shared: this.#redis === undefined ? undefined : new RateLimiterRedis({ ...options, ...redis }),
    };
    this.#limiters.set(id, limiters);
    return limiters;
  }

  async #connect(url: string): Promise<RedisClient> {
    const client = await clientOf(url);
    let isTold = false;
    client.on('ready', () => {
      isTold = false;
    });
    client.on('error', (error: Error) => {
      if (isTold) return;
      isTold = true;
      this.#logger.warn({ err: error, message: 'Redis is away; each process counts for itself meanwhile' });
    });
    void client.connect().catch(() => undefined);
    return client;
  }
}
