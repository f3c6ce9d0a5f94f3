import { AppError } from '../../../platform/errors/app-error.js';
import type { Paging } from '../../exchange.js';
import type { Answer } from './client.js';

/** One page of a list as it was read; `next` is null at the end. */
export interface Chunk<T> {
  readonly items: readonly T[];
  readonly next: string | null;
  readonly receivedAt: Date;
}

export type ReadChunk<T> = (cursor: string | null, limit: number) => Promise<Chunk<T>>;

/** Marks cursors that are the archive's: the two parts of a list know nothing of each other. */
const ARCHIVE = 'archive:';

/**
 * One page of a list whose older part lives in the archive (kalshi.md 7). Where the live part ends, the page goes on in the
 * archive, so that a short list is one page. No archive (null), or one that knows nothing of it, ends the list; so does one
 * that cannot have anything, which is asked (`mayHold`) only where the live part has ended.
 */
export async function liveThenArchive<T>(
  { cursor, limit }: Paging,
  live: ReadChunk<T>,
  archive: ReadChunk<T> | null,
  mayHold: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<Chunk<T>> {
  if (archive !== null && cursor?.startsWith(ARCHIVE)) {
    return fromArchive(archive, cursor.slice(ARCHIVE.length) || null, limit);
  }
  const page = await live(cursor, limit);
  if (page.next !== null || archive === null || !(await mayHold())) return page;
  const room = limit - page.items.length;
  if (room <= 0) return { ...page, next: ARCHIVE };
  const older = await fromArchive(archive, null, room);
  return { items: [...page.items, ...older.items], next: older.next, receivedAt: page.receivedAt };
}

/** So many pages are read at most before a list that should end is taken for one that does not. */
const MOST_PAGES = 200;

/** All items, page after page. Throws `exchange_error` where a page repeats itself, or where they do not come to an end. */
export async function* allItems<T>(read: ReadChunk<T>, limit: number): AsyncGenerator<T, void, undefined> {
  const seen = new Set<string>();
  let cursor: string | null = null;
  do {
    const page: Chunk<T> = await read(cursor, limit);
    yield* page.items;
    cursor = page.next;
    if (cursor !== null && (seen.has(cursor) || seen.size >= MOST_PAGES)) {
      throw new AppError('exchange_error', 'Kalshi gave pages of a list without end. Try again later.', {
        details: { exchange: { id: 'kalshi', status: null, code: null } },
      });
    }
    seen.add(cursor ?? '');
  } while (cursor !== null);
}

/** An answer with a list in it as a chunk. */
export function chunk<B extends { cursor: string | null }, T>(
  { body, receivedAt }: Answer<B>,
  items: (body: B) => readonly T[],
): Chunk<T> {
  return { items: items(body), next: body.cursor, receivedAt };
}

/** The same chunk with each item translated. */
export function mapped<T, U>({ items, ...rest }: Chunk<T>, translate: (item: T) => U): Chunk<U> {
  return { ...rest, items: items.map(translate) };
}

async function fromArchive<T>(archive: ReadChunk<T>, cursor: string | null, limit: number): Promise<Chunk<T>> {
  const page = await emptyWhereAbsent(archive)(cursor, limit);
  return { ...page, next: page.next === null ? null : `${ARCHIVE}${page.next}` };
}

/** An archive that answers 404 has nothing; `isAbsent` says which errors mean that. */
export function emptyWhereAbsent<T>(archive: ReadChunk<T>, isAbsent = isNotFound): ReadChunk<T> {
  return async (cursor, limit) => {
    try {
      return await archive(cursor, limit);
    } catch (error) {
      if (isAbsent(error)) return { items: [], next: null, receivedAt: new Date() };
      throw error;
    }
  };
}

/** That the exchange itself says so, with a code of its own, and no gateway on the way. */
export function isToldNotFound(error: unknown): boolean {
  return isNotFound(error) && error instanceof AppError && typeof error.details?.exchange?.code === 'string';
}

export function isNotFound(error: unknown): boolean {
  return error instanceof AppError && error.code === 'not_found';
}
