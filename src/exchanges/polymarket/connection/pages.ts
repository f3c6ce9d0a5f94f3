import { badField } from '../../../platform/errors/app-error.js';
import type { Page, Paging } from '../../exchange.js';

/** Reads the page of a cursor, the first one for null. */
export type ReadPage<T> = (cursor: string | null) => Promise<Page<T>>;

/** So many pages are read at most before a list that should end is taken for one that does not. */
const MOST_PAGES = 200;

/** What a cursor of ours says: the page of the exchange, and how many of its items earlier pages held. */
interface PageState {
  readonly skip: number;
  readonly cursor: string | null;
}

function pageStateOf(cursor: string | null): PageState {
  if (cursor === null) return { skip: 0, cursor: null };
  const [, skip, page] = /^(\d{1,6}):(.+)?$/s.exec(cursor) ?? [];
  if (skip === undefined) throw badCursor();
  return { skip: Number(skip), cursor: page ?? null };
}

/** Returns the number in a cursor; throws `bad_request` for anything else. */
export function parseOffset(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw badCursor();
  return Number(text);
}

function badCursor(): Error {
  return badField('cursor', 'must be one that this list has given');
}

/**
 * Returns at most `limit` items, cut out of the exchange's pages, which it alone sizes. Throws `repeated()` where a page
 * names itself as the next one.
 */
export async function slicePages<T>(
  readPage: ReadPage<T>,
  { limit, cursor }: Paging,
  repeated: () => Error,
): Promise<Page<T>> {
  const { skip, cursor: current } = pageStateOf(cursor);
  const { items, next } = await readPage(current);
  if (next !== null && next === current) throw repeated();
  const end = skip + limit;
  const following = next === null ? null : `0:${next}`;
  return { items: items.slice(skip, end), next: end < items.length ? `${end}:${current ?? ''}` : following };
}

/** All entries; throws `endless` where the pages repeat themselves or do not come to an end. */
export async function allItems<T>(readPage: ReadPage<T>, endless: () => Error): Promise<T[]> {
  const entries: T[] = [];
  const seen = new Set<string | null>();
  let cursor: string | null = null;
  do {
    if (seen.has(cursor) || seen.size >= MOST_PAGES) throw endless();
    seen.add(cursor);
    const page: Page<T> = await readPage(cursor);
    entries.push(...page.items);
    cursor = page.next;
  } while (cursor !== null);
  return entries;
}
