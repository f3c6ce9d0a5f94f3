import type { Page, Paging } from './paging.contract.js';
import { badCursor, type ReadPage } from './page-walk.js';

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
