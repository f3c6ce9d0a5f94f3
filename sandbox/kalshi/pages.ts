import { type KalshiQuery } from './query.js';

/**
 * One page of a list and the cursor of the next, which is empty on the last page. The cursor names the last item
 * served, so that new items in front shift nothing; one that names no item leads to page one (kalshi.md 3).
 */
export function paged<T>(
  items: readonly T[],
  query: KalshiQuery,
  options: PageOptions<T>,
): { page: T[]; cursor: string } {
  const limit = query.within('limit', [options.min ?? 1, options.max], options.default) || options.default;
  const last = decode(query.text('cursor'));
  const start = items.findIndex((item) => options.id(item) === last) + 1;
  const page = items.slice(start, start + limit);
  const final = page.at(-1);
  const more = final !== undefined && start + limit < items.length;
  return { page, cursor: more ? encode(options.id(final)) : '' };
}

export interface PageOptions<T> {
  default: number;
  max: number;
  /** Default 1; 0 where the exchange takes 0 for the default. */
  min?: number;
  id: (item: T) => string;
}

function encode(id: string): string {
  return Buffer.from(`v1:${id}`, 'utf8').toString('base64url');
}

function decode(cursor: string | undefined): string | undefined {
  const text = cursor === undefined ? '' : Buffer.from(cursor, 'base64url').toString('utf8');
  return text.startsWith('v1:') ? text.slice(3) : undefined;
}
