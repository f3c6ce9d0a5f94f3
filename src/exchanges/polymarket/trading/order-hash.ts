import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';

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

const CHAIN_ID = 137n;
const EXCHANGE_CONTRACT = '0xE111180000d2663C0091e4f400237545B87B996B';
const NEG_RISK_CONTRACT = '0xe2222d279d744050d28e00520010520000310F59';

const DOMAIN_TYPE = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)';
const ORDER_TYPE =
  'Order(uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,' +
  'uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,bytes32 builder)';

const WORD_BITS = 256n;

/** Whether digits stand for a number that an EVM word holds. */
export function fitsWord(digits: string): boolean {
  return BigInt(digits) >> WORD_BITS === 0n;
}

/**
 * Returns the id of an order at the exchange, known before it is sent: the EIP-712 hash of the V2 order (polymarket.md 3), `0x` and 64
 * hex digits. Throws RangeError where a number does not fit 256 bits.
 */
export function orderHash(order: HashedOrder, negRisk: boolean): string {
  const struct = keccak(
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
  return `0x${bytesToHex(keccak(Uint8Array.of(0x19, 0x01), domain(negRisk), struct))}`;
}

/** The contract that settles the market is part of what is signed. */
function domain(negRisk: boolean): Uint8Array {
  return keccak(
    keccakText(DOMAIN_TYPE),
    keccakText('Polymarket CTF Exchange'),
    keccakText('2'),
    word(CHAIN_ID),
    word(BigInt(negRisk ? NEG_RISK_CONTRACT : EXCHANGE_CONTRACT)),
  );
}

function keccak(...parts: Uint8Array[]): Uint8Array {
  return keccak_256(concatBytes(...parts));
}

function keccakText(text: string): Uint8Array {
  return keccak_256(utf8ToBytes(text));
}

/** A number, address or 32 bytes as one word, padded on the left. */
function word(value: bigint): Uint8Array {
  if (value < 0n || value >> WORD_BITS !== 0n) throw new RangeError('The number does not fit into 256 bits.');
  return hexToBytes(value.toString(16).padStart(64, '0'));
}
