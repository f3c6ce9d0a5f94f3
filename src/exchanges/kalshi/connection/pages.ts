import { AppError } from '../../../platform/errors/app-error.js';
import type { Answer } from '../../checked-answer.js';
import type { Page, Paging } from '../../paging.contract.js';
import { eachItem } from '../../page-walk.js';
import { isNotFound } from '../../upstream-errors.js';
import { KALSHI } from '../kalshi.ids.js';

/** Reads one page of a list, or of the live or archived part of one; the first for null. */
export type ReadPart<T> = (cursor: string | null, limit: number) => Promise<Answer<Page<T>>>;

/** Marks cursors that are the archive's: the two parts of a list know nothing of each other. */
const ARCHIVE = 'archive:';

/**
 * Returns one page of a list whose older part lives in the archive (kalshi.md 8). Where the live part ends, the page goes on
 * in the archive, so that a short list is one page. No archive (null), or one that knows nothing of it, ends the list; so
 * does one that cannot have anything, which is asked (`mayHold`) only where the live part has ended.
 */
export async function liveThenArchive<T>(
  { cursor, limit }: Paging,
  live: ReadPart<T>,
  archive: ReadPart<T> | null,
  mayHold: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<Answer<Page<T>>> {
  if (archive !== null && cursor?.startsWith(ARCHIVE)) {
    return fromArchive(archive, cursor.slice(ARCHIVE.length) || null, limit);
  }
  const page = await live(cursor, limit);
  const { items, next } = page.value;
  if (next !== null || archive === null || !(await mayHold())) return page;
  const room = limit - items.length;
  if (room <= 0) return { ...page, value: { items, next: ARCHIVE } };
  const older = (await fromArchive(archive, null, room)).value;
  return { ...page, value: { items: [...items, ...older.items], next: older.next } };
}

/** Yields all items, `limit` in a page. Throws `exchange_error` where the pages do not come to an end. */
export function eachOf<T>(read: ReadPart<T>, limit: number): AsyncGenerator<T, void, undefined> {
  return eachItem(async (cursor) => (await read(cursor, limit)).value, endless);
}

function endless(): AppError {
  return new AppError('exchange_error', 'Kalshi gave pages of a list without end. Try again later.', {
    details: { exchange: { id: KALSHI, status: null, code: null } },
  });
}

/** Returns the same page with each item translated. */
export function mapped<T, U>({ value, at }: Answer<Page<T>>, translate: (item: T) => U): Answer<Page<U>> {
  return { value: { items: value.items.map(translate), next: value.next }, at };
}

/** Reads the same pages with the items that are wanted. */
export function filtered<T>(read: ReadPart<T>, isWanted: (item: T) => boolean): ReadPart<T> {
  return async (cursor, limit) => {
    const { value, at } = await read(cursor, limit);
    return { value: { items: value.items.filter(isWanted), next: value.next }, at };
  };
}

/** A part that is read only where `mayHold`, which is asked before its first page; it is empty otherwise. */
export function onlyWhere<T>(mayHold: () => Promise<boolean>, read: ReadPart<T>): ReadPart<T> {
  return async (cursor, limit) => (cursor !== null || (await mayHold()) ? read(cursor, limit) : nothing());
}

function nothing(): Answer<Page<never>> {
  return { value: { items: [], next: null }, at: new Date() };
}

async function fromArchive<T>(archive: ReadPart<T>, cursor: string | null, limit: number): Promise<Answer<Page<T>>> {
  const { value, at } = await emptyWhereAbsent(archive)(cursor, limit);
  return { value: { ...value, next: value.next === null ? null : `${ARCHIVE}${value.next}` }, at };
}

/** An archive that answers 404 has nothing; `isAbsent` says which errors mean that. */
export function emptyWhereAbsent<T>(archive: ReadPart<T>, isAbsent = isNotFound): ReadPart<T> {
  return async (cursor, limit) => {
    try {
      return await archive(cursor, limit);
    } catch (error) {
      if (isAbsent(error)) return nothing();
      throw error;
    }
  };
}

/** Whether the exchange itself says so, with a code of its own, and no gateway on the way. */
export function isToldNotFound(error: unknown): boolean {
  return isNotFound(error) && error instanceof AppError && typeof error.details?.exchange?.code === 'string';
}
