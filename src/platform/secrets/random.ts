import { randomBytes, randomFillSync, randomInt, randomUUID } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns random bytes as standard base64. */
export function randomBase64(bytes: number): string {
  return randomBytes(bytes).toString('base64');
}

/** Returns random bytes as URL-safe base64 without padding: for tokens. */
export function randomToken(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

/** Returns random base62 characters (`0-9A-Za-z`), each equally likely (S-27). */
export function randomId(characters: number): string {
  return Array.from({ length: characters }, () => BASE62.charAt(randomInt(BASE62.length))).join('');
}

/** A random UUID (RFC 9562): an id that nothing else has. */
export function randomUuid(): string {
  return randomUUID();
}

const pool = Buffer.alloc(4_096);
let taken = pool.length;

/**
 * A random multiple of 1/256 from 0 to below 1, each equally likely: for `ulid`, which asks 16 times for one id. The bytes come
 * from a pool, since to ask the system for each costs more than all else of a plain request.
 */
export function randomFraction(): number {
  if (taken === pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  const byte = pool[taken] ?? 0;
  taken += 1;
  return byte / 256;
}
