/** Times as the API gives them: ISO 8601 UTC with exactly milliseconds, finer ones cut (unified-schema.md 1). */

/** Before this there were no exchanges: servers that know no time send year 1 or 1970. */
const EARLIEST_MS = Date.UTC(1990, 0, 1);
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** With all digits that a fraction may have. */
const LONGEST = 40;

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:[.,]\d{1,12})?(?:Z|[+-]\d{2}:?\d{2})$/;

/** The API's form of a time; null for one that cannot be meant (not a time, year 1, 1970). */
export function isoTime(time: Date | number): string | null {
  const ms = Math.floor(typeof time === 'number' ? time : time.getTime());
  return ms >= EARLIEST_MS && ms <= LATEST_MS ? new Date(ms).toISOString() : null;
}

/** The same from ISO 8601 text; null for anything else. */
export function parseIsoTime(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > LONGEST || !ISO.test(value) || !isDayOfItsMonth(value)) return null;
  return isoTime(Date.parse(value.replace(',', '.')));
}

/** Whether the day that a text begins with is in the calendar: `Date` takes 30 February for 2 March. */
export function isDayOfItsMonth(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Whole Unix seconds at or after a time: as an inclusive lower bound. */
export function secondsFrom(time: Date): number {
  return Math.ceil(time.getTime() / 1_000);
}

/** The last whole Unix second before a time: as an inclusive upper bound of a half-open interval. */
export function secondsBefore(time: Date): number {
  return Math.ceil(time.getTime() / 1_000) - 1;
}
