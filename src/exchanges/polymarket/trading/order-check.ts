import { badField } from '../../../platform/errors/app-error.js';
import { compare, complement, type Decimal, isMultiple, parseDecimal } from '../../decimal.js';
import type { OrderFilters } from '../../trading.contract.js';
import { notSupported } from '../../upstream-errors.js';
import { sameAddress } from '../polymarket.credentials.dto.js';
import { fitsWord } from '../position-ids.js';
import type { MarketRules } from '../market-data/directory/market-directory.js';
import {
  isPlain,
  isSigned,
  type PlainRequest,
  type PolymarketOrderDto,
  type SignedOrderDto,
  type SignedRequest,
} from './order.dto.js';
import { layerKeyOf } from './order-signature.js';
import { DEPOSIT_WALLET, type Wallet } from './wallet.js';

export const NO_EXPIRY = '0';
const SIZE_STEP = '0.01';
/** The exchange takes no order that expires sooner. */
const SHORTEST_LIFE_MS = 3 * 60_000;

/** The signed numbers that are hashed as words of 256 bits. */
const WORDS = ['tokenId', 'makerAmount', 'takerAmount'] as const;

/** Checks what lists of orders are filtered by; throws `not_supported` (unified-schema.md 10). */
export function checkFilters({ status, client_order_id: clientOrderId }: OrderFilters): void {
  if (clientOrderId !== undefined)
    throw notSupported('Polymarket has no client order ids. List by market_id, or read by id.');
  if (status === 'open') return;
  throw notSupported('Polymarket keeps no closed orders. List the fills instead.');
}

/**
 * Checks what the fields of the body say together, but nothing that changes with time, since repeats are checked too. Throws
 * `bad_request` on one of them (unified-schema.md 7).
 */
export function checkTerms(request: PolymarketOrderDto): void {
  const { time_in_force: timeInForce, post_only: postOnly } = request;
  if (isSigned(request)) checkSignedTerms(request);
  else if (isPlain(request)) checkPlainTerms(request);
  if (postOnly === true && timeInForce !== 'gtc' && timeInForce !== 'gtd') {
    throw badField('post_only', 'goes only with gtc and gtd');
  }
}

function checkSignedTerms({ signed_order: order, time_in_force: timeInForce }: SignedRequest): void {
  const expires = order.expiration !== NO_EXPIRY;
  if (timeInForce === 'gtd' && !expires) {
    throw badField('signed_order.expiration', 'must be signed for an order that is gtd');
  }
  if (timeInForce !== 'gtd' && expires)
    throw badField('signed_order.expiration', 'must be "0" unless the order is gtd');
  for (const field of WORDS) {
    if (!fitsWord(order[field])) throw badField(`signed_order.${field}`, 'must fit into 256 bits');
  }
}

function checkPlainTerms({ size }: PlainRequest): void {
  if (!isMultiple(canonicalOf(size), SIZE_STEP)) throw badField('size', 'must have at most two decimals');
}

/** Returns a validated decimal of a request in canonical form. */
export function canonicalOf(value: string): Decimal {
  return parseDecimal(value) ?? value;
}

/** Checks what the market asks of a plain order when it is sent first; throws `bad_request` on the field (contract.md 5.6). */
export function checkRules({ price, size }: Pick<PlainRequest, 'price' | 'size'>, rules: MarketRules): void {
  const { tick } = rules;
  if (!isMultiple(canonicalOf(price), tick))
    throw badField('price', `must be a multiple of ${tick}, the tick of this market`);
  const most = complement(tick);
  if (compare(price, tick) < 0 || compare(price, most) > 0) throw badField('price', `must lie from ${tick} to ${most}`);
  const { minSize } = rules;
  if (minSize === null || compare(canonicalOf(size), minSize) >= 0) return;
  throw badField('size', `must be at least ${minSize}, the smallest size of this market`);
}

/** Checks that a plain order lives long enough for the exchange to take it; throws `bad_request` on `expires_at` (contract.md 5.6). */
export function checkExpiry(expirySeconds: number, now: Date): void {
  if (expirySeconds * 1_000 >= now.getTime() + SHORTEST_LIFE_MS) return;
  throw badField('expires_at', 'must lie at least three minutes ahead');
}

/** Checks that the order is the wallet's, and signed by a key that may call for it; throws `bad_request` on the field that is another's (contract.md 5). */
export function checkOwner(order: SignedOrderDto, wallet: Wallet): void {
  if (!sameAddress(order.maker, wallet.account.reveal())) {
    throw badField('signed_order.maker', 'must be the stored wallet_address');
  }
  if (!sameAddress(order.signer, wallet.orderSigner.reveal())) {
    throw badField('signed_order.signer', 'must be the stored signer_address (for signatureType 3 the wallet_address)');
  }
  if (String(order.signatureType) !== wallet.signatureType.reveal()) {
    throw badField('signed_order.signatureType', 'must be the stored signature_type');
  }
  const key = order.signatureType === DEPOSIT_WALLET ? layerKeyOf(order.signature) : null;
  if (key !== null && !sameAddress(key, wallet.apiCredentials.address.reveal())) {
    throw badField('signed_order.signature', 'must be made by the key that the API credentials belong to');
  }
}
