import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/** The bytes of a `0x…` text. Throws for odd or foreign characters. */
export function fromHex(text: string): Uint8Array {
  return hexToBytes(text.startsWith('0x') ? text.slice(2) : text);
}

export function toHex(bytes: Uint8Array): string {
  return `0x${bytesToHex(bytes)}`;
}

export function keccak(...parts: Uint8Array[]): Uint8Array {
  return keccak_256(concatBytes(...parts));
}

export function keccakText(text: string): Uint8Array {
  return keccak_256(utf8ToBytes(text));
}

/** A number as a 32-byte word of the EVM. Throws `RangeError` where it does not fit. */
export function word(value: bigint): Uint8Array {
  if (value < 0n || value >> 256n !== 0n) throw new RangeError('The number does not fit into 256 bits.');
  return hexToBytes(value.toString(16).padStart(64, '0'));
}

/** An address or any other `0x…` text, padded on the left to a 32-byte word. */
export function hexWord(text: string): Uint8Array {
  return word(BigInt(text));
}
