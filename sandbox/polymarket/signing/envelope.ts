import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { fromHex, hexWord, toHex, word } from './hex.js';
import { type Domain, exchangeDomain, ORDER_TYPE, orderStructHash, type OrderStruct } from './typed-data.js';

/** The layers around a deposit wallet's signature (polymarket.md 3.4, 11.2). */

const SIGNATURE_BYTES = 65;
const MAGIC = fromHex('6492'.repeat(16));
/** Signer, an empty word, where the bytes begin and how many there are. */
const HEAD_BYTES = 4 * 32;
const ADDRESS_AT = 12;

/** A session signature taken apart. */
interface SessionLayer {
  /** The key that the layer names, `0x` + 40 digits. */
  key: string;
  nested: Uint8Array;
}

/** What proves an order for a deposit wallet: `inner`, then domain, order, type text and its length; 317 bytes. */
export function nestedSignature(order: OrderStruct, domain: Domain, inner: Uint8Array): Uint8Array {
  return concatBytes(inner, tailOf(order, domain));
}

/** The same by a session key, which the layer around it names; 480 bytes. */
export function sessionSignature(key: string, nested: Uint8Array): Uint8Array {
  const padding = new Uint8Array((32 - (nested.length % 32)) % 32);
  const head = concatBytes(hexWord(key), word(0n), word(0x60n), word(BigInt(nested.length)));
  return concatBytes(head, nested, padding, MAGIC);
}

/** The inner 65 bytes where all that follows them is exactly that order's under that domain; else undefined. */
export function innerSignature(order: OrderStruct, domain: Domain, nested: Uint8Array): Uint8Array | undefined {
  const fits = toHex(nested.slice(SIGNATURE_BYTES)) === toHex(tailOf(order, domain));
  return fits ? nested.slice(0, SIGNATURE_BYTES) : undefined;
}

/** True where a signature ends as a session key's does. */
export function isLayered(signature: Uint8Array): boolean {
  return toHex(signature.slice(-MAGIC.length)) === toHex(MAGIC);
}

/** Takes the session layer off; undefined where it is not exactly what `sessionSignature` makes. */
export function sessionLayer(signature: Uint8Array): SessionLayer | undefined {
  if (!isLayered(signature) || signature.length < HEAD_BYTES + MAGIC.length) return undefined;
  const length = Number(BigInt(toHex(signature.slice(HEAD_BYTES - 32, HEAD_BYTES))));
  const nested = signature.slice(HEAD_BYTES, HEAD_BYTES + length);
  const key = toHex(signature.slice(ADDRESS_AT, 32));
  return toHex(sessionSignature(key, nested)) === toHex(signature) ? { key, nested } : undefined;
}

function tailOf(order: OrderStruct, domain: Domain): Uint8Array {
  const length = Uint8Array.of(ORDER_TYPE.length >> 8, ORDER_TYPE.length & 0xff);
  return concatBytes(exchangeDomain(domain), orderStructHash(order), utf8ToBytes(ORDER_TYPE), length);
}
