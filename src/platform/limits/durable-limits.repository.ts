import { Injectable } from '@nestjs/common';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { DataSource } from 'typeorm';
import { Tally } from '../metrics/tally.js';
import { consume } from './consume.js';
import type { RatePolicy, RateState } from './rate.js';

/** Limits kept in PostgreSQL, so that they hold across instances and restarts (S-25). Never part of a transaction. */
@Injectable()
export class DurableLimits {
  /** Calls over a limit, by its name. */
  readonly exceeded = new Tally(['limit']);
  readonly #limiters = new Map<string, RateLimiterPostgres>();

  constructor(private readonly dataSource: DataSource) {}

  /** Counts one point; the key says who it is, without showing it. */
  async consume(policy: RatePolicy, key: string): Promise<RateState> {
    const state = await consume(this.#limiter(policy), policy, key);
    if (state.isExceeded) this.exceeded.count(policy.name);
    return state;
  }

  /**
   * Takes one point back from the window that it was counted in. Where that window is over nothing is left to take back:
   * no counter turns negative, and none of the next window shrinks. The next one ends a whole window later, so half a
   * window of distance tells them apart whatever the clocks of two instances say.
   */
  async giveBack(policy: RatePolicy, key: string, { endsAt }: RateState): Promise<void> {
    await this.dataSource.query(
      'UPDATE rate_limits SET points = points - 1 WHERE key = $1 AND points > 0 AND expire < $2',
      [this.#limiter(policy).getKey(key), Math.ceil(endsAt + policy.windowMs / 2)],
    );
  }

  /** Forgets what was counted for a key. */
  async forget(policy: RatePolicy, key: string): Promise<void> {
    await this.dataSource.query('DELETE FROM rate_limits WHERE key = $1', [this.#limiter(policy).getKey(key)]);
  }

  /** Removes at most `limit` windows that are over; returns how many. */
  async removeExpired(limit: number): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown[], number]>(
      `DELETE FROM rate_limits WHERE key IN (SELECT key FROM rate_limits WHERE expire < $1 LIMIT $2)`,
      [Date.now(), limit],
    );
    return count;
  }

  #limiter({ name, limit, windowMs }: RatePolicy): RateLimiterPostgres {
    const known = this.#limiters.get(name);
    if (known !== undefined) return known;
    const limiter = new RateLimiterPostgres({
      storeClient: this.dataSource,
      storeType: 'typeorm',
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix: name,
      points: limit,
      duration: windowMs / 1_000,
    });
    this.#limiters.set(name, limiter);
    return limiter;
  }
}
