export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** `2026-11-20T15:00:00.713523Z`: entities carry microseconds (kalshi.md 3). The last three digits follow from the rest. */
export function isoMicros(time: number): string {
  const digits = String((time * 7_919) % 1_000).padStart(3, '0');
  return new Date(time).toISOString().replace('Z', `${digits}Z`);
}

/** `2026-11-20T15:00:00Z`, for times that the exchange fixes to whole seconds. */
export function isoSeconds(time: number): string {
  return new Date(time).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

export function unixSeconds(time: number): number {
  return Math.floor(time / SECOND);
}
