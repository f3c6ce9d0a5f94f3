import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { Page, Paging } from '../../exchanges/exchange.js';
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
  n: z.int().positive(),
  m: z.object({ p: z.string().nullable(), c: z.string() }),
});

/** What a cursor is bound to; trading lists name the user too (contract.md 5). */
export interface CursorScope {
  readonly exchange: string;
  readonly operation: string;
  readonly filters: object;
  readonly userId?: string;
}

/** Where a list goes on, and what shows that a page repeats: a digest of the page before, and of one further back. */
export interface PageState {
  readonly paging: Paging;
  readonly firstPage: string | null;
  /** How many pages have been read. */
  readonly pages: number;
  /** The page whose number is the last power of two: a walk in a cycle meets it again (Brent's algorithm). */
  readonly mark: Mark | null;
}

/** Digests of a page's first id and of the cursor behind it. */
interface Mark {
  readonly p: string | null;
  readonly c: string;
}

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

/** Whether a page, or the cursor behind it, is that of the page before or of the mark. */
function repeats({ paging, firstPage, mark }: PageState, { next }: Page<unknown>, here: Mark): boolean {
  const isSeen = here.p !== null && (here.p === firstPage || here.p === mark?.p);
  return isSeen || (next !== null && (next === paging.cursor || here.c === mark?.c));
}

/** Opaque, authenticated cursors, bound to exchange, operation, filters and user (contract.md 5, unified-schema.md 9). */
@Injectable()
export class Cursors {
  constructor(private readonly texts: AuthenticatedText) {}

  /** Reads the client's cursor; throws `bad_request` for one that is made up or of another list. */
  read(scope: CursorScope, limit: number, cursor: string | undefined): PageState {
    if (cursor === undefined) return { paging: { limit, cursor: null }, firstPage: null, pages: 0, mark: null };
    const parsed = CURSOR.safeParse(this.texts.decode(cursor));
    const fits =
      parsed.success &&
      parsed.data.x === scope.exchange &&
      parsed.data.o === scope.operation &&
      parsed.data.f === fingerprint(scope);
    if (!fits) throw badField('cursor', 'must be the next_cursor of this list with the same filters');
    const { c, p: firstPage, n: pages, m: mark } = parsed.data;
    return { paging: { limit, cursor: c }, firstPage, pages, mark };
  }

  /** The answer of a list: the page read at `from` and the cursor to the next one. Throws as `next` does. */
  list<T>(
    scope: CursorScope,
    from: PageState,
    page: Page<T>,
    idOf: (item: T) => string,
  ): CursorListDto & { data: T[] } {
    return { data: [...page.items], next_cursor: this.next(scope, from, page, idOf) };
  }

  /**
   * The cursor to the page after this one, null at the end. Throws `exchange_error` where the exchange repeats a page or a
   * cursor, also after others, instead of an endless walk.
   */
  next<T>(scope: CursorScope, from: PageState, page: Page<T>, idOf: (item: T) => string): string | null {
    const here = markOf(page, idOf);
    if (repeats(from, page, here)) {
      throw new AppError('exchange_error', `${scope.exchange} repeats a page of this list. Start it afresh.`);
    }
    if (page.next === null) return null;
    const pages = from.pages + 1;
    const mark = from.mark === null || isPowerOfTwo(pages) ? here : from.mark;
    const { exchange: x, operation: o } = scope;
    return this.texts.encode({ v: VERSION, x, o, f: fingerprint(scope), c: page.next, p: here.p, n: pages, m: mark });
  }
}
