import { sameAddress } from '../polymarket.credentials.dto.js';
import type { WireSessionSigner } from './session-keys.wire.js';

/** What a key is authorised for: orders, and nothing else (polymarket-2026.md 4, 9). */
export const SCOPE = 'CLOB';

const TRADING_SCOPES: ReadonlySet<string> = new Set([SCOPE, 'ALL']);

/** Whether an entry of the owner's list lets a key trade on the order book now. */
export function isUsable({ address, scopes, valid_until: end }: WireSessionSigner, key: string, now: Date): boolean {
  const isLive = end === null || end > now;
  return isLive && sameAddress(address, key) && scopes.some((scope) => TRADING_SCOPES.has(scope.toUpperCase()));
}
