/** How a fault wants the items of a batch handled; those that it does not name are handled as ever. */
export interface ItemFaults {
  /** Items from this one on are not handled, and not answered. */
  readonly handled?: number;
  /** This one is not handled, and answered with an error of that status. */
  readonly refused?: ItemError;
  /** This one is handled, and answered with an error all the same. */
  readonly failed?: ItemError;
}

interface ItemError {
  readonly item: number;
  readonly status: number;
}

/** The answers to the items of a batch, one after the other; `refuse` says what an item answers that is refused with a status. */
export function answersOf<T, R>(
  items: readonly T[],
  { handled = items.length, refused, failed }: ItemFaults = {},
  { run, refuse }: { run: (item: T) => R; refuse: (status: number, item: T) => R },
): R[] {
  return items.slice(0, handled).map((item, at) => {
    if (refused?.item === at) return refuse(refused.status, item);
    const answer = run(item);
    return failed?.item === at ? refuse(failed.status, item) : answer;
  });
}
