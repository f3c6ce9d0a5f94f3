import { type OrderTerms, timeInForceOf } from './order.mapper.js';
import type { WireOrder } from './order.wire.js';

/** Whether an order is the one of its hash, which proves outcome and side; any other contradicts itself. */
export function isOfHash({ outcome, side }: OrderTerms, found: WireOrder): boolean {
  return found.asset_id === outcome.id && found.side.toLowerCase() === side;
}

/**
 * Returns the terms of an order that was found under its hash. The hash proves market, outcome, side, price and size; how
 * long the order lives is no part of it, so that is the exchange's, and post-only, which it does not state, is null.
 */
export function foundTerms(asked: OrderTerms, found: WireOrder | null): OrderTerms {
  const timeInForce = found === null ? null : timeInForceOf(found);
  return { ...asked, timeInForce, postOnly: null, expiresAt: found?.expiration ?? null };
}

/** Whether an order that was found under its hash lives as long as was asked for, as far as the exchange states it. */
export function mayLiveAsAsked({ timeInForce: asked, expiresAt }: OrderTerms, found: WireOrder): boolean {
  const stated = timeInForceOf(found);
  if (stated !== null && stated !== asked) return false;
  if (found.expiration !== null && found.expiration.getTime() !== expiresAt?.getTime()) return false;
  return found.status !== 'LIVE' || asked === 'gtc' || asked === 'gtd';
}
