import type { Secret } from '../platform/crypto/secret.js';

const LONGEST = 200;
const CUT = '[…]';
const REPEATED_CUT = /\[…\](?: ?\[…\])+/g;

/** Control, formatting (bidirectional, zero-width) and unpaired surrogate characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\uFFFD]+/gu;

/** Words joined by `_`, as error codes are: these are no keys, however long. */
const CODE = /^[A-Za-z]{1,20}(?:_(?:[A-Za-z]{1,20}|[A-Za-z0-9]{1,3}))*$/;

/** What looks like a key, signature, token or address, beside any long run without a space. */
const KEY_LIKE = [
  /-----BEGIN[^-]*-----[\s\S]*?(?:-----END[^-]*-----|$)/g,
  /\bsvc_sk_\S*/g,
  /\beyJ[\w-]+\.[\w-]*(?:\.[\w-]*)?/g,
  /\b0x[0-9a-fA-F]{16,}/g,
];

const LONG_RUN = /[A-Za-z0-9+/_=-]{28,}/g;

/**
 * The exchange's own words, fit to be shown (S-45): on one line, without control characters, keys, signatures, tokens and
 * the given credentials, at most 200 characters long.
 */
export function scrub(text: string, hidden: readonly Secret[] = []): string {
  const line = text.replace(UNPRINTABLE, ' ').replace(/\s+/g, ' ').trim();
  const marked = KEY_LIKE.reduce((rest, pattern) => rest.replace(pattern, CUT), line);
  const known = hidden.flatMap(fragments).reduce((rest, fragment) => rest.replaceAll(fragment, CUT), marked);
  const clean = known.replace(LONG_RUN, (run) => (CODE.test(run) ? run : CUT)).replace(REPEATED_CUT, CUT);
  return clean.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/, '');
}

/** An error code of the exchange if it looks like one and is none of the given credentials, else null. */
export function scrubCode(code: string | null, hidden: readonly Secret[] = []): string | null {
  if (code === null || code.length > 64 || !CODE.test(code)) return null;
  return hidden.some((secret) => secret.reveal() === code) ? null : code;
}

/** A credential whole, and line by line where it has several; pieces of less than four characters tell nothing. */
function fragments(secret: Secret): string[] {
  const value = secret.reveal();
  return [value, ...value.split(/\\n|[\r\n]+/)].filter((fragment) => fragment.length >= 4);
}
