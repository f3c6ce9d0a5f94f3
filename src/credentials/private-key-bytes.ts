import { SealBrokenError } from '../platform/crypto/crypto.service.js';

const BYTES = 32;
const PREFIX = '0x'.length;

/** The value of a hex digit by its ASCII code; NaN of anything else. */
function digit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : Number.NaN;
}

/**
 * Runs `use` with the 32 bytes of a private key that is written as `0x` and 64 hex digits, and wipes them after; makes no text
 * of them, since texts cannot be wiped (S-39). `use` must be done with the key when it returns. Throws SealBrokenError where it
 * is no key.
 */
export function withPrivateKeyBytes<T>(text: Uint8Array, use: (privateKey: Uint8Array) => T): T {
  if (text.length !== PREFIX + BYTES * 2) throw new SealBrokenError('the sealed value is no private key');
  const key = Buffer.alloc(BYTES);
  try {
    for (let at = 0; at < BYTES; at += 1) {
      const first = PREFIX + at * 2;
      const byte = digit(text[first] ?? 0) * 16 + digit(text[first + 1] ?? 0);
      if (Number.isNaN(byte)) throw new SealBrokenError('the sealed value is no private key');
      key[at] = byte;
    }
    return use(key);
  } finally {
    key.fill(0);
  }
}
