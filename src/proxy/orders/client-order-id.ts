import { sha256 } from '../../platform/crypto/digests.js';
import type { Claim } from '../placing/placement.js';

/**
 * A UUID of user, exchange, key and the random value of the record, so that the exchange itself takes a repeat once, and the
 * same key after 24 h is another order (contract.md 5.3, R-14, R-26).
 */
export function deriveClientOrderId({
  userId,
  exchange,
  key,
  nonce,
}: Pick<Claim, 'userId' | 'exchange' | 'key' | 'nonce'>): string {
  const hex = sha256(JSON.stringify(['client-order-id', userId, exchange, key, nonce])).toString('hex');
  const variant = ((parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
