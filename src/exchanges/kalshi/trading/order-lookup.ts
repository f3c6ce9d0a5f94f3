import { compare } from '../../decimal.js';
import type { OrderDto, TimeInForce } from '../../unified.trading.dto.js';
import { outcomeOf, priceFor } from '../market-data/outcomes.js';
import { averageFillPrice, bookSide, type OrderTerms, toOrder } from './order.mapper.js';
import type { WireOrder } from './order.wire.js';

/** Whether an order that carries the client order id of these terms is on their market and side. */
export function isOnSide(terms: OrderTerms, order: WireOrder): boolean {
  return order.ticker === terms.ticker && order.outcome_side === (bookSide(terms) === 'bid' ? 'yes' : 'no');
}

/**
 * Whether an order that carries the client order id of these terms has all of them that do not change with time, as far as the
 * exchange tells: it shows no time in force and no post-only flag. Its state and counts lag, so they say nothing (kalshi.md 5.2).
 */
export function isSameOrder(terms: OrderTerms, order: WireOrder): boolean {
  const sizes = compare(order.initial_count_fp, terms.size);
  return (
    isOnSide(terms, order) &&
    order.yes_price_dollars === priceFor(terms.index, terms.price) &&
    (terms.reduceOnly === true ? sizes <= 0 : sizes === 0) &&
    order.expiration_time === (terms.expiresAt?.toISOString() ?? null)
  );
}

/** Whether what is shown cannot be how such an order stands, or ends: the exchange's reads lag then. */
function isLate({ timeInForce }: OrderTerms, order: WireOrder): boolean {
  if (timeInForce === 'fok' && isPartlyFilled(order)) return true;
  return order.status === 'resting' && (timeInForce === 'ioc' || timeInForce === 'fok');
}

function hasTaken({ taker_fill_cost_dollars: cost, taker_fees_dollars: fees }: WireOrder): boolean {
  return cost !== '0' || fees !== '0';
}

function isPartlyFilled({ fill_count_fp: filled, initial_count_fp: size }: WireOrder): boolean {
  return filled !== '0' && compare(filled, size) < 0;
}

/**
 * Returns the order as the exchange has it, in terms of the outcome and side that were asked for (unified-schema.md 7 says why
 * both are one order). A field that the exchange does not show is null and is not taken from the request. A state that the
 * exchange cannot mean is `pending`, `unknown_status`.
 */
export function toFoundOrder(terms: OrderTerms, order: WireOrder): OrderDto {
  const { ticker, index, side, price } = terms;
  const isPriceAsked = order.yes_price_dollars === priceFor(index, price);
  return {
    ...toOrder(order),
    outcome: outcomeOf(ticker, index),
    side,
    price: isPriceAsked ? price : priceFor(index, order.yes_price_dollars),
    average_fill_price: averageFillPrice(order, index),
    time_in_force: timeInForceOf(terms, order),
    post_only: hasTaken(order) ? false : null,
    ...(isLate(terms, order) ? { status: 'pending', status_reason: 'unknown_status' } : {}),
  };
}

/** Only an order that may stay in the book rests there. */
function timeInForceOf(terms: OrderTerms, order: WireOrder): TimeInForce | null {
  if (order.expiration_time !== null) return 'gtd';
  return order.status === 'resting' && !isLate(terms, order) ? 'gtc' : null;
}
