import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import type { RatePolicy, RateState } from './rate.js';

/** The state of a limit after a call, from the result of the library. */
export function toState(policy: RatePolicy, result: RateLimiterRes): RateState {
  const resetMs = result.msBeforeNext < 0 ? policy.windowMs : result.msBeforeNext;
  return {
    remaining: Math.max(0, policy.limit - result.consumedPoints),
    resetMs,
    endsAt: Date.now() + resetMs,
    isExceeded: result.consumedPoints > policy.limit,
    isFirstExcess: result.consumedPoints === policy.limit + 1,
  };
}

/** Counts one call. The library rejects with the same result that it resolves with once the limit is passed. */
export async function consume(limiter: RateLimiterAbstract, policy: RatePolicy, key: string): Promise<RateState> {
  try {
    return toState(policy, await limiter.consume(key));
  } catch (error) {
    if (error instanceof RateLimiterRes) return toState(policy, error);
    throw error;
  }
}
