import { type AppError, badField } from '../platform/errors/app-error.js';
import type { Page } from './paging.contract.js';

/** Reads the page of a cursor, the first one for null. */
export type ReadPage<T> = (cursor: string | null) => Promise<Page<T>>;

/** A list of more pages than these is taken for one without end. */
const MOST_PAGES = 200;

/** Yields all pages. Throws `endless()` where a page repeats itself, and after too many pages. */
export async function* eachPage<T>(read: ReadPage<T>, endless: () => Error): AsyncGenerator<Page<T>, void, undefined> {
  const seen = new Set<string | null>();
  let cursor: string | null = null;
  do {
    if (seen.has(cursor) || seen.size >= MOST_PAGES) throw endless();
    seen.add(cursor);
    const page: Page<T> = await read(cursor);
    yield page;
    cursor = page.next;
  } while (cursor !== null);
}

/** Yields all items of `eachPage`. */
export async function* eachItem<T>(read: ReadPage<T>, endless: () => Error): AsyncGenerator<T, void, undefined> {
  for await (const { items } of eachPage(read, endless)) yield* items;
}

/** Returns all items of `eachItem`. */
export async function allItems<T>(read: ReadPage<T>, endless: () => Error): Promise<T[]> {
  const items: T[] = [];
  for await (const item of eachItem(read, endless)) items.push(item);
  return items;
}

/** Returns all items of a list; null where it has more pages than `most`, or a page comes again. */
export async function atMostPages<T>(read: ReadPage<T>, most: number): Promise<T[] | null> {
  const items: T[] = [];
  const seen = new Set<string>();
  for (let cursor: string | null = null; ;) {
    const page: Page<T> = await read(cursor);
    items.push(...page.items);
    cursor = page.next;
    if (cursor === null) return items;
    if (seen.has(cursor) || seen.size >= most - 1) return null;
    seen.add(cursor);
  }
}

/** The error of a cursor that no page of the list had. */
export function badCursor(): AppError {
  return badField('cursor', 'must be one that this list has given');
}
