const REDACTED = '[redacted]';
const MAX_DEPTH = 8;
/** A line that is longer is cut (S-53): a stack and its causes fit. */
const LONGEST_TEXT = 8_192;
const CUT = '…[cut]';

/** Names whose values never reach a log, whatever they hold (S-40). Compared lower-cased, without `-` and `_`. */
const SECRET_NAMES = new Set(['code', 'codeverifier', 'key', 'passwordhash', 'signedorder']);

/** How other such names end: `new_password`, and header lines and settings of exchanges, which all have their own prefix. */
const SECRET_END =
  /(?:authorization|cookie|password|token|secret|passphrase|pepper|signature|(?:access|api|owner|private|session|signing)key)$/;

/** Shapes that never reach a log, in any place of a line (S-40). */
const SECRET_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/svc_sk_live_([0-9A-Za-z]{4})[0-9A-Za-z]+/g, `svc_sk_live_$1${REDACTED}`],
  [/eyJ[\w.-]{5,}/g, REDACTED],
  [/-----BEGIN [A-Z0-9 ]+-----[\s\S]*?(?:-----END [A-Z0-9 ]+-----|$)/g, REDACTED],
  // The private members of a JWK (RFC 7518, 6.2.2 and 6.3.2), also inside a text that was written as JSON again.
  [/("(?:d|p|q|dp|dq|qi)\\{0,3}":\\{0,3}")[\w-]{16,}/g, `$1${REDACTED}`],
  [/(refresh_token=|Bearer\s+|[#?&](?:token|code)=)[^\s"\\;&]+/gi, `$1${REDACTED}`],
];

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return shortened(value);
  if (typeof value !== 'object' || value === null || value instanceof Date || value instanceof Error) return value;
  if (depth > MAX_DEPTH) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  return redactNames(value, depth + 1);
}

function isSecret(name: string): boolean {
  const bare = name.toLowerCase().replaceAll(/[-_]/g, '');
  return SECRET_NAMES.has(bare) || SECRET_END.test(bare);
}

/** A copy in which every value under a secret name is replaced. */
export function redactNames(record: object, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      return [name, typeof value === 'string' && isSecret(name) ? REDACTED : redactValue(value, depth)];
    }),
  );
}

/** A text as a log may hold it: at most 8,192 characters. */
export function shortened(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}${CUT}` : text;
}

/** A finished line of the log in which every secret shape is replaced. */
export function redactPatterns(line: string): string {
  const withoutPasswords = line
    .split('@')
    .map((text, index, all) => (index < all.length - 1 ? withoutPassword(text) : text))
    .join('@');
  return SECRET_PATTERNS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), withoutPasswords);
}

/** Takes the text before an `@`; returns it without the password of an address (`postgres://user:password@…`) at its end. */
function withoutPassword(text: string): string {
  const colon = findPassword(text, startOfLastWord(text));
  return colon === null ? text : `${text.slice(0, colon + 1)}${REDACTED}`;
}

function startOfLastWord(text: string): number {
  let start = text.length;
  while (start > 0 && !/[\s"]/.test(text.charAt(start - 1))) start -= 1;
  return start;
}

/** Returns the place of the `:` between user and password of the first address from `start` on; null where there is none. */
function findPassword(text: string, start: number): number | null {
  for (let at = text.indexOf('://', start); at >= 0; at = text.indexOf('://', at + 3)) {
    const colon = text.indexOf(':', at + 3);
    if (colon < 0) return null;
    if (colon < text.length - 1 && !text.slice(at + 3, colon).includes('/')) return colon;
  }
  return null;
}
