import { type IncomingHttpHeaders } from 'node:http';

/** How far a signed timestamp may be from the exchange's clock, in seconds. */
const TOLERANCE_S = 30;

/** The value of a header line; empty where it is missing or there are several. */
export function header(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

/** Whether a timestamp in seconds is of now. */
export function isFresh(timestamp: string, now: Date): boolean {
  return /^\d{1,12}$/.test(timestamp) && Math.abs(Number(timestamp) - now.getTime() / 1000) <= TOLERANCE_S;
}
