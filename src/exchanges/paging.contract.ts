/**
 * One page of a list: at most `limit` items, perhaps none while `next` is set. `next` is the exchange's own cursor or offset,
 * null at the end of the list.
 */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** Which page: `cursor` is the `next` of the page before, null for the first; `limit` is 1 to 100. */
export interface Paging {
  readonly limit: number;
  readonly cursor: string | null;
}
