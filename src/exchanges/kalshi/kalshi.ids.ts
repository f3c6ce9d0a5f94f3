import type { IdKind } from '../exchange.js';

/** The exchange's id in paths, bodies and stored credentials. */
export const KALSHI = 'kalshi';

/** All money is in US dollars. */
export const CURRENCY = 'USD';

/**
 * Tickers are words of letters and digits joined by `-`, `.` and `_`; they never begin with one of these (S-48). Words of small
 * letters alone are no ids but Kalshi's own paths beside them: `trades` below markets, `multivariate` below events, `batched` below orders.
 */
const TICKER = /^(?=.*[A-Z0-9])[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** What identifiers look like, whole. */
export const KALSHI_IDS: Readonly<Record<IdKind, RegExp>> = {
  market: TICKER,
  event: TICKER,
  series: TICKER,
  order: /^(?=.*\d)[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
  transfer: /^(?=.*\d)[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
};
