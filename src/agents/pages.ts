/** `T` without members that are there and undefined. */
type Given<T> = { [Name in keyof T]: Exclude<T[Name], undefined> };

/** The query of a list: as a route has it, with `limit` as a text and without what was left out. */
export function pageOf<T extends { readonly limit: number }>({
  limit,
  ...rest
}: T): Given<Omit<T, 'limit'>> & { limit: string } {
  const given = Object.entries<unknown>(rest).filter(([, value]) => value !== undefined);
  return { ...(Object.fromEntries(given) as Given<Omit<T, 'limit'>>), limit: String(limit) };
}
