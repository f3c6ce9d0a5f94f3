import { compare, divide, multiply, parseDecimal, scaleDown, type Decimal } from '../../decimal.js';
import { CURRENCY_DECIMALS } from '../polymarket.ids.js';
import type { OrderTerms } from './order.mapper.js';
import type { WireCreated } from './order.wire.js';

/** No price is lower. */
const LEAST_PRICE = '0.0001';

const MUCH_MORE = '10';

type Amounts = Pick<WireCreated, 'takingAmount' | 'makingAmount' | 'status'>;

/**
 * Returns the shares that changed hands, by the answer to a new order: plain, as integrators report, or in millionths, as the
 * document says (polymarket.md 7). A BUY that is filled at once may get more than its size for its money (polymarket-2026.md 2.6);
 * every other order gets its size at most.
 */
export function sharesOf({ takingAmount, makingAmount, status }: Amounts, terms: OrderTerms): Decimal {
  const { side, size } = terms;
  const shares = parseDecimal(side === 'buy' ? takingAmount : makingAmount);
  if (shares === null) return status === 'matched' ? size : '0';
  const most = mayGetMore(terms) ? mostFor(multiply(terms.price, size)) : size;
  const isScaled = compare(shares, most) > 0 || isOverspent(parseDecimal(makingAmount), terms);
  const plain = isScaled ? scaleDown(shares, CURRENCY_DECIMALS) : shares;
  return compare(plain, most) > 0 ? size : plain;
}

function mayGetMore({ side, timeInForce }: OrderTerms): boolean {
  return side === 'buy' && (timeInForce === 'fok' || timeInForce === 'ioc');
}

/** The most shares that any money buys. */
function mostFor(money: Decimal): Decimal {
  return divide(money, LEAST_PRICE);
}

/** Whether a BUY would have cost much more than its maker gave, fees included: then the amounts are in millionths. */
function isOverspent(paid: Decimal | null, { side, price, size }: OrderTerms): boolean {
  return side === 'buy' && paid !== null && compare(paid, multiply(multiply(price, size), MUCH_MORE)) > 0;
}
