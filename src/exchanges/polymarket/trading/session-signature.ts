import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { OpenedSessionKey } from '../../session-keys.contract.js';
import { CHAIN_ID, keccak, keccakText, signDigest, word } from '../ethereum.js';
import type { OrderDomain } from './order-domains.js';
import { digestUnder, type HashedOrder, ORDER_TYPE, structHash } from './order-hash.js';

/** What the key of a deposit wallet signs in place of the order (polymarket.md 3.4). */
const ENVELOPE_TYPE =
  'TypedDataSign(Order contents,string name,string version,uint256 chainId,address verifyingContract,bytes32 salt)' +
  ORDER_TYPE;
const WALLET_NAME = 'DepositWallet';
const WALLET_VERSION = '1';

const ORDER_TYPE_BYTES = utf8ToBytes(ORDER_TYPE);
const LAYER_END = hexToBytes('6492'.repeat(16));
const WORD_BYTES = 32;
/** Where the envelope begins inside its layer, by its first word. */
const ENVELOPE_OFFSET = 96n;

/**
 * Signs an order by a session key (polymarket.md 11.2) and returns the whole signature, 480 bytes as `0x` and hex digits: the
 * envelope of the deposit wallet, in a layer that names the key. Opens the key for this one signature. Throws as
 * `withPrivateKey`.
 */
export function sessionSignature(
  order: HashedOrder,
  domain: OrderDomain,
  key: Pick<OpenedSessionKey, 'address' | 'withPrivateKey'>,
): string {
  const digest = envelopeDigest(order, domain);
  const inner = key.withPrivateKey((privateKey) => signDigest(privateKey, digest));
  const envelope = concatBytes(
    inner,
    hexToBytes(domain.separator),
    structHash(order),
    ORDER_TYPE_BYTES,
    Uint8Array.of(ORDER_TYPE_BYTES.length >> 8, ORDER_TYPE_BYTES.length & 0xff),
  );
  const padding = new Uint8Array((WORD_BYTES - (envelope.length % WORD_BYTES)) % WORD_BYTES);
  const layer = concatBytes(
    word(BigInt(key.address)),
    word(0n),
    word(ENVELOPE_OFFSET),
    word(BigInt(envelope.length)),
    envelope,
    padding,
    LAYER_END,
  );
  return `0x${bytesToHex(layer)}`;
}

/** The envelope names the wallet, so that a signature for one wallet is none for another. */
function envelopeDigest(order: HashedOrder, domain: OrderDomain): Uint8Array {
  const struct = keccak(
    keccakText(ENVELOPE_TYPE),
    structHash(order),
    keccakText(WALLET_NAME),
    keccakText(WALLET_VERSION),
    word(BigInt(CHAIN_ID)),
    word(BigInt(order.maker)),
    word(0n),
  );
  return digestUnder(domain, struct);
}
