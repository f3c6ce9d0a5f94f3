import type { Secret } from '../platform/secrets/secret.js';

const LONGEST = 200;
/** So much of a text is looked at (S-53). */
const LOOKED_AT = 2_000;
const LONGEST_CODE = 64;
const CUT = '[…]';
const REPEATED_CUT = /\[…\](?: ?\[…\])+/g;

/** Control, formatting (bidirectional, zero-width) and unpaired surrogate characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\uFFFD]+/gu;

const LETTERS = /^[A-Za-z]{1,20}$/;
const SHORT_WORD = /^[A-Za-z0-9]{1,3}$/;

/** What looks like a key, signature, token or address, beside any long run without a space. */
const KEY_LIKE = [
  /-----BEGIN[^-]*-----[\s\S]*?(?:-----END[^-]*-----|$)/g,
  /\bsvc_sk_\S*/g,
  /eyJ[\w.-]{5,}/g,
  /\b0x[0-9a-fA-F]{16,}/g,
];

const LONG_RUN = /[A-Za-z0-9+/_=-]{28,}/g;
const KEY_CHARACTER = /[\w+/=.-]/;

/** Pieces of a credential of less than so many characters tell nothing. */
const LEAST_PIECE = 4;

/**
 * The exchange's own words, fit to be shown (S-39, S-45): on one line, without control characters, keys, signatures, tokens and
 * the given credentials, at most 200 characters long. Of a longer text than 2,000 characters the beginning counts (S-53).
 */
export function scrub(text: string, hidden: readonly Secret[] = []): string {
  const pieces = hidden.flatMap(fragments);
  const line = oneLine(text.slice(0, LOOKED_AT));
  const whole = text.length > LOOKED_AT ? withoutBrokenEnd(line, pieces) : line;
  const marked = KEY_LIKE.reduce((rest, pattern) => rest.replace(pattern, CUT), whole);
  const known = pieces.reduce((rest, fragment) => rest.replaceAll(fragment, CUT), marked);
  const clean = known.replace(LONG_RUN, (run) => (isCode(run) ? run : CUT)).replace(REPEATED_CUT, CUT);
  return clean.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/, '');
}

/** An error code of the exchange if it looks like one and is none of the given credentials, else null. */
export function scrubCode(code: string | null, hidden: readonly Secret[] = []): string | null {
  if (code === null || code.length > LONGEST_CODE || !isCode(code)) return null;
  return hidden.some((secret) => secret.reveal() === code) ? null : code;
}

/** Words joined by `_`, as error codes are: these are no keys, however long. Each has one way to be read (S-53). */
function isCode(text: string): boolean {
  const [first = '', ...others] = text.split('_');
  return LETTERS.test(first) && others.every((word) => LETTERS.test(word) || SHORT_WORD.test(word));
}

function oneLine(text: string): string {
  return text.replace(UNPRINTABLE, ' ').replace(/\s+/g, ' ').trim();
}

/** Where a text was cut off, its end may be the beginning of a credential or of a key, which nothing else would know. */
function withoutBrokenEnd(line: string, pieces: readonly string[]): string {
  const known = Math.max(0, ...pieces.map((piece) => beginningAtEnd(line, piece)));
  let end = line.length - known;
  while (end > 0 && KEY_CHARACTER.test(line.charAt(end - 1))) end -= 1;
  return end < line.length ? `${line.slice(0, end)}${CUT}` : line;
}

/** How many characters at the end of a text are the beginning of a piece. */
function beginningAtEnd(line: string, piece: string): number {
  for (let length = Math.min(piece.length - 1, line.length); length >= LEAST_PIECE; length -= 1) {
    if (line.endsWith(piece.slice(0, length))) return length;
  }
  return 0;
}

/** A credential whole, also as it looks on one line, and line by line where it has several. */
function fragments(secret: Secret): string[] {
  const value = secret.reveal();
  const all = new Set([value, oneLine(value), ...value.split(/\\n|[\r\n]+/)]);
  return [...all].filter((fragment) => fragment.length >= LEAST_PIECE);
}
