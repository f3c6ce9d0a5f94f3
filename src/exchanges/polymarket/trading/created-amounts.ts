import { compare, divide, multiply, parseDecimal, scaleDown, type Decimal } from '../../decimal.js';
import { CURRENCY_DECIMALS } from '../polymarket.ids.js';
import { spendsSum } from './order-amounts.js';
import type { OrderTerms } from './order.mapper.js';
import type { WireCreated } from './order.wire.js';

/** No price is lower. */
const LEAST_PRICE = '0.0001';

const MUCH_MORE = '10';

/** A hundredth of a share in millionths: sizes have two decimals, so that fewer shares change hands at no time but as dust. */
const LEAST_MILLIONTHS = '10000';

type Amounts = Pick<WireCreated, 'takingAmount' | 'makingAmount' | 'status'>;

/**
 * Returns the shares that changed hands, by the answer to a new order: plain, as integrators report, or in millionths, as the
 * document says (polymarket.md 7.1). A BUY that is filled at once may get more than its size for its money (polymarket.md 7.3);
 * every other order gets its size at most, and a fill-or-kill that matched no less. Null where the answer does not say, or may
 * mean either.
 */
export function sharesOf(answer: Amounts, terms: OrderTerms): Decimal | null {
  const { timeInForce, money, size } = terms;
  const isMatched = answer.status === 'matched';
  const shares = sharesRead(answer, terms);
  if (isMatched && timeInForce === 'fok' && money === undefined) return atLeast(shares ?? '0', size);
  return shares ?? (isMatched || stated(answer, terms) !== null ? null : '0');
}

/** Null where the answer says nothing, nothing that can be, or what may be either. */
function sharesRead(answer: Amounts, terms: OrderTerms): Decimal | null {
  const text = stated(answer, terms);
  const shares = parseDecimal(text);
  if (text === null || shares === null) return null;
  const most = spendsSum(terms) ? divide(spendable(terms), LEAST_PRICE) : terms.size;
  const scaled = scaleDown(shares, CURRENCY_DECIMALS);
  const isPlain = compare(shares, most) <= 0 && !isOverspent(answer, terms);
  if (!isPlain) return compare(scaled, most) <= 0 ? scaled : null;
  const mayBeScaled = !text.includes('.') && compare(shares, LEAST_MILLIONTHS) >= 0;
  return mayBeScaled ? null : shares;
}

function stated({ takingAmount, makingAmount }: Amounts, { side }: OrderTerms): string | null {
  return side === 'buy' ? takingAmount : makingAmount;
}

/** The dollars that a BUY gives. */
function spendable({ money, price, size }: OrderTerms): Decimal {
  return money ?? multiply(price, size);
}

/** Whether a BUY would have cost much more than its maker gave, fees included: then the amounts are in millionths. */
function isOverspent({ makingAmount }: Amounts, terms: OrderTerms): boolean {
  const paid = parseDecimal(makingAmount);
  return terms.side === 'buy' && paid !== null && compare(paid, multiply(spendable(terms), MUCH_MORE)) > 0;
}

function atLeast(value: Decimal, least: Decimal): Decimal {
  return compare(value, least) < 0 ? least : value;
}
