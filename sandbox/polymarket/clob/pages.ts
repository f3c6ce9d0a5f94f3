import { refusal } from '../refusals.js';

const FIRST = 'MA==';
/** base64 of -1: there is nothing after this page. */
const LAST = 'LTE=';

/** A page of the CLOB's private lists. */
export interface ClobPage<T> {
  limit: number;
  count: number;
  next_cursor: string;
  data: T[];
}

/** Cuts a page out of a list; cursors are base64 offsets. A cursor that is none is 400 with `complaint`. */
export function clobPage<T>(
  entries: readonly T[],
  cursor: string | null,
  limit: number,
  complaint: string,
): ClobPage<T> {
  const start =
    cursor === LAST ? entries.length : offsetOf(cursor === null || cursor === '' ? FIRST : cursor, complaint);
  const data = entries.slice(start, start + limit);
  const end = start + data.length;
  const next = end < entries.length ? Buffer.from(String(end), 'utf8').toString('base64') : LAST;
  return { limit, count: data.length, next_cursor: next, data };
}

function offsetOf(cursor: string, complaint: string): number {
  const text = Buffer.from(cursor, 'base64').toString('utf8');
  if (!/^\d{1,9}$/.test(text)) throw refusal(complaint);
  return Number(text);
}
