import { hash, hkdfSync } from 'node:crypto';

/** SHA-256 of a text's UTF-8 bytes. */
export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** A 32-byte key for one purpose, derived from a longer-lived secret (RFC 5869). */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `trading-proxy/${purpose}`, 32));
}
