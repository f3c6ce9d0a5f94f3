import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { Page, Paging } from '../exchanges/exchange.js';
import { AuthenticatedText } from '../platform/crypto/authenticated-text.js';
import { sha256 } from '../platform/crypto/digests.js';
import { AppError, badField } from '../platform/errors/app-error.js';

const VERSION = 1;

const CURSOR = z.object({
  v: z.literal(VERSION),
  x: z.string(),
  o: z.string(),
  f: z.string(),
  c: z.string(),
  p: z.string().nullable(),
});

/** What a cursor is bound to; trading lists name the user too (DESIGN 5). */
export interface CursorScope {
  readonly exchange: string;
  readonly operation: string;
  readonly filters: object;
  readonly userId?: string;
}

/** Where a list goes on, and by what a repeated page is known. */
export interface Position {
  readonly paging: Paging;
  readonly firstId: string | null;
}

function fingerprint({ filters, userId }: CursorScope): string {
  const known = Object.entries(filters).filter(([, value]) => value !== undefined);
  const sorted = known.sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify([userId ?? null, sorted]))
    .toString('base64url')
    .slice(0, 22);
}

/** Opaque, authenticated cursors, bound to exchange, operation, filters and user (DESIGN 5, unified.md 9). */
@Injectable()
export class Cursors {
  constructor(private readonly texts: AuthenticatedText) {}

  /** Reads the client's cursor; one made up, or of another list, is `bad_request`. */
  read(scope: CursorScope, limit: number, cursor: string | undefined): Position {
    if (cursor === undefined) return { paging: { limit, cursor: null }, firstId: null };
    const parsed = CURSOR.safeParse(this.texts.decode(cursor));
    const fits =
      parsed.success &&
      parsed.data.x === scope.exchange &&
      parsed.data.o === scope.operation &&
      parsed.data.f === fingerprint(scope);
    if (!fits) throw badField('cursor', 'must be the next_cursor of this list with the same filters');
    return { paging: { limit, cursor: parsed.data.c }, firstId: parsed.data.p };
  }

  /**
   * The cursor to the page after this one, null at the end. An exchange that repeats its page or its cursor is
   * `exchange_error`, not an endless walk.
   */
  next<T>(scope: CursorScope, from: Position, page: Page<T>, idOf: (item: T) => string): string | null {
    const first = page.items[0];
    const firstId = first === undefined ? null : idOf(first);
    const repeats = firstId !== null && firstId === from.firstId && from.paging.cursor !== null;
    const stands = page.next !== null && page.next === from.paging.cursor;
    if (repeats || stands) {
      throw new AppError('exchange_error', `${scope.exchange} repeats a page of this list. Start it afresh.`);
    }
    if (page.next === null) return null;
    const { exchange, operation } = scope;
    const text = { v: VERSION, x: exchange, o: operation, f: fingerprint(scope), c: page.next, p: firstId };
    return this.texts.encode(text);
  }
}
