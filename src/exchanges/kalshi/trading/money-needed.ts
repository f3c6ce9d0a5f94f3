import { add, compare, complement, type Decimal, multiply, subtract } from '../../decimal.js';
import type { Execution } from '../../fees.contract.js';
import type { PositionDto } from '../../unified.trading.dto.js';
import type { OrderTerms } from './order.mapper.js';

/**
 * Dollars that must be there for these executions and their fee; below 0 where they bring more. A contract that meets one of the other
 * outcome is redeemed with it for a dollar: at once where it trades, and what rests for it holds nothing back (kalshi.md 7.2).
 */
export function moneyNeeded(
  { index, side }: Pick<OrderTerms, 'index' | 'side'>,
  executions: readonly Execution[],
  { position, fee }: { readonly position: Pick<PositionDto, 'outcome' | 'size'> | null; readonly fee: Decimal },
): Decimal {
  const bought = side === 'buy' ? index : 1 - index;
  let covered = position === null || position.outcome.index === bought ? '0' : position.size;
  let needed = fee;
  for (const { price, size, role } of executions) {
    const own = side === 'buy' ? price : complement(price);
    const netted = compare(covered, size) < 0 ? covered : size;
    covered = subtract(covered, netted);
    needed = add(needed, multiply(own, subtract(size, netted)));
    if (role === 'taker') needed = subtract(needed, multiply(complement(own), netted));
  }
  return needed;
}
