import { jsonOf } from '../../frames.js';
import { z } from 'zod';
import { type Decimal, parseDecimal } from '../../decimal.js';
import type { Page } from '../../paging.contract.js';
import { parseIsoTime } from '../../time.js';
import { boundedList, nullableList } from '../../wire-list.js';

/* Scalars of all three APIs: fields flip between number and text, and many are omitted instead of null (polymarket.md 4). */

/** Null where the field is omitted or null. */
export function orNull<T>(schema: z.ZodType<T>) {
  return schema.nullable().default(null);
}

/** An omitted list is an empty one; one of more than 1,000 entries is refused (S-53). */
export function maybeList<T>(entry: z.ZodType<T>): z.ZodType<T[]> {
  return boundedList(entry)
    .nullish()
    .transform((value) => value ?? []);
}

/** No spelling of a time is longer (S-53). */
const LONGEST_TIME = 64;

export const EMPTY = z.literal('').transform(() => null);

/** Stands for what cannot be read until that is refused. */
const UNREADABLE = '?';

const isReadable = (text: Decimal | null): boolean => text !== UNREADABLE;

/** Text or a JSON number, of which the overwriting makes text: without an object for each value, as `transform` makes one. */
const digits = z.custom<Decimal>((value) => typeof value === 'string' || typeof value === 'number');

/** A decimal as text or as a JSON number, in canonical form (S-50). */
export const decimal = digits
  .overwrite((value) => parseDecimal(value) ?? UNREADABLE)
  .refine(isReadable, 'not a decimal');

/** Null where it is omitted, null or empty. */
export const maybeDecimal = orNull(digits)
  .overwrite((value) => (value === null || value === '' ? null : (parseDecimal(value) ?? UNREADABLE)))
  .refine(isReadable, 'not a decimal');

export const maybeText = orNull(z.string()).overwrite((text) => (text === '' ? null : text));

/** The API key whose order it is; null where that is not said, in whatever form. */
export const maybeOwner = orNull(z.unknown().transform((value) => (typeof value === 'string' ? value : null)));

/** An omitted flag is unknown, which no caller takes for true. */
export const maybeFlag = orNull(z.boolean());

/** An id as text; ids that come as JSON numbers are kept as their digits. */
export const id = z.union([z.string().min(1), z.int().nonnegative().transform(String)]);

/** A time for show, also in PostgreSQL's spelling (`2026-11-05 03:11:20+00`); null where it is none. */
export const maybeTime = orNull(z.string()).overwrite((text) => {
  if (text === null || text.length > LONGEST_TIME) return null;
  return parseIsoTime(text) ?? parseIsoTime(inIso(text));
});

function inIso(text: string): string {
  return text
    .trim()
    .replace(' ', 'T')
    .replace(/([+-]\d\d)$/, '$1:00');
}

/** Unix time in seconds, as number or digits. */
export const seconds = z.union([z.number().nonnegative(), z.string().regex(/^\d{1,12}$/)]).transform((value) => {
  return new Date(Math.floor(Number(value) * 1000));
});

/** Unix time in milliseconds as digits; of ten digits or less it can only be seconds. */
export const milliseconds = z.union([z.int().nonnegative(), z.string().regex(/^\d{1,15}$/)]).transform((value) => {
  return new Date(String(value).length > 10 ? Number(value) : Number(value) * 1000);
});

/** A list of texts, which these APIs write as JSON inside a JSON text. */
const textList = z
  .unknown()
  .transform((value) => (typeof value === 'string' ? jsonOf(value) : value))
  .pipe(boundedList(z.string()));

export const maybeTextList = orNull(z.union([EMPTY, textList]));

/** Two ids of 78 digits are shorter, by far. */
const LONGEST_IDS = 4_096;

const idList = boundedList(z.string().min(1));

/** The ids of outcomes, as a list or as JSON text of one; null where there are none, and where they cannot be read as such. */
export const maybeIds = orNull(z.unknown().transform(toIds));

function toIds(value: unknown): string[] | null {
  if (typeof value === 'string' && value.length > LONGEST_IDS) return null;
  const { data } = idList.safeParse(typeof value === 'string' ? jsonOf(value) : value);
  return data === undefined || data.length === 0 ? null : data;
}

export const side = z.enum(['BUY', 'SELL']);

/** `LIVE`, which the documents also spell `ORDER_STATUS_LIVE`; likewise of trades. */
export const status = z.string().transform((text) => text.toUpperCase().replace(/^(?:ORDER|TRADE)_STATUS_/, ''));

/** The end of a list; some answers leave the cursor out instead. */
const END = 'LTE=';

/**
 * One page of a list of the Data API (polymarket.md 6.1). A cursor beside `has_more: false` leads nowhere; more without a
 * cursor is no page, since the list would seem whole.
 */
export function wireDataPage<T>(entry: z.ZodType<T>, most?: number): z.ZodType<Page<T>> {
  const pagination = z
    .object({ has_more: maybeFlag, next_cursor: maybeText })
    .refine(({ has_more: hasMore, next_cursor: next }) => hasMore !== true || next !== null, 'more without a cursor');
  return z.object({ data: nullableList(entry, most), pagination }).transform(({ data, pagination: at }) => ({
    items: data,
    next: at.has_more === false ? null : at.next_cursor,
  }));
}

/** One page of a private list of the CLOB, which alone decides how long it is. */
export function wirePage<T>(entry: z.ZodType<T>): z.ZodType<Page<T>> {
  return z
    .object({ data: nullableList(entry), next_cursor: z.string().nullish() })
    .transform(({ data, next_cursor: next }) => ({ items: data, next: next && next !== END ? next : null }));
}
