/** A list that is read page by page, newest first, as far as it is read. */
export interface MorePages<T> {
  /** Undefined before the first answer. */
  readonly data: readonly T[] | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
  readonly isReading: boolean;
  readonly hasMore: boolean;
  readonly loadMore: () => void;
}
