import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { keccak, keccakText, typedDataDigest, word } from '../ethereum.js';
import type { OrderDomain } from './order-domains.js';

/** The part of a signed order that the wallet signs, as it stands in the request. */
export interface HashedOrder {
  readonly salt: number;
  readonly maker: string;
  readonly signer: string;
  readonly tokenId: string;
  readonly makerAmount: string;
  readonly takerAmount: string;
  readonly side: 'BUY' | 'SELL';
  readonly signatureType: number;
  readonly timestamp: string;
  readonly metadata: string;
  readonly builder: string;
}

/** Also what the signature of a deposit wallet ends with (polymarket.md 3.4). */
export const ORDER_TYPE =
  'Order(uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,' +
  'uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,bytes32 builder)';

/**
 * Returns the id of an order at the exchange, known before it is sent: the EIP-712 hash of the order under its market's domain
 * (polymarket.md 3.3), `0x` and 64 hex digits. Throws RangeError where a number does not fit 256 bits.
 */
export function orderHash(order: HashedOrder, domain: OrderDomain): string {
  return `0x${bytesToHex(digestUnder(domain, structHash(order)))}`;
}

/** Returns the hash of the order alone, which is the same under every domain. Throws as `orderHash`. */
export function structHash(order: HashedOrder): Uint8Array {
  return keccak(
    keccakText(ORDER_TYPE),
    word(BigInt(order.salt)),
    word(BigInt(order.maker)),
    word(BigInt(order.signer)),
    word(BigInt(order.tokenId)),
    word(BigInt(order.makerAmount)),
    word(BigInt(order.takerAmount)),
    word(order.side === 'BUY' ? 0n : 1n),
    word(BigInt(order.signatureType)),
    word(BigInt(order.timestamp)),
    word(BigInt(order.metadata)),
    word(BigInt(order.builder)),
  );
}

/** Returns what a wallet signs: the hash of a struct under a domain. */
export function digestUnder({ separator }: OrderDomain, struct: Uint8Array): Uint8Array {
  return typedDataDigest(hexToBytes(separator), struct);
}
