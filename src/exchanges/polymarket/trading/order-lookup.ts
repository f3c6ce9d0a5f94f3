import { type OrderTerms, timeInForceOf } from './order.mapper.js';
import type { WireOrder } from './order.wire.js';

/** What the hash proves; an answer that says otherwise contradicts itself. */
export function isOfHash({ outcome, side }: OrderTerms, found: WireOrder): boolean {
  return found.asset_id === outcome.id && found.side.toLowerCase() === side;
}

/**
 * The terms of an order that was found under its hash. The hash proves market, outcome, side, price and size; how long the
 * order lives is no part of it, so that is told as the exchange has it, and post-only, which it does not tell, is null.
 */
export function foundTerms(asked: OrderTerms, found: WireOrder | null): OrderTerms {
  const timeInForce = found === null ? null : timeInForceOf(found);
  return { ...asked, timeInForce, postOnly: null, expiresAt: found?.expiration ?? null };
}

/** Whether an order that was found under its hash lives as long as was asked for, as far as the exchange tells. */
export function mayLiveAsAsked({ timeInForce: asked, expiresAt }: OrderTerms, found: WireOrder): boolean {
  const told = timeInForceOf(found);
  if (told !== null && told !== asked) return false;
  if (found.expiration !== null && found.expiration.getTime() !== expiresAt?.getTime()) return false;
  return found.status !== 'LIVE' || asked === 'gtc' || asked === 'gtd';
}
