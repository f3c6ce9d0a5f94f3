import { concatBytes } from '@noble/hashes/utils.js';
import { fromHex, hexWord, word } from './hex.js';

/** Calldata of a deposit wallet's session keys (polymarket.md 11.1). */

const AUTHORISE = fromHex('0x24017fae');
const REVOKE = fromHex('0xe63f952f');

/** `authorizeSessionSigner(address,uint256)`; `validUntil` in Unix seconds. */
export function authoriseCall(address: string, validUntil: bigint): Uint8Array {
  return concatBytes(AUTHORISE, hexWord(address), word(validUntil));
}

/** `revokeSessionSigner(address)`. */
export function revokeCall(address: string): Uint8Array {
  return concatBytes(REVOKE, hexWord(address));
}
