import { isRecord, parseJson } from '../../wire/json.js';
import { ORDER_TYPES, type OrderType } from '../order.js';
import { refusal, TEXTS } from '../refusals.js';
import { isAddress } from '../signing/address.js';
import { type SignatureType, type WireOrder } from '../signing/wallet.js';

/** A POST /order body whose shape is right; nothing is said about its content yet. */
export interface PostedOrder {
  order: WireOrder & { signatureType: SignatureType };
  owner: string;
  orderType: OrderType;
  postOnly: boolean;
}

const DIGITS = /^\d{1,78}$/;
const BYTES32 = /^(0x[0-9a-fA-F]{64})?$/;
const SIGNATURE = /^0x([0-9a-fA-F]{2})+$/;
const TOO_LARGE = 2n ** 256n;
/** Fields of the first version's order, which the exchange no longer takes. */
const OLD_FIELDS = ['nonce', 'feeRateBps'];

/** Parses the body of POST /order; 400 `Invalid order payload`, or the answer to an order of the first version. */
export function parsePostedOrder(body: string): PostedOrder {
  return readPostedOrder(parseJson(body));
}

export function readPostedOrder(body: unknown): PostedOrder {
  if (!isRecord(body) || !isRecord(body.order)) throw refusal(TEXTS.payload);
  const { order } = body;
  if (OLD_FIELDS.some((name) => order[name] !== undefined)) throw refusal(TEXTS.version);
  flag(body.deferExec);
  return {
    order: readOrder(order),
    owner: text(body.owner, /^/),
    orderType: oneOf(ORDER_TYPES, body.orderType ?? 'GTC'),
    postOnly: flag(body.postOnly),
  };
}

function readOrder(fields: Record<string, unknown>): PostedOrder['order'] {
  return {
    salt: salt(fields.salt),
    maker: address(fields.maker),
    signer: address(fields.signer),
    tokenId: digits(fields.tokenId),
    makerAmount: digits(fields.makerAmount),
    takerAmount: digits(fields.takerAmount),
    side: oneOf(['BUY', 'SELL'] as const, fields.side),
    signatureType: oneOf([0, 1, 2, 3] as const, fields.signatureType),
    timestamp: digits(fields.timestamp),
    expiration: digits(fields.expiration),
    metadata: text(fields.metadata ?? '', BYTES32),
    builder: text(fields.builder, BYTES32),
    signature: text(fields.signature, SIGNATURE),
  };
}

function oneOf<T>(allowed: readonly T[], value: unknown): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw refusal(TEXTS.payload);
  return found;
}

function flag(value: unknown): boolean {
  if (value !== undefined && typeof value !== 'boolean') throw refusal(TEXTS.payload);
  return value === true;
}

/** A JSON number, unlike every other amount. */
function salt(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw refusal(TEXTS.payload);
  return value;
}

function address(value: unknown): string {
  if (!isAddress(value)) throw refusal(TEXTS.payload);
  return value;
}

function digits(value: unknown): string {
  const found = text(value, DIGITS);
  if (BigInt(found) >= TOO_LARGE) throw refusal(TEXTS.payload);
  return found;
}

function text(value: unknown, pattern: RegExp): string {
  if (typeof value !== 'string' || !pattern.test(value)) throw refusal(TEXTS.payload);
  return value;
}
