import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { Secret } from '../../../platform/secrets/secret.js';
import { addressOfKey, randomKey } from '../ethereum.js';

/** What a private key looks like as text; not every such number is one. */
export const PRIVATE_KEY = /^0x[0-9a-fA-F]{64}$/;

/** Returns a new private key as `0x` and 64 hex digits, and its address. */
export function newKeyPair(): { readonly address: string; readonly privateKey: Secret } {
  const bytes = randomKey();
  try {
    return { address: addressOfKey(bytes), privateKey: new Secret(`0x${bytesToHex(bytes)}`) };
  } finally {
    bytes.fill(0);
  }
}

/** Returns the address of a private key; null where it is none: of another form, 0, or not below the order of the curve. */
export function addressOfPrivateKey(privateKey: Secret): string | null {
  if (!PRIVATE_KEY.test(privateKey.reveal())) return null;
  try {
    return withKeyBytes(privateKey, addressOfKey);
  } catch {
    // The cause may repeat the key.
    return null;
  }
}

/** Opens a private key as 32 bytes for one use, and wipes them (S-39). */
export function withKeyBytes<T>(privateKey: Secret, use: (bytes: Uint8Array) => T): T {
  const bytes = hexToBytes(privateKey.reveal().slice(2));
  try {
    return use(bytes);
  } finally {
    bytes.fill(0);
  }
}
