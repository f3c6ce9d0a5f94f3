/** Times as the API gives them: ISO 8601 UTC with exactly milliseconds, finer ones cut (unified-schema.md 1). */

/** Before this there were no exchanges: servers that know no time send year 1 or 1970. */
const EARLIEST_MS = Date.UTC(1990, 0, 1);
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** With all digits that a fraction may have. */
const LONGEST = 40;

/** UTC, from 1990 on, as exchanges write nearly all times: the text itself tells what `Date` would make of it. */
const PLAIN =
  /^(?:199\d|[2-9]\d{3})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,12})?Z$/;
const IN_MILLISECONDS = '1990-01-01T00:00:00.000Z'.length;

const SHORT_MONTHS: ReadonlySet<number> = new Set([4, 6, 9, 11]);

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:[.,]\d{1,12})?(?:Z|[+-]\d{2}:?\d{2})$/;

/** The API's form of a time; null for one that cannot be meant (not a time, year 1, 1970). */
export function isoTime(time: Date | number): string | null {
  const ms = Math.floor(typeof time === 'number' ? time : time.getTime());
  return ms >= EARLIEST_MS && ms <= LATEST_MS ? new Date(ms).toISOString() : null;
}

/** The same from ISO 8601 text; null for anything else. */
export function parseIsoTime(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > LONGEST) return null;
  if (PLAIN.test(value)) return isDayOfItsMonth(value) ? withMilliseconds(value) : null;
  return ISO.test(value) && isDayOfItsMonth(value) ? isoTime(Date.parse(value.replace(',', '.'))) : null;
}

/** A plain time with exactly milliseconds. */
function withMilliseconds(plain: string): string {
  if (plain.length === IN_MILLISECONDS) return plain;
  if (plain.length > IN_MILLISECONDS) return `${plain.slice(0, IN_MILLISECONDS - 1)}Z`;
  const fraction = plain.slice(20, -1);
  return `${plain.slice(0, 19)}.${fraction.padEnd(3, '0')}Z`;
}

/** Whether the day that a text begins with is in the calendar: `Date` takes 30 February for 2 March. */
export function isDayOfItsMonth(text: string): boolean {
  const day = Number(text.slice(8, 10));
  if (day < 29) return true;
  const [year, month] = [Number(text.slice(0, 4)), Number(text.slice(5, 7))];
  if (month === 2) return day === 29 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (SHORT_MONTHS.has(month) ? 30 : 31);
}

/** Whole Unix seconds at or after a time: as an inclusive lower bound. */
export function secondsFrom(time: Date): number {
  return Math.ceil(time.getTime() / 1_000);
}

/** The last whole Unix second before a time: as an inclusive upper bound of a half-open interval. */
export function secondsBefore(time: Date): number {
  return Math.ceil(time.getTime() / 1_000) - 1;
}
