import type { ErrorCode } from '../platform/errors/error-codes.js';

/** What every read at an exchange may answer beside what all routes of its kind do, for OpenAPI. */
export const READ_ERRORS: readonly ErrorCode[] = [
  'exchange_rejected',
  'exchange_rate_limited',
  'exchange_error',
  'exchange_unavailable',
  'exchange_timeout',
];

/** What every call with stored credentials may answer. */
export const TRADING_ERRORS: readonly ErrorCode[] = [
  ...READ_ERRORS,
  'credentials_not_configured',
  'credentials_rejected',
];
