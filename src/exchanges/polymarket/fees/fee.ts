import { add, complement, type Decimal, multiply, roundedDown } from '../../decimal.js';
import type { Execution } from '../../fees.contract.js';

/** The curve of a market (`fd`, polymarket.md 7.3). */
export interface FeeRule {
  readonly rate: Decimal;
  /** A whole number. */
  readonly exponent: number;
  readonly takersOnly: boolean;
}

const FEE_PLACES = 5;

/**
 * What an order pays in pUSD for its executions: shares × rate × (price × (1 - price))^exponent of each that it takes, cut to 0.00001. Null
 * where makers pay too, since nobody says how much.
 */
export function orderFee({ rate, exponent, takersOnly }: FeeRule, executions: readonly Execution[]): Decimal | null {
  const taken = executions.filter(({ role }) => role === 'taker');
  if (!takersOnly && taken.length < executions.length) return null;
  return taken
    .map(({ price, size }) => roundedDown(multiply(multiply(size, rate), power(curve(price), exponent)), FEE_PLACES))
    .reduce(add, '0');
}

function curve(price: Decimal): Decimal {
  return multiply(price, complement(price));
}

function power(base: Decimal, exponent: number): Decimal {
  return Array.from({ length: exponent }, () => base).reduce(multiply, '1');
}
