import { createHash, type Hash } from 'node:crypto';

/** SHA-256 of bytes that come in parts: shows damage, proves no origin. */
export function startChecksum(): Hash {
  return createHash('sha256');
}
