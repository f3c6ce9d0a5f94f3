/** The code of an error of Node or undici, such as `ECONNREFUSED`; empty where it has none. */
export function codeOf(error: unknown): string {
  const known = typeof error === 'object' && error !== null && 'code' in error;
  return known && typeof error.code === 'string' ? error.code : '';
}

/**
 * The cause of a failure reduced to its kind: messages of connections and parsers quote addresses and parts of answers,
 * which do not belong in a log (S-40).
 */
export function withoutText(error: unknown): Error {
  const name = error instanceof Error ? error.name : 'Error';
  return new Error(`${name} ${codeOf(error)}`.trimEnd());
}
