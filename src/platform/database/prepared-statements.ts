/** Short, as each connection keeps them; the same text is one statement. */
const NAMES = new Map<string, string>();

/**
 * Makes each connection of the pool prepare a statement once, so that PostgreSQL neither reads nor plans it for every order
 * (docs/performance.md says what that saves). For a constant text alone: each stays on each connection. Inside a transaction it is sent
 * as any other.
 */
export function prepared<Sql extends string>(sql: Sql): Sql {
  if (!NAMES.has(sql)) NAMES.set(sql, `often_${NAMES.size + 1}`);
  return sql;
}

/** The name of a statement that is prepared. */
export function nameOf(sql: string): string | undefined {
  return NAMES.get(sql);
}
