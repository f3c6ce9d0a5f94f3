import { z } from 'zod';
import { noted } from './wire-notes.js';

/** As many as a page of any exchange has at most (kalshi.md 3, polymarket.md 4). */
export const PAGE_ENTRIES = 1_000;
/** Sides of a book: a level for each ten-thousandth of a price. */
export const BOOK_LEVELS = 10_000;
/** Points a minute apart over the longest window that is asked for, and some more. */
export const PRICE_POINTS = 25_000;
/** Candles of one answer (kalshi.md 4). */
export const CANDLES = 10_000;
/** Bytes of a page that is read in the background: one entry alone may be longer, since it comes in no smaller page. */
export function backgroundBytes(limit: number): number {
  return limit > 1 ? 1_048_576 : 4_194_304;
}
/** Markets inside the events of one page together. */
const NESTED_ENTRIES = 5_000;

/** What does not fit in a list, and where. */
interface Misfit {
  readonly message: string;
  readonly path: readonly PropertyKey[];
}

/**
 * A list of an answer with at most so many entries: how many there are is looked at before any of them, and the first that
 * does not fit ends it (S-53). Issues name the place as those of `z.array` do.
 */
export function boundedList<Schema extends z.ZodType>(
  entry: Schema,
  most = PAGE_ENTRIES,
): z.ZodType<z.output<Schema>[]> {
  // Made from the first list on, so that the start of the service does not wait for it.
  let quick: Schema | undefined;
  // A compiled schema reads what does not fit once more, slowly: a list inside it would double that work at each level.
  const refused = new WeakMap<readonly unknown[], readonly Misfit[]>();
  const list = z.unknown().transform((value, context): z.output<Schema>[] => {
    if (!Array.isArray(value) || value.length > most) {
      context.addIssue({ code: 'custom', message: `not a list of at most ${most} entries` });
      return z.NEVER;
    }
    const refuse = (misfits: readonly Misfit[]): never => {
      for (const { message, path } of misfits) context.addIssue({ code: 'custom', message, path: [...path] });
      return z.NEVER;
    };
    const known = refused.get(value);
    if (known !== undefined) return refuse(known);
    const entries: z.output<Schema>[] = [];
    quick ??= z.compile(entry);
    for (let index = 0; index < value.length; index += 1) {
      const { data, error } = quick.safeParse(value[index]);
      if (error !== undefined) {
        const misfits = error.issues.map(({ path, message }) => ({ message, path: [index, ...path] }));
        refused.set(value, misfits);
        return refuse(misfits);
      }
      entries.push(data);
    }
    return entries;
  });
  return noted(list, { entry });
}

/** Like `boundedList`, for a server that writes an empty list as null. A list that is left out is refused. */
export function nullableList<T>(entry: z.ZodType<T>, most?: number): z.ZodType<T[]> {
  return boundedList(entry, most)
    .nullable()
    .transform((value) => value ?? []);
}

/** A page of events whose markets, all together, are at most 5,000: that too is looked at before any of them (S-53). */
export function boundedEvents<Schema extends z.ZodType>(event: Schema): z.ZodType<z.output<Schema>[]> {
  return z
    .unknown()
    .refine((value) => nestedIn(value) <= NESTED_ENTRIES, `more than ${NESTED_ENTRIES} markets`)
    .pipe(boundedList(event));
}

function nestedIn(events: unknown): number {
  if (!Array.isArray(events) || events.length > PAGE_ENTRIES) return 0;
  return events.reduce((total: number, event: unknown) => total + marketsIn(event), 0);
}

function marketsIn(event: unknown): number {
  if (typeof event !== 'object' || event === null || !('markets' in event)) return 0;
  return Array.isArray(event.markets) ? event.markets.length : 0;
}
