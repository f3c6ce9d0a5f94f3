import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { Page, Paging } from '../../exchanges/paging.contract.js';
import { AuthenticatedText } from '../../platform/crypto/authenticated-text.js';
import { sha256 } from '../../platform/crypto/digests.js';
import { AppError, badField } from '../../platform/errors/app-error.js';
import type { CursorListDto } from './paging.dto.js';

const VERSION = 1;

const CURSOR = z.object({
  v: z.literal(VERSION),
  x: z.string(),
  o: z.string(),
  f: z.string(),
  c: z.string(),
  p: z.string().nullable(),
  l: z.string().nullable().default(null),
  n: z.int().positive(),
  r: z.tuple([z.int(), z.int()]).default([0, 0]),
  m: z.object({ p: z.string().nullable(), c: z.string() }),
});

/** How often a list may show again what it has shown, at other places, before that is a circle: it may just grow. */
const MOST_REPEATS = 5;

/** What a cursor is bound to; trading lists name the user too (contract.md 5). */
export interface CursorScope {
  readonly exchange: string;
  readonly operation: string;
  readonly filters: object;
  readonly userId?: string;
}

/** Where a list goes on, and what shows that a page repeats: digests of the page before, and of one further back. */
export interface PageState {
  readonly paging: Paging;
  /** Of the first and the last item of the page before. */
  readonly firstItem: string | null;
  readonly lastItem: string | null;
  /** How many pages have been read. */
  readonly pages: number;
  /** The page whose number is the last power of two: a walk in a cycle meets it again (Brent's algorithm). */
  readonly mark: Mark | null;
  /** How many pages in a row began as the page before, and how many since the first began as the mark. */
  readonly repeats: readonly [inRow: number, asMark: number];
}

/** Digests of a page's first id and of the cursor behind it. */
interface Mark {
  readonly p: string | null;
  readonly c: string;
}

const START = { firstItem: null, lastItem: null, pages: 0, mark: null, repeats: [0, 0] } as const;

function fingerprint({ filters, userId }: CursorScope): string {
  const known = Object.entries(filters).filter(([, value]) => value !== undefined);
  const sorted = known.sort(([a], [b]) => (a < b ? -1 : 1));
  return digest(JSON.stringify([userId ?? null, sorted]));
}

function digest(text: string): string {
  return sha256(text).toString('base64url').slice(0, 22);
}

function isPowerOfTwo(count: number): boolean {
  return Number.isInteger(Math.log2(count));
}

function markOf<T>({ items: [first], next }: Page<T>, idOf: (item: T) => string): Mark {
  return { p: first === undefined ? null : digest(idOf(first)), c: digest(next ?? '') };
}

function lastOf<T>({ items }: Page<T>, idOf: (item: T) => string): string | null {
  const last = items.at(-1);
  return last === undefined ? null : digest(idOf(last));
}

/** Whether the cursor behind a page is the one that led to it, or that of the mark. */
function isCircle({ paging, mark }: PageState, { next }: Page<unknown>, here: Mark): boolean {
  return next !== null && (next === paging.cursor || here.c === mark?.c);
}

/** A page that begins as another one may be the same again, or the list has grown by just so much. */
function repeatsAt({ firstItem, mark, repeats: [inRow, asMark] }: PageState, { p }: Mark): [number, number] {
  if (p !== null && p === firstItem) return [inRow + 1, asMark];
  return [0, p !== null && p === mark?.p ? asMark + 1 : asMark];
}

/** Opaque, authenticated cursors, bound to exchange, operation, filters and user (contract.md 5, unified-schema.md 9, S-32). */
@Injectable()
export class Cursors {
  constructor(private readonly texts: AuthenticatedText) {}

  /** Reads the client's cursor; throws `bad_request` for one that is made up or of another list. */
  read(scope: CursorScope, limit: number, cursor: string | undefined): PageState {
    if (cursor === undefined) return { ...START, paging: { limit, cursor: null } };
    const parsed = CURSOR.safeParse(this.texts.decode(cursor));
    const fits =
      parsed.success &&
      parsed.data.x === scope.exchange &&
      parsed.data.o === scope.operation &&
      parsed.data.f === fingerprint(scope);
    if (!fits) throw badField('cursor', 'must be the next_cursor of this list with the same filters');
    const { c, p: firstItem, l: lastItem, n: pages, m: mark, r: repeats } = parsed.data;
    return { paging: { limit, cursor: c }, firstItem, lastItem, pages, mark, repeats };
  }

  /**
   * The answer of a list: the page read at `from` and the cursor to the next one. Of a user's own list, whose ids are of one item
   * each, it leaves out the first and the last item of the page before, where the list has grown. Throws as `next` does.
   */
  list<T>(
    scope: CursorScope,
    from: PageState,
    page: Page<T>,
    idOf: (item: T) => string,
  ): CursorListDto & { data: T[] } {
    const shown = scope.userId === undefined ? [] : [from.firstItem, from.lastItem];
    const data = page.items.filter((item) => idOf(item) === '' || !shown.includes(digest(idOf(item))));
    return { data, next_cursor: this.next(scope, from, page, idOf) };
  }

  /**
   * The cursor to the page after this one, null at the end. Throws `exchange_error` where the exchange repeats a cursor, also
   * after others, or the same items again and again, instead of an endless walk.
   */
  next<T>(scope: CursorScope, from: PageState, page: Page<T>, idOf: (item: T) => string): string | null {
    const here = markOf(page, idOf);
    const repeats = repeatsAt(from, here);
    if (isCircle(from, page, here) || Math.max(...repeats) > MOST_REPEATS) {
      throw new AppError('exchange_error', `${scope.exchange} repeats a page of this list. Start it afresh.`);
    }
    if (page.next === null) return null;
    const pages = from.pages + 1;
    const mark = from.mark === null || isPowerOfTwo(pages) ? here : from.mark;
    const { exchange: x, operation: o } = scope;
    const f = fingerprint(scope);
    const l = lastOf(page, idOf);
    return this.texts.encode({ v: VERSION, x, o, f, c: page.next, p: here.p, l, n: pages, m: mark, r: repeats });
  }
}
