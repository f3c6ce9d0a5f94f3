/** Times are milliseconds, durations too. */
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** `2026-11-20T15:00:00Z`, for times that an exchange fixes to whole seconds. */
export function isoSeconds(time: number | Date): string {
  return new Date(time).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

export function unixSeconds(time: number | Date): number {
  return Math.floor(Number(time) / SECOND);
}
