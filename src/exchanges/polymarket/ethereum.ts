import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/* Hashes, keys and signatures of Ethereum, as EIP-712 and the exchange use them (polymarket.md 3). */

/** The chain of the exchange: Polygon. */
export const CHAIN_ID = 137;

/** Hex digits of an EVM word. */
const WORD_DIGITS = 64;

/** What an EIP-712 domain consists of: `0x` addresses, chain `CHAIN_ID`. */
export interface DomainFields {
  readonly name: string;
  readonly version: string;
  /** Left out where the domain has no contract. */
  readonly verifyingContract?: string;
}

export function keccak(...parts: Uint8Array[]): Uint8Array {
  return keccak_256(concatBytes(...parts));
}

export function keccakText(text: string): Uint8Array {
  return keccak_256(utf8ToBytes(text));
}

/** A number, address or 32 bytes as one word, padded on the left. Throws RangeError where it does not fit. */
export function word(value: bigint): Uint8Array {
  const digits = value.toString(16);
  if (value < 0n || digits.length > WORD_DIGITS) throw new RangeError('The number does not fit into 256 bits.');
  return hexToBytes(digits.padStart(WORD_DIGITS, '0'));
}

/** Returns the hash of an EIP-712 domain. */
export function domainSeparator({ name, version, verifyingContract }: DomainFields): Uint8Array {
  const contract = verifyingContract === undefined ? '' : ',address verifyingContract';
  return keccak(
    keccakText(`EIP712Domain(string name,string version,uint256 chainId${contract})`),
    keccakText(name),
    keccakText(version),
    word(BigInt(CHAIN_ID)),
    ...(verifyingContract === undefined ? [] : [word(BigInt(verifyingContract))]),
  );
}

/** Returns what a wallet signs: the hash of a struct under a domain (EIP-712). */
export function typedDataDigest(separator: Uint8Array, struct: Uint8Array): Uint8Array {
  return keccak(Uint8Array.of(0x19, 0x01), separator, struct);
}

/** Returns 65 bytes: r, s and 27 or 28. `privateKey` has 32 bytes. */
export function signDigest(privateKey: Uint8Array, digest: Uint8Array): Uint8Array {
  const [recovery = 0, ...rest] = secp256k1.sign(digest, privateKey, { prehash: false, format: 'recovered' });
  return Uint8Array.of(...rest, 27 + recovery);
}

/** Returns the address whose key made a signature as `signDigest` makes it, in hex; null where no key can have. */
export function signerOf(signature: string, digest: Uint8Array): string | null {
  const recovery = Number.parseInt(signature.slice(128), 16) - 27;
  try {
    const recovered = hexToBytes(`0${recovery}${signature.slice(0, 128)}`);
    return addressOfPoint(secp256k1.recoverPublicKey(recovered, digest, { prehash: false }));
  } catch {
    return null;
  }
}

/** Returns the address of a private key of 32 bytes. Throws where it is none: 0, or not below the order of the curve. */
export function addressOfKey(privateKey: Uint8Array): string {
  return addressOfPoint(secp256k1.getPublicKey(privateKey));
}

/** Returns a new private key of 32 bytes. */
export function randomKey(): Uint8Array {
  return secp256k1.utils.randomSecretKey();
}

/** Returns an address with the capital letters that make its checksum (EIP-55). */
export function withChecksum(address: string): string {
  const digits = address.slice(2).toLowerCase();
  const hash = bytesToHex(keccakText(digits));
  const cased = Array.from(digits, (digit, index) => ((hash[index] ?? '0') >= '8' ? digit.toUpperCase() : digit));
  return `0x${cased.join('')}`;
}

function addressOfPoint(publicKey: Uint8Array): string {
  const [, ...point] = secp256k1.Point.fromBytes(publicKey).toBytes(false);
  return withChecksum(`0x${bytesToHex(keccak(Uint8Array.from(point))).slice(-40)}`);
}
