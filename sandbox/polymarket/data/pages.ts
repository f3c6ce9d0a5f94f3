import { type Json } from '../../wire/json.js';

/** The envelope of a list; `offset` is for show. */
export interface DataPage {
  data: Json[];
  pagination: { limit: number; offset: number; has_more: boolean; next_cursor: string | null };
}

/** Where a page stands: its size, fixed by the first page, and how many rows went before. */
export interface Place {
  limit: number;
  offset: number;
}

export function dataPage(data: Json[], { limit, offset }: Place, next: string | undefined): DataPage {
  return { data, pagination: { limit, offset, has_more: next !== undefined, next_cursor: next ?? null } };
}

/** Page size and place out of a cursor of our own making. */
export function placeOf({ limit, offset }: Json): Place {
  return { limit: Number(limit), offset: Number(offset) };
}
