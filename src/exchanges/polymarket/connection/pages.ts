import { badField } from '../../../platform/errors/app-error.js';
import type { Page, Paging } from '../../exchange.js';

/** One page of a private CLOB list; the exchange alone decides how long it is. */
interface ClobPage<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

/** Reads the page of a cursor, the first one for null. */
export type ReadPage<T> = (cursor: string | null) => Promise<ClobPage<T>>;

/** So many pages are read at most before a list that should end is taken for one that does not. */
const MOST_PAGES = 200;

/** A cursor of ours: how many entries of the exchange's page have been given, and which page that is. */
function positionOf(cursor: string | null): { skip: number; page: string | null } {
  if (cursor === null) return { skip: 0, page: null };
  const match = /^(\d{1,6}):(.*)$/s.exec(cursor);
  if (match === null) throw badField('cursor', 'must be one that this list has given');
  return { skip: Number(match[1]), page: match[2] === '' ? null : (match[2] ?? null) };
}

/**
 * At most `limit` entries, cut out of the exchange's pages; `entriesOf` gives what a page holds of interest. Throws
 * `repeated` where the exchange gives the same cursor again.
 */
export async function slicePages<T, Entry>(
  readPage: ReadPage<T>,
  entriesOf: (data: readonly T[]) => readonly Entry[],
  { limit, cursor }: Paging,
  repeated: () => Error,
): Promise<Page<Entry>> {
  const { skip, page } = positionOf(cursor);
  const { data, next_cursor: next } = await readPage(page);
  if (next !== null && next === page) throw repeated();
  const entries = entriesOf(data);
  const end = skip + limit;
  const following = next === null ? null : `0:${next}`;
  return { items: entries.slice(skip, end), next: end < entries.length ? `${end}:${page ?? ''}` : following };
}

/** All entries; throws `endless` where the pages repeat themselves or do not come to an end. */
export async function readAllPages<T>(readPage: ReadPage<T>, endless: () => Error): Promise<T[]> {
  const entries: T[] = [];
  const seen = new Set<string | null>();
  let cursor: string | null = null;
  do {
    if (seen.has(cursor) || seen.size >= MOST_PAGES) throw endless();
    seen.add(cursor);
    const page: ClobPage<T> = await readPage(cursor);
    entries.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return entries;
}
