import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '../../../platform/errors/app-error.js';
import { signerOf } from '../ethereum.js';
import { sameAddress } from '../polymarket.credentials.dto.js';
import { KNOWN_DOMAINS, type OrderDomain } from './order-domains.js';
import { digestUnder, type HashedOrder, ORDER_TYPE, structHash } from './order-hash.js';
import { DEPOSIT_WALLET } from './wallet.js';

/** A hashed order with its signature, `0x` and hex digits. */
interface SignedOrder extends HashedOrder {
  readonly signature: string;
}

const FIELD = 'signed_order.signature';

const WORD = 64;
/** r and s, then 27 or 28. */
const PLAIN_SIGNATURE = /^[0-9a-f]{128}(?:1b|1c)$/;

const TYPE_HEX = bytesToHex(utf8ToBytes(ORDER_TYPE));
const TYPE_LENGTH_HEX = (TYPE_HEX.length / 2).toString(16).padStart(4, '0');
/** Signature of the wallet's key, domain separator, order hash, type of the order and its length. */
const ENVELOPE_DIGITS = 130 + WORD + WORD + TYPE_HEX.length + TYPE_LENGTH_HEX.length;

/** What the layer of a session key begins with, after its address: a zero, and where the envelope begins. */
const LAYER_HEAD = '0'.repeat(WORD) + (96).toString(16).padStart(WORD, '0');
/** An address has 20 of the 32 bytes of a word. */
const ADDRESS_PADDING = '0'.repeat(24);
const LAYER_END = '6492'.repeat(16);

/**
 * Refuses an order that is signed, provably, for another domain than its market's: the exchange would refuse it too, with fewer
 * words. A signature that fits no domain is the exchange's to judge. Throws `bad_request` (`wrong_domain`, contract.md 5.6).
 */
export async function checkDomain(order: SignedOrder, right: OrderDomain): Promise<void> {
  const signature = order.signature.slice(2).toLowerCase();
  const isWrong =
    order.signatureType === DEPOSIT_WALLET ? isEnvelopeOfOther(signature, right) : await isSignedForOther(order, right);
  if (!isWrong) return;
  const message =
    `must be made under this market's domain: name "${right.name}", version "${right.version}", ` +
    `verifyingContract ${right.verifyingContract}`;
  throw new AppError('bad_request', `The request is not valid: ${FIELD} ${message}.`, {
    details: { fields: [{ field: FIELD, message }], reason: 'wrong_domain' },
  });
}

/** Finding out who signed takes some milliseconds for each domain, so other work goes between (S-53). */
async function isSignedForOther(order: SignedOrder, right: OrderDomain): Promise<boolean> {
  const signature = order.signature.slice(2).toLowerCase();
  if (!PLAIN_SIGNATURE.test(signature)) return false;
  const struct = structHash(order);
  for (const domain of [right, ...othersThan(right)]) {
    const signer = signerOf(signature, digestUnder(domain, struct));
    if (signer !== null && sameAddress(signer, order.signer)) return domain !== right;
    await setImmediate();
  }
  return false;
}

function isEnvelopeOfOther(signature: string, right: OrderDomain): boolean {
  const envelope = signature.endsWith(LAYER_END) ? insideLayer(signature) : signature;
  if (envelope.length !== ENVELOPE_DIGITS || !envelope.endsWith(TYPE_HEX + TYPE_LENGTH_HEX)) return false;
  const separator = envelope.slice(130, 130 + WORD);
  return othersThan(right).some((domain) => domain.separator === separator);
}

/**
 * Returns the address that the layer of a session key names, in small letters; null where a signature, `0x` and hex digits, has
 * no such layer (polymarket.md 11.2).
 */
export function layerKeyOf(signature: string): string | null {
  const digits = signature.slice(2).toLowerCase();
  if (!digits.endsWith(LAYER_END) || digits.slice(WORD, 3 * WORD) !== LAYER_HEAD) return null;
  return digits.startsWith(ADDRESS_PADDING) ? `0x${digits.slice(ADDRESS_PADDING.length, WORD)}` : null;
}

/** The envelope inside the layer of a session key, whose length word counts, since it is padded; `''` where there is none. */
function insideLayer(layered: string): string {
  const body = layered.slice(0, -LAYER_END.length);
  if (body.slice(WORD, 3 * WORD) !== LAYER_HEAD) return '';
  const digits = Number.parseInt(body.slice(3 * WORD, 4 * WORD), 16) * 2;
  return body.slice(4 * WORD, 4 * WORD + digits);
}

function othersThan(right: OrderDomain): OrderDomain[] {
  return KNOWN_DOMAINS.filter(({ separator }) => separator !== right.separator);
}
