interface Level {
  readonly price: string;
  readonly size: string;
}

interface Sides {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** A whole book, and the version of it that the stream told last. */
export interface Book<T extends Sides = Sides> {
  readonly sequence: number;
  readonly data: T;
}

interface BookMessage {
  readonly type: string;
  readonly sequence?: number;
  readonly previous_sequence?: number | null;
  readonly data?: unknown;
}

function changed(levels: readonly Level[], changes: readonly Level[], direction: 1 | -1): Level[] {
  const sizes = new Map(levels.map(({ price, size }) => [price, size]));
  for (const { price, size } of changes) {
    if (size === '0') sizes.delete(price);
    else sizes.set(price, size);
  }
  const all = [...sizes].map(([price, size]) => ({ price, size }));
  return all.sort((a, b) => direction * (Number(a.price) - Number(b.price)));
}

/**
 * The book after a `snapshot`, which replaces it, or an `update`, which holds levels by their new size, `0` for none; null where the
 * update does not follow on what is known: the book is lost then.
 */
export function foldBook<T extends Sides>(book: Book<T> | undefined, message: BookMessage): Book<T> | null {
  const { type, sequence = 0, previous_sequence: previous, data } = message;
  if (type === 'snapshot') return { sequence, data: data as T };
  if (book === undefined || previous !== book.sequence) return null;
  const { bids, asks, ...more } = data as T;
  const sides = { bids: changed(book.data.bids, bids, -1), asks: changed(book.data.asks, asks, 1) };
  return { sequence, data: { ...book.data, ...more, ...sides } };
}

interface Row {
  readonly id: string;
}

/** A list as it is read: page by page. */
export interface Pages<T> {
  readonly pages: readonly { readonly data: readonly T[] }[];
}

type ReadPages<T, P extends Pages<T>> = P & {
  readonly pages: readonly (P['pages'][number] & { readonly data: readonly T[] })[];
};

/** The list with `row` in the place of the one of its id, else before all others; without it where `isKept` is false. */
export function foldRow<T extends Row, P extends Pages<T>>(list: P, row: T, isKept = true): P {
  const isThere = list.pages.some(({ data }) => data.some(({ id }) => id === row.id));
  if (!isThere && !isKept) return list;
  const { pages } = list as ReadPages<T, P>;
  const moved = pages.map((page, index) => {
    if (!isThere) return index === 0 ? { ...page, data: [row, ...page.data] } : page;
    const at = page.data.findIndex(({ id }) => id === row.id);
    if (at === -1) return page;
    return { ...page, data: [...page.data.slice(0, at), ...(isKept ? [row] : []), ...page.data.slice(at + 1)] };
  });
  return { ...list, pages: moved };
}

/** Whether a list that was read has other rows than those `ids`, which are all; of a list with more pages only those that were read count. */
export function differs(list: Pages<Row>, ids: ReadonlySet<string>, hasMore: boolean): boolean {
  const read = list.pages.flatMap(({ data }) => data.map(({ id }) => id));
  return read.some((id) => !ids.has(id)) || (!hasMore && new Set(read).size !== ids.size);
}

interface Trade {
  readonly id: string | null;
  readonly timestamp: string;
  readonly side: string;
  readonly price: string;
  readonly size: string;
  readonly outcome: { readonly id: string };
}

/** What two tellings of one trade agree in, also where one of them names no id. */
function dealOf({ timestamp, side, price, size, outcome }: Trade): string {
  return [Date.parse(timestamp), side, price, size, outcome.id].join(' ');
}

/**
 * The newest trades with one more, at most `most`. A trade that has come before under its id is left out; `isMaybeKnown` says that one
 * without an id may be in the list under the id that only the exchange's list has.
 */
export function foldTrade<T extends Trade>(
  trades: readonly T[],
  trade: T,
  { most, isMaybeKnown }: { readonly most: number; readonly isMaybeKnown: boolean },
): readonly T[] {
  const isKnown =
    (trade.id !== null && trades.some(({ id }) => id === trade.id)) ||
    (isMaybeKnown && trades.some((one) => dealOf(one) === dealOf(trade)));
  return isKnown ? trades : [trade, ...trades].slice(0, most);
}
