import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type { Secret } from './secret.js';

const ROUNDS = 4_096;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

/**
 * What PostgreSQL stores of a password (SCRAM-SHA-256, RFC 5802 3), so that neither a statement nor a log of the server holds the
 * password itself. For ASCII alone, which RFC 4013 leaves as it is.
 */
export function scramVerifier(password: Secret, salt = randomBytes(SALT_BYTES)): string {
  const salted = pbkdf2Sync(password.reveal(), salt, ROUNDS, KEY_BYTES, 'sha256');
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest();
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ROUNDS}:${salt.toString('base64')}$${stored}:${keyOf('Server Key').toString('base64')}`;
}
