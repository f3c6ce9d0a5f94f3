import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { createClient } from 'redis';
import { Settings } from '../config/settings.js';
import { consume } from './consume.js';
import type { RatePolicy, RateState } from './rate.js';

const CONNECT_MS = 2_000;
const COMMAND_MS = 1_000;

type RedisClient = ReturnType<typeof clientOf>;

function clientOf(url: string) {
  return createClient({
    url,
    disableOfflineQueue: true,
    commandOptions: { timeout: COMMAND_MS },
    socket: { connectTimeout: CONNECT_MS, reconnectStrategy: (tries) => Math.min(100 * 2 ** tries, 5_000) },
  });
}

/**
 * Request rates: in this process, or shared over all instances in Redis where REDIS_URL is set (DESIGN 2). While Redis is
 * away each process counts for itself.
 */
@Injectable()
export class RequestRates implements OnApplicationShutdown {
  readonly #logger = new Logger('RateLimits');
  readonly #redis: RedisClient | undefined;
  readonly #limiters = new Map<string, RateLimiterAbstract>();
  #whenExceeded: (policy: RatePolicy) => Promise<void> = () => Promise.resolve();

  constructor({ redisUrl }: Settings) {
    if (redisUrl !== undefined) this.#redis = this.#connect(redisUrl.reveal());
  }

  /** After the last request has been counted. */
  onApplicationShutdown(): void {
    this.#redis?.destroy();
  }

  /** Counts one call of a client; the key says who it is. */
  async consume(policy: RatePolicy, key: string): Promise<RateState> {
    const state = await consume(this.#limiter(policy), policy, key);
    if (state.isFirstExcess) this.#tell(policy);
    return state;
  }

  /** Who is told, once a window and client, that a limit was passed (S-41). */
  onExceeded(listener: (policy: RatePolicy) => Promise<void>): void {
    this.#whenExceeded = listener;
  }

  #tell(policy: RatePolicy): void {
    this.#whenExceeded(policy).catch((error: unknown) => {
      this.#logger.warn({ err: error, limit: policy.name, message: 'A passed limit could not be recorded' });
    });
  }

  #limiter(policy: RatePolicy): RateLimiterAbstract {
    const { name, limit, windowMs } = policy;
    const id = `${name}/${limit}/${windowMs}`;
    const known = this.#limiters.get(id);
    if (known !== undefined) return known;
    const options = { points: limit, duration: Math.ceil(windowMs / 1_000), keyPrefix: `rate:${name}` };
    const memory = new RateLimiterMemory(options);
    const limiter =
      this.#redis === undefined
        ? memory
        : new RateLimiterRedis({
            ...options,
            storeClient: this.#redis,
            useRedisPackage: true,
            rejectIfRedisNotReady: true,
            insuranceLimiter: memory,
          });
    this.#limiters.set(id, limiter);
    return limiter;
  }

  #connect(url: string): RedisClient {
    const client = clientOf(url);
    client.on('error', (error: Error) => {
      this.#logger.warn({ err: error, message: 'Redis is away; each process counts for itself meanwhile' });
    });
    void client.connect().catch(() => undefined);
    return client;
  }
}
