import { add, compare, complement, type Decimal, multiply, roundedDown, roundedUp, subtract } from '../../decimal.js';
import type { Execution } from '../../fees.contract.js';
import type { Side } from '../../unified.trading.dto.js';

/** How a series, or an event that deviates from it, charges (kalshi.md 7.1). */
export interface FeeRule {
  readonly type: string;
  readonly multiplier: Decimal;
}

const TAKER_RATE = '0.07';

/** Rates of makers by `fee_type`; `flat` fees stand in a table that is not published. */
const MAKER_RATES = new Map<string, Decimal>([
  ['quadratic', '0'],
  ['quadratic_with_maker_fees', '0.0175'],
  ['quadratic_with_combo_maker_fees', '0.035'],
]);

/** The formula's fee has millionths of a dollar; the balance of a direct member changes by whole ten-thousandths. */
const FEE_PLACES = 6;
const BALANCE_PLACES = 4;

/**
 * What an order of a direct member pays for its executions: the formula's fee of each, up to the next $0.000001, and what aligns the change
 * of the balance downwards to $0.0001. The latter adds up over the order and goes back in whole steps, never so much that a fee falls below
 * 0 (kalshi.md 7.1). Null for a rule that is not published.
 */
export function orderFee({ type, multiplier }: FeeRule, side: Side, executions: readonly Execution[]): Decimal | null {
  const makerRate = MAKER_RATES.get(type);
  if (makerRate === undefined) return null;
  let [total, carried] = ['0', '0'];
  for (const { price, size, role } of executions) {
    const rate = multiply(role === 'maker' ? makerRate : TAKER_RATE, multiplier);
    const formula = roundedUp(multiply(multiply(rate, size), multiply(price, complement(price))), FEE_PLACES);
    const worth = multiply(price, size);
    const change = subtract(side === 'buy' ? `-${worth}` : worth, formula);
    const charged = add(formula, subtract(change, roundedDown(change, BALANCE_PLACES)));
    const overpaid = add(carried, subtract(charged, formula));
    const back = roundedDown(compare(overpaid, charged) < 0 ? overpaid : charged, BALANCE_PLACES);
    total = add(total, subtract(charged, back));
    carried = subtract(overpaid, back);
  }
  return total;
}
