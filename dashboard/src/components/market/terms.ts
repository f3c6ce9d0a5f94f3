import { compare, isPositive, parseDecimal } from '../../../../src/exchanges/decimal.js';
import type { OrderBody } from '../../api/order-body.js';

/** What stands in the fields of the ticket. */
export interface Terms {
  readonly side: OrderBody['side'];
  readonly price: string;
  readonly size: string;
  readonly life: OrderBody['time_in_force'];
  /** Of an order that ends by itself, as a field of the reader's zone has it. */
  readonly end: string;
  readonly isPostOnly: boolean;
}

export const NO_TERMS: Terms = { side: 'buy', price: '', size: '', life: 'gtc', end: '', isPostOnly: false };

export const LIVES = [
  ['gtc', 'Until it is cancelled'],
  ['gtd', 'Until a time'],
  ['ioc', 'At once, the rest is cancelled'],
  ['fok', 'At once and whole, or not at all'],
] as const;

/** Those that can rest. */
export function isResting({ life }: Terms): boolean {
  return life === 'gtc' || life === 'gtd';
}

type Wrong = Partial<Record<'price' | 'size' | 'end', string>>;

/** In canonical form; null where it is no decimal above 0. */
function amountIn(text: string): string | null {
  const amount = parseDecimal(text.trim());
  return amount !== null && isPositive(amount) ? amount : null;
}

function priceIn(text: string): string | null {
  const price = amountIn(text);
  return price !== null && compare(price, '1') < 0 ? price : null;
}

function endIn(text: string): string | null {
  const time = Date.parse(text);
  return Number.isNaN(time) || time <= Date.now() ? null : new Date(time).toISOString();
}

/** What is wrong with what is typed; of an empty field nothing. */
export function wrongIn({ price, size, end, life }: Terms): Wrong {
  return {
    ...(price !== '' && priceIn(price) === null && { price: 'Above 0 and below 1, such as 0.42.' }),
    ...(size !== '' && amountIn(size) === null && { size: 'Above 0, such as 10 or 2.5.' }),
    ...(life === 'gtd' && end !== '' && endIn(end) === null && { end: 'A time ahead.' }),
  };
}

interface WithId {
  readonly id: string;
}

/** The order of these fields; null as long as they are none. */
export function bodyOf(terms: Terms, market: WithId, outcome: WithId): OrderBody | null {
  const [price, size, end] = [priceIn(terms.price), amountIn(terms.size), endIn(terms.end)];
  if (price === null || size === null || (terms.life === 'gtd' && end === null)) return null;
  return {
    market_id: market.id,
    outcome: outcome.id,
    side: terms.side,
    price,
    size,
    time_in_force: terms.life,
    ...(isResting(terms) && terms.isPostOnly && { post_only: true }),
    ...(terms.life === 'gtd' && end !== null && { expires_at: end }),
  };
}
