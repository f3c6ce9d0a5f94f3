import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import type { Secret } from '../../platform/secrets/secret.js';
import {
  domainSeparator,
  keccak,
  keccakText,
  signDigest,
  typedDataDigest,
  word,
} from '../../exchanges/polymarket/ethereum.js';
import { withKeyBytes } from '../../exchanges/polymarket/session-keys/private-key.js';
import { SCOPE } from '../../exchanges/polymarket/session-keys/registry.js';

/* What the owner of a deposit wallet signs to authorise a session key or to revoke it (polymarket.md 11.1). */

/** The only lifetime that the exchange takes, in seconds: 4315 hours. */
const VALID_FOR_S = 15_534_000;
/** How long a signature is good, in seconds. */
const DEADLINE_S = 600;

const CALL = 'Call(address target,uint256 value,bytes data)';
const CALL_TYPE = keccakText(CALL);
const BATCH_TYPE = keccakText(`Batch(address wallet,uint256 nonce,uint256 deadline,Call[] calls)${CALL}`);
const AUTHORIZE = selectorOf('authorizeSessionSigner(address,uint256)');
const REVOKE = selectorOf('revokeSessionSigner(address)');

/** One call of a deposit wallet to itself; addresses are `0x…`, times Unix seconds. */
export interface WalletCall {
  readonly wallet: string;
  readonly session: string;
  /** Decimal digits. */
  readonly nonce: string;
  /** Until when the signature is good. */
  readonly deadline: number;
  /** Until when the key may trade; null revokes it. */
  readonly validUntil: number | null;
}

/** Returns the call that is to be signed `now`. */
export function walletCall(
  action: 'authorize' | 'revoke',
  of: Pick<WalletCall, 'wallet' | 'session' | 'nonce'>,
  now: Date,
): WalletCall {
  const seconds = Math.floor(now.getTime() / 1000);
  return { ...of, deadline: seconds + DEADLINE_S, validUntil: action === 'authorize' ? seconds + VALID_FOR_S : null };
}

/** Returns what the wallet is told to do, as the contract reads it. */
export function calldataOf({ session, validUntil }: WalletCall): Uint8Array {
  const key = word(BigInt(session));
  return validUntil === null ? concatBytes(REVOKE, key) : concatBytes(AUTHORIZE, key, word(BigInt(validUntil)));
}

/** Returns the EIP-712 digest that the owner signs. */
export function walletCallDigest(call: WalletCall): Uint8Array {
  const wallet = word(BigInt(call.wallet));
  const separator = domainSeparator({ name: 'DepositWallet', version: '1', verifyingContract: call.wallet });
  const only = keccak(CALL_TYPE, wallet, word(0n), keccak(calldataOf(call)));
  const nonce = word(BigInt(call.nonce));
  return typedDataDigest(separator, keccak(BATCH_TYPE, wallet, nonce, word(BigInt(call.deadline)), keccak(only)));
}

/** Returns the body of the relayer's route: numbers are texts. The key is of scope CLOB, so that it can trade and not withdraw (S-58). */
export function signedBody(call: WalletCall, ownerKey: Secret): string {
  const { wallet, session, nonce, deadline, validUntil } = call;
  const digest = walletCallDigest(call);
  const signature = withKeyBytes(ownerKey, (bytes) => signDigest(bytes, digest));
  return JSON.stringify({
    walletAddress: wallet,
    sessionSignerAddress: session,
    ...(validUntil !== null && { scopes: [SCOPE], validUntil: String(validUntil) }),
    nonce,
    deadline: String(deadline),
    signature: `0x${bytesToHex(signature)}`,
  });
}

/** The first four bytes of the hash of a function's signature. */
function selectorOf(signature: string): Uint8Array {
  return hexToBytes(bytesToHex(keccakText(signature)).slice(0, 8));
}
