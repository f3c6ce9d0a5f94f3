import { GammaQuery, invalid } from './query.js';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** One page of a keyset list: how many, in which order, after what. */
export interface PageQuery {
  limit: number;
  order: string[];
  ascending: boolean;
  after: string | undefined;
}

/** An entry by the names that lists may be ordered by; `id` breaks ties. */
export type Sortable = Readonly<Record<string, unknown>> & { readonly id: string };

/** Paging parameters; `sortable` are the JSON field names that `order` may name. Throws a refusal. */
export function pageQuery(parameters: URLSearchParams, sortable: ReadonlySet<string>): PageQuery {
  const query = new GammaQuery(parameters);
  if (parameters.has('offset')) throw invalid('offset is not allowed on keyset endpoints');
  const order = (query.text('order') ?? '').split(',').filter((name) => name !== '');
  if (order.some((name) => !sortable.has(name))) throw invalid('order fields are not valid');
  return {
    limit: Math.min(query.positive('limit', 9) ?? DEFAULT_LIMIT, MAX_LIMIT),
    order,
    ascending: order.length === 0 || (query.boolean('ascending') ?? true),
    after: query.text('after_cursor'),
  };
}

/** The entries of a page, and the cursor of the next one unless this is the last. */
export function pageOf<T extends Sortable>(entries: readonly T[], page: PageQuery): { items: T[]; cursor?: string } {
  const sorted = [...entries].sort((one, other) => compare(keyOf(one, page), keyOf(other, page), page.ascending));
  const start = page.after === undefined ? 0 : startAfter(sorted, page, page.after);
  const items = sorted.slice(start, start + page.limit);
  const last = items.at(-1);
  const done = last === undefined || start + items.length >= sorted.length;
  return done ? { items } : { items, cursor: encodeCursor(page, keyOf(last, page)) };
}

type Key = (string | number | null)[];

/** The values that an entry is ordered by; its numeric id comes last. */
function keyOf(entry: Sortable, { order }: PageQuery): Key {
  const values = order.map((name) => {
    const value = entry[name];
    return typeof value === 'string' || typeof value === 'number' ? value : null;
  });
  return [...values, Number(entry.id)];
}

/** Entries without a value come last, whatever the direction. */
function compare(one: Key, other: Key, ascending: boolean): number {
  for (const [at, left] of one.entries()) {
    const right = other[at] ?? null;
    if (left === right) continue;
    if (left === null || right === null) return left === null ? 1 : -1;
    return left < right === ascending ? -1 : 1;
  }
  return 0;
}

function encodeCursor({ order, ascending }: PageQuery, key: Key): string {
  return Buffer.from(JSON.stringify([order.join(','), ascending, key]), 'utf8').toString('base64url');
}

function startAfter(sorted: readonly Sortable[], page: PageQuery, cursor: string): number {
  const key = decodeCursor(page, cursor);
  const next = sorted.findIndex((entry) => compare(keyOf(entry, page), key, page.ascending) > 0);
  return next < 0 ? sorted.length : next;
}

/** A cursor belongs to its order. */
function decodeCursor({ order, ascending }: PageQuery, cursor: string): Key {
  const parsed = parsed64(cursor);
  if (!Array.isArray(parsed)) throw invalid('cursor is invalid');
  const [sort, direction, key] = parsed as unknown[];
  if (sort !== order.join(',') || direction !== ascending || !isKey(key)) throw invalid('cursor is invalid');
  return key;
}

function parsed64(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

function isKey(value: unknown): value is Key {
  return (
    Array.isArray(value) && value.every((one) => one === null || typeof one === 'string' || typeof one === 'number')
  );
}
