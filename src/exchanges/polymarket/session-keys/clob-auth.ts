import { bytesToHex } from '@noble/hashes/utils.js';
import type { Secret } from '../../../platform/secrets/secret.js';
import { domainSeparator, keccak, keccakText, signDigest, typedDataDigest, word } from '../ethereum.js';
import { withKeyBytes } from './private-key.js';

const CLOB_AUTH_TYPE = keccakText('ClobAuth(address address,string timestamp,uint256 nonce,string message)');
const CLOB_AUTH_DOMAIN = domainSeparator({ name: 'ClobAuthDomain', version: '1' });
const MESSAGE = keccakText('This message attests that I control the given wallet');

/** Each nonce has API credentials of its own; everybody uses the first. */
const NONCE = 0n;

/** A key pair that signs for itself: the address is that of the key, never of a wallet that it trades for. */
export interface AttestingKey {
  readonly address: string;
  readonly privateKey: Secret;
}

/** Returns the EIP-712 digest by which a key asks for API credentials; `timestamp` is in Unix seconds (polymarket.md 3). */
export function clobAuthDigest(address: string, timestamp: string): Uint8Array {
  const struct = keccak(CLOB_AUTH_TYPE, word(BigInt(address)), keccakText(timestamp), word(NONCE), MESSAGE);
  return typedDataDigest(CLOB_AUTH_DOMAIN, struct);
}

/** Returns the four headers of an L1 call, signed for the whole second that `at` lies in (polymarket.md 11.2). */
export function clobAuthHeaders({ address, privateKey }: AttestingKey, at: Date): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const digest = clobAuthDigest(address, timestamp);
  const signature = withKeyBytes(privateKey, (bytes) => signDigest(bytes, digest));
  return {
    POLY_ADDRESS: address,
    POLY_SIGNATURE: `0x${bytesToHex(signature)}`,
    POLY_TIMESTAMP: timestamp,
    POLY_NONCE: String(NONCE),
  };
}
