import { type Decimal, multiply, placesOf, withPlaces } from '../../decimal.js';
import type { Side, TimeInForce } from '../../unified.trading.dto.js';

/* What a plain order gives and takes (contract.md 5.6): exact whole numbers, never floats. */

/** Of an order: the dollars and the shares that are signed, in millionths. */
export interface Amounts {
  readonly money: bigint;
  readonly shares: bigint;
}

/** Dollars to spend and the limit price, in canonical form. */
interface Spending {
  readonly money: Decimal;
  readonly price: Decimal;
}

/** What the amounts of an order depend on, beside tick and book. Decimals in canonical form. */
export interface AskedAmounts {
  readonly side: Side;
  readonly timeInForce: TimeInForce;
  readonly price: Decimal;
  readonly size: Decimal;
}

const MICRO_PLACES = 6;
/** Sizes, and the dollars that a market order to buy spends, have cents. */
const CENT_PLACES = 2;
const MICROS_PER_CENT = 10_000n;
/** The official client rounds shares up so many places behind the last one, then cuts them there. */
const GUARD = 10_000n;

/** How many places the shares of a market order to buy may have: two more than the tick, at the six ticks there are 3 to 6. */
const SHARE_PLACES = [3, 4, 5, 6] as const;

/** Returns the value in whole units of `10^-places`; what is less is cut. */
function unitsOf(value: Decimal, places: number): bigint {
  return BigInt(withPlaces(value, places).replace('.', ''));
}

/** Whether the exchange makes a market order of it that spends a sum: then a better price gives more shares. */
export function spendsSum({
  side,
  timeInForce,
}: {
  readonly side: Side;
  readonly timeInForce: TimeInForce | null;
}): boolean {
  return side === 'buy' && (timeInForce === 'fok' || timeInForce === 'ioc');
}

/** Returns price × size and size, exactly; null where there is no such amount above 0. */
export function exactAmounts({ price, size }: Pick<AskedAmounts, 'price' | 'size'>): Amounts | null {
  const money = multiply(price, size);
  if (placesOf(money) > MICRO_PLACES || placesOf(size) > MICRO_PLACES) return null;
  return positive({ money: unitsOf(money, MICRO_PLACES), shares: unitsOf(size, MICRO_PLACES) });
}

/**
 * Returns what the official client signs for a market order to buy on a market of this tick: the money cut to cents, with as many
 * shares as it pays for at the limit price. Null where there is no such amount above 0.
 */
export function purchaseAmounts(purchase: Spending, tick: Decimal): Amounts | null {
  return sumAmounts(purchase, Math.min(placesOf(tick) + CENT_PLACES, MICRO_PLACES));
}

/**
 * Returns every amount that an order can have been signed with whose record does not tell them, whatever the tick was then: orders
 * that spend a sum were for price × size.
 */
export function possibleAmounts(asked: AskedAmounts): Amounts[] {
  const { price, size } = asked;
  const amounts = spendsSum(asked)
    ? SHARE_PLACES.map((places) => sumAmounts({ money: multiply(price, size), price }, places))
    : [exactAmounts(asked)];
  return amounts.filter((one) => one !== null);
}

function sumAmounts({ money, price }: Spending, sharePlaces: number): Amounts | null {
  const cents = unitsOf(money, CENT_PLACES);
  const pricePlaces = placesOf(price);
  const unitPrice = unitsOf(price, pricePlaces);
  const scale = 10n ** BigInt(pricePlaces + sharePlaces - CENT_PLACES) * GUARD;
  const guarded = (cents * scale + unitPrice - 1n) / unitPrice;
  const shares = (guarded / GUARD) * 10n ** BigInt(MICRO_PLACES - sharePlaces);
  return positive({ money: cents * MICROS_PER_CENT, shares });
}

function positive(amounts: Amounts): Amounts | null {
  return amounts.money > 0n && amounts.shares > 0n ? amounts : null;
}
