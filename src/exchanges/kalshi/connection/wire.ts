import { z } from 'zod';
import { parseDecimal } from '../../decimal.js';
import type { Page } from '../../paging.contract.js';
import { parseIsoTime } from '../../time.js';

/* What Kalshi's answers are made of (kalshi.md 3). Fields that are not used are not looked at. */

/* Long lists are made of these: `overwrite` makes no object for each value, as `transform` does. */

/** Stands for a text that cannot be read until that is refused. */
const UNREADABLE = '?';

const isReadable = (text: string | null): boolean => text !== UNREADABLE;

/** A decimal string, in canonical form from here on (S-50, S-53). */
export const decimal = z
  .string()
  .overwrite((text) => parseDecimal(text) ?? UNREADABLE)
  .refine(isReadable, 'not a decimal string');

/** The same where it may be null, left out or empty. */
export const maybeDecimal = z
  .string()
  .nullable()
  .default(null)
  .overwrite((text) => (text === null || text === '' ? null : (parseDecimal(text) ?? UNREADABLE)))
  .refine(isReadable, 'not a decimal string');

/** A text, or the cursor of a next page; null where it is null, left out or empty. */
export const maybeText = z
  .string()
  .nullable()
  .default(null)
  .overwrite((text) => (text === '' ? null : text));

/** An ISO time in the API's own form; null where it is left out or no time. */
export const maybeTime = z.string().nullable().default(null).overwrite(parseIsoTime);

/** A time that must be there. */
export const time = z
  .string()
  .overwrite((text) => parseIsoTime(text) ?? UNREADABLE)
  .refine(isReadable, 'not a time');

/** One page of a list; `next` is null at the end. */
export function toPage<T>(items: readonly T[], cursor: string | null): Page<T> {
  return { items, next: cursor };
}

/** Whose an order or a fill is; null where it does not say: then it is the account's that was asked for. */
export const subaccountNumber = z
  .int()
  .nullish()
  .catch(null)
  .transform((number) => number ?? null);

export const outcomeSide = z.enum(['yes', 'no']);
