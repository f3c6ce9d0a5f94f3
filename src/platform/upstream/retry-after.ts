import { MAX_PAUSE_SECONDS } from './upstream.constants.js';

const SECONDS = /^\d+$/;
/** IMF-fixdate, the one form of a date that HTTP still allows to be sent (RFC 9110 5.6.7). */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** A wait in whole seconds that another server asks for, at most `MAX_PAUSE_SECONDS`: an absurd one is a mistake. */
export function boundedWait(seconds: number): number {
  return Math.min(MAX_PAUSE_SECONDS, Math.max(0, Math.ceil(seconds)));
}

/**
 * Whole seconds of a `Retry-After` header (RFC 9110 10.2.3), rounded up, never negative, at most `MAX_PAUSE_SECONDS`; null
 * where it is absent or unreadable. A date counts from the answer's own `Date`, since the two clocks may differ, else from
 * `receivedAt`.
 */
export function retryAfterSeconds(header: string | null, dateHeader: string | null, receivedAt: Date): number | null {
  const text = header?.trim() ?? '';
  if (SECONDS.test(text)) return boundedWait(Number(text));
  if (!HTTP_DATE.test(text)) return null;
  const waitMs = Date.parse(text) - answeredAtMs(dateHeader, receivedAt);
  return Number.isNaN(waitMs) ? null : boundedWait(waitMs / 1_000);
}

const UNIX_SECONDS = /^\d{1,12}$/;

/** As `retryAfterSeconds`, of a header that names the end of the wait in Unix seconds. */
export function secondsUntil(header: string | null, dateHeader: string | null, receivedAt: Date): number | null {
  const text = header?.trim() ?? '';
  if (!UNIX_SECONDS.test(text)) return null;
  return boundedWait(Number(text) - answeredAtMs(dateHeader, receivedAt) / 1_000);
}

function answeredAtMs(dateHeader: string | null, receivedAt: Date): number {
  const answeredAt = dateHeader === null ? NaN : Date.parse(dateHeader);
  return Number.isNaN(answeredAt) ? receivedAt.getTime() : answeredAt;
}
