/* Words that queries and answers share (unified-schema.md 2, 6, 9). */

export const MARKET_STATUSES = ['unopened', 'open', 'paused', 'closed', 'settled'] as const;
export type MarketStatus = (typeof MARKET_STATUSES)[number];

export const MARKET_SORTS = ['volume_24h', 'volume', 'liquidity', 'close_time'] as const;
export type MarketSort = (typeof MARKET_SORTS)[number];

export const INTERVALS = ['1m', '1h', '1d'] as const;
export type Interval = (typeof INTERVALS)[number];
export const INTERVAL_SECONDS: Readonly<Record<Interval, number>> = { '1m': 60, '1h': 3_600, '1d': 86_400 };

/** Whether orders are of real money: `sandbox` only where every address is plain http on this machine (contract.md 4). */
export const MODES = ['sandbox', 'live'] as const;
export type Mode = (typeof MODES)[number];

/** What the owner of stored credentials should know (contract.md 4). */
export const CREDENTIAL_WARNINGS = [
  'can_transfer',
  'cannot_trade',
  'cannot_read',
  'attestation_missing',
  'attestation_expiring',
  'allowance_missing',
  'session_key_expiring',
] as const;
export type CredentialWarning = (typeof CREDENTIAL_WARNINGS)[number];

/** Why an order is not cancelled after all were to be; unified-schema.md 7 says when each is used. */
export type NotCancelledReason = 'not_found' | 'not_cancellable' | 'exchange_rate_limited' | 'unknown';
