import { compare } from '../../decimal.js';
import type { OrderDto, TimeInForce } from '../../unified.trading.dto.js';
import { outcomeOf, priceFor } from '../market-data/outcomes.js';
import { averageFillPrice, bookSide, type OrderTerms, toOrder } from './order.mapper.js';
import type { WireOrder } from './order.wire.js';

/**
 * Whether an order that carries the client order id of these terms is the one that they describe, as far as the exchange
 * tells: it shows no time in force and no post-only flag, but what an order did may rule them out (kalshi.md 5).
 */
export function isSameOrder(terms: OrderTerms, order: WireOrder): boolean {
  return hasSameTerms(terms, order) && mayHaveSameLife(terms, order);
}

function hasSameTerms(terms: OrderTerms, order: WireOrder): boolean {
  const sizes = compare(order.initial_count_fp, terms.size);
  return (
    order.ticker === terms.ticker &&
    order.outcome_side === (bookSide(terms) === 'bid' ? 'yes' : 'no') &&
    order.yes_price_dollars === priceFor(terms.index, terms.price) &&
    (terms.reduceOnly === true ? sizes <= 0 : sizes === 0)
  );
}

function mayHaveSameLife({ timeInForce, postOnly, expiresAt }: OrderTerms, order: WireOrder): boolean {
  if (order.expiration_time !== (expiresAt?.toISOString() ?? null)) return false;
  if (postOnly === true && hasTaken(order)) return false;
  if (timeInForce === 'fok' && isPartlyFilled(order)) return false;
  return order.status !== 'resting' || timeInForce === 'gtc' || timeInForce === 'gtd';
}

function hasTaken({ taker_fill_cost_dollars: cost, taker_fees_dollars: fees }: WireOrder): boolean {
  return cost !== '0' || fees !== '0';
}

function isPartlyFilled({ fill_count_fp: filled, initial_count_fp: size }: WireOrder): boolean {
  return filled !== '0' && compare(filled, size) < 0;
}

/**
 * The order as the exchange has it, seen from the outcome and side that it was asked for by, which is the same order
 * (unified-schema.md 7). What the exchange does not tell is null, not the request's.
 */
export function toFoundOrder({ ticker, index, side, price }: OrderTerms, order: WireOrder): OrderDto {
  return {
    ...toOrder(order),
    outcome: outcomeOf(ticker, index),
    side,
    price,
    average_fill_price: averageFillPrice(order, index),
    time_in_force: timeInForceOf(order),
    post_only: hasTaken(order) ? false : null,
  };
}

/** Only an order that may stay in the book rests there. */
function timeInForceOf({ expiration_time, status }: WireOrder): TimeInForce | null {
  if (expiration_time !== null) return 'gtd';
  return status === 'resting' ? 'gtc' : null;
}
