import { add, compare, type Decimal, divide, isPositive, multiply, roundedDown, subtract } from './decimal.js';
import type { Execution } from './fees.contract.js';
import type { AskedOrder } from './orders.contract.js';
import type { LevelDto, OrderBookDto } from './unified.market-data.dto.js';

/** What an order finds in a book. */
export interface OrderProspect {
  /** The trades that it makes at once, one a price, the best first. */
  readonly taken: readonly Execution[];
  /** What rests of it; null where that is nothing. */
  readonly rest: Execution | null;
  /** Why the exchange would refuse it by that: before it looks at the funds, and after. */
  readonly wouldCross: boolean;
  readonly notFilled: boolean;
}

/** No exchange divides a share, a contract or the money for them further. */
const LEAST_PLACES = 6;

type Terms = Pick<AskedOrder, 'side' | 'price' | 'size' | 'time_in_force' | 'post_only' | 'money' | 'most_size'>;

/** Whether it buys for a sum, whatever size that brings. */
function spends({ most_size: mostSize }: Terms): boolean {
  return mostSize !== null;
}

/** Returns what an order would trade by this book of its outcome, best prices first, and what would be left of it. */
export function prospectOf(terms: Terms, { bids, asks }: Pick<OrderBookDto, 'bids' | 'asks'>): OrderProspect {
  const within = takeable(terms, terms.side === 'buy' ? asks : bids);
  if (terms.post_only === true && within.length > 0) return { ...NOTHING, wouldCross: true };
  const { taken, left } = spends(terms) ? spentOn(within, terms.money ?? '0') : takenOf(within, terms.size);
  return prospectAfter(terms, taken, left);
}

/** What becomes of what is left is a matter of how long the order may wait. */
function prospectAfter({ time_in_force: life, price }: Terms, taken: Execution[], left: Decimal): OrderProspect {
  const isShort = isPositive(left);
  if (life !== 'fok' && life !== 'ioc')
    return { ...NOTHING, taken, rest: isShort ? { price, size: left, role: 'maker' } : null };
  const notFilled = taken.length === 0 || (life === 'fok' && isShort);
  return notFilled ? { ...NOTHING, notFilled } : { ...NOTHING, taken };
}

const NOTHING: OrderProspect = { taken: [], rest: null, wouldCross: false, notFilled: false };

/** The levels that an order with this price takes. */
function takeable({ side, price: limit }: Terms, levels: readonly LevelDto[]): LevelDto[] {
  const sign = side === 'buy' ? 1 : -1;
  return levels.filter(({ price, size }) => isPositive(price) && isPositive(size) && compare(price, limit) * sign <= 0);
}

/** What executions come to; the average is cut after ten places, and null of none. */
export function totalOf(executions: readonly Execution[]): {
  readonly size: Decimal;
  readonly average_price: Decimal | null;
} {
  const size = executions.map((one) => one.size).reduce(add, '0');
  const money = executions.map((one) => multiply(one.price, one.size)).reduce(add, '0');
  return { size, average_price: isPositive(size) ? divide(money, size) : null };
}

/** `left` is the size that found nothing. */
function takenOf(levels: readonly LevelDto[], wanted: Decimal): { taken: Execution[]; left: Decimal } {
  const taken: Execution[] = [];
  let left = wanted;
  for (const { price, size: there } of levels) {
    if (!isPositive(left)) break;
    const size = compare(there, left) < 0 ? there : left;
    taken.push({ price, size, role: 'taker' });
    left = subtract(left, size);
  }
  return { taken, left };
}

/** `left` is the money that found nothing; what buys no whole part of a share at the last price is spent too. */
function spentOn(levels: readonly LevelDto[], money: Decimal): { taken: Execution[]; left: Decimal } {
  const taken: Execution[] = [];
  let left = money;
  for (const { price, size: there } of levels) {
    const affordable = roundedDown(divide(left, price), LEAST_PLACES);
    const size = compare(there, affordable) < 0 ? there : affordable;
    if (isPositive(size)) taken.push({ price, size, role: 'taker' });
    if (compare(size, there) < 0) return { taken, left: '0' };
    left = subtract(left, roundedDown(multiply(price, size), LEAST_PLACES));
  }
  return { taken, left };
}
