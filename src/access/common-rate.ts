import type { Settings } from '../platform/config/settings.js';
import type { RatePolicy } from '../platform/limits/rate.js';
import type { Principal } from './principal.js';

/** The limit on every path that needs a credential (`RATE_LIMIT_API`); null where limits are off. */
export function commonRate({ rateLimitEnabled, rateLimitApi }: Settings): RatePolicy | null {
  return rateLimitEnabled ? { name: 'api', ...rateLimitApi } : null;
}

/**
 * The limit of cancels, counted in place of the common limit: a caller who has used up the common one can still cancel
 * (contract.md 3, S-56).
 */
export const CANCEL_RATE: RatePolicy = { name: 'cancel', limit: 600, windowMs: 60_000 };

/** Sessions and API keys of a user are counted apart, so that a program gone wild does not block its owner from stopping it. */
export function rateKeyOf({ kind, userId }: Principal): string {
  return kind === 'session' ? `session:${userId}` : userId;
}

/** Each session by itself, and a user's API key. */
export function senderKeyOf(caller: Principal): string {
  return caller.kind === 'session' ? `session:${caller.sessionId}` : caller.userId;
}
