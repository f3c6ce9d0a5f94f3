import { z } from 'zod';
import { AppError } from '../platform/errors/app-error.js';
import type { Page, Paging } from './paging.contract.js';
import { badCursor, type ReadPage } from './page-walk.js';
import { isKeyRefused } from './upstream-errors.js';

/* Several lists of an exchange as one (contract.md 5.6). */

const CHAINED = /^(\d{1,2}):(.*)$/s;

/**
 * Returns the lists as one, one behind the other. Where the first one refuses its key, it is asked again behind all others: what
 * they show is not kept back, and the error comes in place of an end.
 */
export function chainPages<T>(reads: readonly ReadPage<T>[]): ReadPage<T> {
  const turns = [...reads, ...reads.slice(1), ...reads.slice(0, 1)];
  const readList = async (index: number, cursor: string | null): Promise<Page<T>> => {
    const read = turns[index];
    if (read === undefined) throw badCursor();
    const { items, next } = await read(cursor);
    if (next !== null) return { items, next: `${String(index)}:${next}` };
    const isEnd = (index + 1) % reads.length === 0;
    return { items, next: isEnd ? null : `${String(index + 1)}:` };
  };
  return async (cursor) => {
    const [, number, inner = ''] = CHAINED.exec(cursor ?? '0:') ?? [];
    try {
      return await readList(Number(number), inner === '' ? null : inner);
    } catch (error) {
      if (cursor !== null || reads.length < 2 || !isKeyRefused(error)) throw error;
      return readList(reads.length, null);
    }
  };
}

/** Where a merged list goes on: of each list the page, and how many of its items were taken; null behind its end. */
const POSITIONS = z.array(z.object({ taken: z.int().nonnegative(), cursor: z.string().nullable() }).nullable());
type ListPosition = { readonly taken: number; readonly cursor: string | null } | null;

/** A page that items are taken from. */
interface OpenPage<T> extends Page<T> {
  readonly cursor: string | null;
  taken: number;
}

/**
 * Returns at most `limit` items of several lists, each of them sorted from new to old, sorted so; of the same time the earlier
 * list goes first. It reads one page of each list, so there may be fewer items, even none, while `next` is set. A list that
 * refuses its key is left for later; its error is thrown once no other one goes on. Throws `repeated()` where a page names
 * itself as the next one.
 */
export async function mergePages<T>(
  reads: readonly ReadPage<T>[],
  timeOf: (item: T) => Date,
  { limit, cursor }: Paging,
  repeated: () => Error,
): Promise<Page<T>> {
  const positions = positionsOf(cursor, reads.length);
  const pages = await Promise.all(reads.map((read, index) => openPage(read, positions[index] ?? null)));
  const open = pages.filter((page): page is OpenPage<T> => page !== null && !(page instanceof AppError));
  const refused = pages.find((page) => page instanceof AppError);
  if (refused !== undefined && open.length === 0) throw refused;
  if (open.some((page) => page.next !== null && page.next === page.cursor)) throw repeated();
  const items: T[] = [];
  // Behind the last item of a page that is not the last one, its list may go on with an item that is newer than all others.
  while (items.length < limit && !open.some((page) => isUsedUp(page) && page.next !== null)) {
    const newest = newestOf(open, timeOf);
    if (newest === null) break;
    items.push(...newest.items.slice(newest.taken, newest.taken + 1));
    newest.taken += 1;
  }
  const following = pages.map((page, index) =>
    page === null || page instanceof AppError ? (positions[index] ?? null) : positionAfter(page),
  );
  return { items, next: following.every((position) => position === null) ? null : JSON.stringify(following) };
}

/** Returns the error of a list that refuses its key. */
async function openPage<T>(read: ReadPage<T>, position: ListPosition): Promise<OpenPage<T> | AppError | null> {
  if (position === null) return null;
  try {
    return { ...(await read(position.cursor)), ...position };
  } catch (error) {
    if (isKeyRefused(error)) return error;
    throw error;
  }
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

function positionAfter(page: OpenPage<unknown>): ListPosition {
  if (!isUsedUp(page)) return { taken: page.taken, cursor: page.cursor };
  return page.next === null ? null : { taken: 0, cursor: page.next };
}

function positionsOf(cursor: string | null, lists: number): readonly ListPosition[] {
  if (cursor === null) return Array.from({ length: lists }, () => ({ taken: 0, cursor: null }));
  const { success, data } = POSITIONS.length(lists).safeParse(parseJson(cursor));
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
