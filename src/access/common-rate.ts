import type { Settings } from '../platform/config/settings.js';
import type { RatePolicy } from '../platform/limits/rate.js';
import type { BotOfKey, Principal } from './principal.js';

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

/** Each session by itself, each bot with all its keys, and a user's main key: none of them can use up the cancels of another. */
export function senderKeyOf(caller: Principal): string {
  if (caller.kind === 'session') return `session:${caller.sessionId}`;
  return caller.bot === null ? caller.userId : botKeyOf(caller.bot);
}

/** The name of a bot's own counts. */
export function botKeyOf({ id }: Pick<BotOfKey, 'id'>): string {
  return `bot:${id}`;
}

/** What one bot may take of the common limit of its user: so that one that reads too much leaves room to its siblings (contract.md 5.11). */
export function botRate(common: RatePolicy, { requestsPerMinute }: Pick<BotOfKey, 'requestsPerMinute'>): RatePolicy {
  if (requestsPerMinute !== null) return { name: 'bot', limit: requestsPerMinute, windowMs: 60_000 };
  return { name: 'bot', limit: Math.max(1, Math.floor(common.limit / 2)), windowMs: common.windowMs };
}
