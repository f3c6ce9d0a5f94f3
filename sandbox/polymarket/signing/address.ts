import { secp256k1 } from '@noble/curves/secp256k1.js';
import { fromHex, hexWord, keccak, keccakText, toHex } from './hex.js';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const PROXY_FACTORY = '0xaB45c5A4B0c941a2F231C04C3f49182e1A254052';
const PROXY_CODE_HASH = '0xd21df8dc65880a8606f09fe0ce3df9b8869287ab0b058be05aa9e8af6330a00b';
const SAFE_FACTORY = '0xaacFeEa03eb1561C4e67d661e40682Bd20E3541b';
const SAFE_CODE_HASH = '0x2bce2127ff07fb632d16c8347c4ebf501f4841168bed00d9e6ef715ddb6fcecf';

export function isAddress(value: unknown): value is string {
  return typeof value === 'string' && ADDRESS.test(value);
}

/** The EIP-55 spelling of an address. */
export function checksum(address: string): string {
  const plain = address.slice(2).toLowerCase();
  const hash = toHex(keccakText(plain)).slice(2);
  return `0x${plain.replaceAll(/[a-f]/g, (letter, at: number) => (hash.charAt(at) >= '8' ? letter.toUpperCase() : letter))}`;
}

export function sameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The address of an uncompressed public key (65 bytes). */
export function addressOf(publicKey: Uint8Array): string {
  return checksum(toHex(keccak(publicKey.slice(1)).slice(12)));
}

/** Who signed a 32-byte digest with this 65-byte `r s v` signature; undefined where it is not a valid signature. */
export function recoverSigner(digest: Uint8Array, signature: Uint8Array): string | undefined {
  const recovery = (signature[64] ?? 0) - 27;
  if (signature.length !== 65 || (recovery !== 0 && recovery !== 1)) return undefined;
  try {
    const parsed = secp256k1.Signature.fromBytes(signature.slice(0, 64)).addRecoveryBit(recovery);
    if (parsed.hasHighS()) return undefined;
    return addressOf(parsed.recoverPublicKey(digest).toBytes(false));
  } catch {
    return undefined;
  }
}

/** The proxy wallet (signature type 1) that the exchange's factory makes for a wallet. */
export function proxyWalletOf(owner: string): string {
  return create2(PROXY_FACTORY, keccak(fromHex(owner)), PROXY_CODE_HASH);
}

/** The safe (signature type 2) that the exchange's factory makes for a wallet. */
export function safeWalletOf(owner: string): string {
  return create2(SAFE_FACTORY, keccak(hexWord(owner)), SAFE_CODE_HASH);
}

function create2(factory: string, salt: Uint8Array, codeHash: string): string {
  return checksum(toHex(keccak(fromHex('0xff'), fromHex(factory), salt, fromHex(codeHash)).slice(12)));
}
