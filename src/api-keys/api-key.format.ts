import { crc32 } from 'node:zlib';
import { randomId } from '../platform/secrets/random.js';

const START = 'svc_sk_live_';
const ID_CHARACTERS = 4;
const RANDOM_CHARACTERS = 32;
const CHECKSUM_CHARACTERS = 6;
const FORM = /^svc_sk_live_[0-9A-Za-z]{42}$/;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** CRC32 as six base62 characters, left-padded with `0` (contract.md 4). */
function checksum(text: string): string {
  let rest = crc32(text) >>> 0;
  let digits = '';
  while (rest > 0) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits.padStart(CHECKSUM_CHARACTERS, '0');
}

/** A new key: `svc_sk_live_` + 4 id and 32 random base62 characters + 6 of checksum; 214 random bits (S-27). */
export function generateApiKey(): string {
  const body = START + randomId(ID_CHARACTERS + RANDOM_CHARACTERS);
  return body + checksum(body);
}

/** Whether a text can be a key at all: its form and its checksum, without a look into the database (S-27). */
export function isApiKey(text: string): boolean {
  if (!FORM.test(text)) return false;
  const body = text.slice(0, -CHECKSUM_CHARACTERS);
  return checksum(body) === text.slice(-CHECKSUM_CHARACTERS);
}

/** The part of a key that may be shown: `svc_sk_live_` and the next four characters (contract.md 1). */
export function prefixOf(key: string): string {
  return key.slice(0, START.length + ID_CHARACTERS);
}
