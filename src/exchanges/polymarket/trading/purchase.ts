import { add, compare, type Decimal, isPositive, multiply, subtract } from '../../decimal.js';
import type { LevelDto } from '../../unified.market-data.dto.js';
import type { AskedAmounts } from './order-amounts.js';

/** What an order that spends a sum is signed for. */
export interface Purchase {
  /** Dollars, of which the order spends whole cents. */
  readonly money: Decimal;
  /** The limit price that is signed. */
  readonly price: Decimal;
  /** Whether the book had all that was asked. */
  readonly isWhole: boolean;
}

/**
 * Returns what `size` costs by the asks of a book, best first, at the limit price at most (contract.md 5.6). A `fok` order is
 * signed at the price of the last level that it counts on, so that a worse book kills it. Null where the book has nothing, or for a
 * `fok` not enough.
 */
export function purchaseOf({ price, size, timeInForce }: AskedAmounts, asks: readonly LevelDto[]): Purchase | null {
  let [left, money, worst] = [size, '0', price];
  for (const ask of asks) {
    if (!isPositive(left) || compare(ask.price, price) > 0) break;
    if (!isPositive(ask.price)) continue;
    const taken = compare(ask.size, left) < 0 ? ask.size : left;
    money = add(money, multiply(ask.price, taken));
    left = subtract(left, taken);
    worst = ask.price;
  }
  const isWhole = !isPositive(left);
  if (timeInForce === 'fok') return isWhole ? { money, price: worst, isWhole } : null;
  return isPositive(money) ? { money, price, isWhole } : null;
}
