import { AppError, type ErrorDetails } from '../errors/app-error.js';

/** A number of points in a fixed window that begins with the first. */
export interface RatePolicy {
  /** Short and stable: part of the key, and the name in the `RateLimit` headers. */
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
}

/** The state of a limit after a call. */
export interface RateState {
  readonly remaining: number;
  readonly resetMs: number;
  /** When the window that was counted in ends, in milliseconds since 1970. */
  readonly endsAt: number;
  readonly isExceeded: boolean;
  /** The first call too many of the window: the one worth writing down. */
  readonly isFirstExcess: boolean;
}

function secondsLeft({ resetMs }: Pick<RateState, 'resetMs'>): number {
  return Math.max(1, Math.ceil(resetMs / 1_000));
}

/** 429 `rate_limited` with the time to wait. */
export function rateLimited(state: Pick<RateState, 'resetMs'>, details?: ErrorDetails): AppError {
  return new AppError('rate_limited', 'Too many requests. Wait as long as Retry-After says, then try again.', {
    retryAfterSeconds: secondsLeft(state),
    ...(details !== undefined && { details }),
  });
}

/** The headers that every limited path's answers carry (contract.md 3). */
export function rateHeaders(policy: RatePolicy, state: RateState): Readonly<Record<string, string>> {
  return {
    'RateLimit-Policy': `"${policy.name}";q=${policy.limit};w=${Math.ceil(policy.windowMs / 1_000)}`,
    RateLimit: `"${policy.name}";r=${state.remaining};t=${secondsLeft(state)}`,
  };
}
