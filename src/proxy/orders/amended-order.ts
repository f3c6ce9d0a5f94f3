import { add, complement, type Decimal, multiply, parseDecimal } from '../../exchanges/decimal.js';
import type { AskedOrder, OrderChange, PreparedAmend } from '../../exchanges/orders.contract.js';
import type { Side } from '../../exchanges/unified.trading.dto.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { AskedAmend } from '../placing/amends.repository.js';
import type { AmendOrderDto } from './orders.dto.js';

/** What a body asks for. Throws `bad_request` where that is nothing. */
export function changeIn({ price, size, expires_at }: AmendOrderDto): OrderChange {
  if (price === undefined && size === undefined && expires_at === undefined)
    throw new AppError('bad_request', 'Name at least one of price, size and expires_at.');
  return {
    price: price && (parseDecimal(price) ?? price),
    size: size && (parseDecimal(size) ?? size),
    expiresAt: expires_at === undefined ? undefined : new Date(expires_at),
  };
}

/** The order as it is to be, as limits look at it. */
export function orderToBe({ order, terms }: PreparedAmend): AskedOrder {
  const { market_id, outcome, side, time_in_force, post_only, currency } = order;
  const { price, size, expires_at } = terms;
  const cost = multiply(riskOf(side, price), size);
  const asked = {
    market_id,
    outcome_index: outcome.index,
    side,
    price,
    size,
    time_in_force,
    post_only,
    cost,
    currency,
  };
  return { ...asked, money: null, shares: null, expires_at, most_size: null };
}

/** What is written of a change where it begins. Prices are those of outcome 0 where an order has no other. */
export function askedAmend({ order, terms }: PreparedAmend, { expiresAt }: OrderChange): AskedAmend {
  const { id, client_order_id, side, outcome, filled_size, remaining_size } = order;
  const isOfFirst = outcome.index !== 1;
  return {
    order_id: id,
    client_order_id,
    is_long: (side === 'buy') === isOfFirst,
    long_price: isOfFirst ? terms.price : complement(terms.price),
    size: terms.size,
    risk: riskOf(side, terms.price),
    was_size: add(filled_size, remaining_size),
    was_risk: riskOf(side, order.price),
    filled: filled_size,
    has_new_end: expiresAt !== undefined,
  };
}

/** What a contract can lose. */
function riskOf(side: Side, price: Decimal): Decimal {
  return side === 'buy' ? price : complement(price);
}
