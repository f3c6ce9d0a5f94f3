import type { SignedPolymarketClient } from '../connection/client.js';
import { sameAddress } from '../polymarket.credentials.dto.js';
import { type WireSessionSigner, type WireSessionSigners, wireSessionSigners } from './session-keys.wire.js';

/** What a key is authorised for: orders, and nothing else (polymarket.md 11, 15). */
export const SCOPE = 'CLOB';

const TRADING_SCOPES: ReadonlySet<string> = new Set([SCOPE, 'ALL']);

/** Reads which keys may trade for a wallet; only its owner is told. */
export async function readSigners(owner: SignedPolymarketClient, signal?: AbortSignal): Promise<WireSessionSigners> {
  return (await owner.read('/v1/user/session-signers', [], wireSessionSigners, signal)).value;
}

/** Whether an entry of the owner's list lets a key trade on the order book now. */
export function isUsable({ address, scopes, valid_until: end }: WireSessionSigner, key: string, now: Date): boolean {
  const isLive = end === null || end > now;
  return isLive && sameAddress(address, key) && scopes.some((scope) => TRADING_SCOPES.has(scope.toUpperCase()));
}
