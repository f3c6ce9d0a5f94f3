import type { OrderDto } from '../../unified.trading.dto.js';
import { type OrderTerms, timeInForceOf } from './order.mapper.js';
import type { WireOrder } from './order.wire.js';

/** Whether an order is the one of its hash, which proves outcome and side; any other contradicts itself. */
export function isOfHash({ id, outcome, side }: OrderTerms, found: WireOrder): boolean {
  return found.id.toLowerCase() === id && found.asset_id === outcome.id && found.side.toLowerCase() === side;
}

/**
 * Returns the terms of an order that was found under its hash. The hash proves market, outcome, side, price and size; how
 * long the order lives is no part of it, so that is the exchange's, and post-only, which it does not state, is null.
 */
export function foundTerms(asked: OrderTerms, found: WireOrder | null): OrderTerms {
  const timeInForce = found === null ? null : timeInForceOf(found);
  return { ...asked, timeInForce, postOnly: null, expiresAt: found?.expiration ?? null };
}

/** Whether an order that was found under its hash is to live as long as was asked for, as far as the exchange states it. */
export function isToLiveAsAsked({ timeInForce: asked, expiresAt }: OrderTerms, found: WireOrder): boolean {
  const stated = timeInForceOf(found);
  if (stated !== null && stated !== asked) return false;
  return found.expiration === null || found.expiration.getTime() === expiresAt?.getTime();
}

/** Whether what is listed rests although it cannot: the exchange's reads lag then. */
export function isLate({ timeInForce }: OrderTerms, found: WireOrder): boolean {
  const kind = timeInForceOf(found) ?? timeInForce;
  return found.status === 'LIVE' && (kind === 'ioc' || kind === 'fok');
}

/** The same order, whose life or end is not known. */
export function withUnknownEnd(order: OrderDto): OrderDto {
  return { ...order, status: 'pending', status_reason: 'unknown_status' };
}
