import type { ErrorCode } from '../platform/errors/error-codes.js';

/** What every read at an exchange may answer, for OpenAPI. */
export const READ_ERRORS: readonly ErrorCode[] = [
  'not_found',
  'rate_limited',
  'exchange_rate_limited',
  'exchange_error',
  'exchange_unavailable',
  'exchange_timeout',
];

/** What every call with stored credentials may answer beside that. */
export const TRADING_ERRORS: readonly ErrorCode[] = [
  ...READ_ERRORS,
  'credentials_not_configured',
  'credentials_rejected',
  'exchange_rejected',
];
