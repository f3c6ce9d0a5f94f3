import { Injectable, Logger } from '@nestjs/common';
import { DurableLimits } from '../platform/limits/durable-limits.repository.js';
import { rateLimited, type RatePolicy } from '../platform/limits/rate.js';
import { ActivityService } from './activity.service.js';

/**
 * How many things of a kind a user may make a day, counted in PostgreSQL. Each leaves events that nobody may delete for 400 days, so
 * these limits are never switched off (S-29).
 */
@Injectable()
export class DailyLimitsService {
  readonly #logger = new Logger('DailyLimits');

  constructor(
    private readonly limits: DurableLimits,
    private readonly activity: ActivityService,
  ) {}

  /** Makes one; only one that was made stays counted. Throws `rate_limited` past the limit. Not part of a transaction. */
  async counted<T>(policy: RatePolicy, userId: string, make: () => Promise<T>): Promise<T> {
    const state = await this.limits.consume(policy, userId);
    if (state.isExceeded) {
      if (state.isFirstExcess) {
        await this.activity.record({ type: 'limit_hit', userId, details: { limit: policy.name } });
      }
      throw rateLimited(state);
    }
    try {
      return await make();
    } catch (error) {
      await this.limits.giveBack(policy, userId, state).catch((fault: unknown) => {
        this.#logger.warn({ err: fault, limit: policy.name, message: 'What was not made stays counted' });
      });
      throw error;
    }
  }

  /** Forgets how many a user made today, as for an account whose thief made them. Not part of a transaction. */
  async forget(policy: RatePolicy, userId: string): Promise<void> {
    await this.limits.forget(policy, userId);
  }
}
