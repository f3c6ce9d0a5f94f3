import { z } from 'zod';
import { parseDecimal } from '../../decimal.js';
import type { Page } from '../../exchange.js';
import { parseIsoTime } from '../../time.js';

/* What Kalshi's answers are made of (kalshi.md 3). Fields that are not used are not looked at. */

/** A decimal string, in canonical form from here on. */
export const decimal = z.string().transform((value, context) => {
  const read = parseDecimal(value);
  if (read !== null) return read;
  context.addIssue({ code: 'custom', message: 'not a decimal string' });
  return z.NEVER;
});

/** The same where it may be null, left out or empty. */
export const maybeDecimal = z.preprocess((value) => (value === '' ? null : value), decimal.nullish().default(null));

/** A text, or the cursor of a next page; null where it is null, left out or empty. */
export const maybeText = z
  .string()
  .nullish()
  .transform((value) => (value === '' ? null : (value ?? null)));

/** An ISO time in the API's own form; null where it is left out or no time. */
export const maybeTime = z.string().nullish().transform(parseIsoTime);

/** A time that must be there. */
export const time = z.string().transform((value, context) => {
  const read = parseIsoTime(value);
  if (read !== null) return read;
  context.addIssue({ code: 'custom', message: 'not a time' });
  return z.NEVER;
});

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
