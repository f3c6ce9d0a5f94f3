import { type AppError, badField } from '../../../platform/errors/app-error.js';
import type { OrderFilters } from '../../exchange.js';
import { notSupported } from '../../upstream-errors.js';
import { sameAddress } from '../polymarket.credentials.dto.js';
import { fitsWord } from '../position-ids.js';
import type { PolymarketOrderDto, SignedOrderDto } from './order.dto.js';
import type { Wallet } from './wallet.js';

const NO_EXPIRY = '0';

/** The signed numbers that are hashed as words of 256 bits. */
const WORDS = ['tokenId', 'makerAmount', 'takerAmount'] as const;

/** Checks what lists of orders are filtered by; throws `not_supported` (unified-schema.md 10). */
export function checkFilters({ status }: OrderFilters): void {
  if (status === 'open') return;
  throw notSupported('Polymarket keeps no closed orders. List the fills instead.');
}

/** Checks what the fields of the body say together; throws `bad_request` on one of them (unified-schema.md 7). */
export function checkTerms({
  signed_order: order,
  time_in_force: timeInForce,
  post_only: postOnly,
}: PolymarketOrderDto): void {
  const expires = order.expiration !== NO_EXPIRY;
  if (timeInForce === 'gtd' && !expires) {
    throw badField('signed_order.expiration', 'must be signed for an order that is gtd');
  }
  if (timeInForce !== 'gtd' && expires)
    throw badField('signed_order.expiration', 'must be "0" unless the order is gtd');
  if (postOnly === true && timeInForce !== 'gtc' && timeInForce !== 'gtd') {
    throw badField('post_only', 'goes only with gtc and gtd');
  }
  for (const field of WORDS) {
    if (!fitsWord(order[field])) throw badField(`signed_order.${field}`, 'must fit into 256 bits');
  }
}

/** The error of what needs shards (contract.md 9). */
export function noTransfers(): AppError {
  return notSupported('Polymarket has no shards to move money between.');
}

/** Checks that the order is the stored wallet's; throws `bad_request` on the field that is another's (contract.md 5). */
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
}
