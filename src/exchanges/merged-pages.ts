import { z } from 'zod';
import { badField } from '../platform/errors/app-error.js';
import type { Page, Paging } from './exchange.js';
import type { ReadPage } from './page-walk.js';

/* Several lists of an exchange as one (contract.md 9). */

const CHAINED = /^(\d{1,2}):(.*)$/s;

/** Returns the lists as one, one behind the other. */
export function chainPages<T>(reads: readonly ReadPage<T>[]): ReadPage<T> {
  return async (cursor) => {
    const [, number, inner = ''] = CHAINED.exec(cursor ?? '0:') ?? [];
    const index = Number(number);
    const read = reads[index];
    if (read === undefined) throw badCursor();
    const { items, next } = await read(inner === '' ? null : inner);
    if (next !== null) return { items, next: `${String(index)}:${next}` };
    return { items, next: index + 1 < reads.length ? `${String(index + 1)}:` : null };
  };
}

/** Where a merged list goes on: of each list the page, and how many of its items were taken; null behind its end. */
const PLACES = z.array(z.object({ taken: z.int().nonnegative(), cursor: z.string().nullable() }).nullable());
type Place = { readonly taken: number; readonly cursor: string | null } | null;

/** A page that items are taken from. */
interface OpenPage<T> extends Page<T> {
  readonly cursor: string | null;
  taken: number;
}

/**
 * Returns at most `limit` items of several lists, each of them sorted from new to old, sorted so; of the same time the earlier
 * list goes first. It reads one page of each list, so there may be fewer items, even none, while `next` is set. Throws
 * `repeated()` where a page names itself as the next one.
 */
export async function mergePages<T>(
  reads: readonly ReadPage<T>[],
  timeOf: (item: T) => Date,
  { limit, cursor }: Paging,
  repeated: () => Error,
): Promise<Page<T>> {
  const places = placesOf(cursor, reads.length);
  const pages = await Promise.all(reads.map((read, index) => openPage(read, places[index] ?? null)));
  const open = pages.filter((page) => page !== null);
  if (open.some((page) => page.next !== null && page.next === page.cursor)) throw repeated();
  const items: T[] = [];
  // Behind the last item of a page that is not the last one, its list may go on with an item that is newer than all others.
  while (items.length < limit && !open.some((page) => isUsedUp(page) && page.next !== null)) {
    const newest = newestOf(open, timeOf);
    if (newest === null) break;
    items.push(...newest.items.slice(newest.taken, newest.taken + 1));
    newest.taken += 1;
  }
  const following = pages.map((page) => (page === null ? null : placeAfter(page)));
  return { items, next: following.every((place) => place === null) ? null : JSON.stringify(following) };
}

async function openPage<T>(read: ReadPage<T>, place: Place): Promise<OpenPage<T> | null> {
  return place === null ? null : { ...(await read(place.cursor)), ...place };
}

function isUsedUp({ items, taken }: OpenPage<unknown>): boolean {
  return taken >= items.length;
}

function newestOf<T>(open: readonly OpenPage<T>[], timeOf: (item: T) => Date): OpenPage<T> | null {
  const heads = open.flatMap((page) =>
    page.items.slice(page.taken, page.taken + 1).map((item) => ({ page, at: timeOf(item) })),
  );
  const [first] = heads.toSorted((one, other) => other.at.getTime() - one.at.getTime());
  return first?.page ?? null;
}

function placeAfter(page: OpenPage<unknown>): Place {
  if (!isUsedUp(page)) return { taken: page.taken, cursor: page.cursor };
  return page.next === null ? null : { taken: 0, cursor: page.next };
}

function placesOf(cursor: string | null, lists: number): readonly Place[] {
  if (cursor === null) return Array.from({ length: lists }, () => ({ taken: 0, cursor: null }));
  const { success, data } = PLACES.length(lists).safeParse(parseJson(cursor));
  if (!success) throw badCursor();
  return data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function badCursor(): Error {
  return badField('cursor', 'must be one that this list has given');
}
