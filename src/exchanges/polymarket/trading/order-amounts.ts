import { type Decimal, multiply, placesOf, withPlaces } from '../../decimal.js';
import type { Side, TimeInForce } from '../../unified.trading.dto.js';

/* What a plain order gives and takes (contract.md 9): exact whole numbers, never floats. */

/** Of an order: the dollars and the shares that are signed, in millionths. */
export interface Amounts {
  readonly money: bigint;
  readonly shares: bigint;
}

/** What the amounts of an order depend on, beside the tick. Decimals in canonical form. */
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

/** Whether a decimal is a whole number of steps. Both are above 0. */
export function isMultiple(value: Decimal, step: Decimal): boolean {
  const places = Math.max(placesOf(value), placesOf(step));
  return unitsOf(value, places) % unitsOf(step, places) === 0n;
}

/** Whether the exchange makes a market order of it that spends a sum: then a better price gives more shares. */
export function spendsSum({ side, timeInForce }: Pick<AskedAmounts, 'side' | 'timeInForce'>): boolean {
  return side === 'buy' && (timeInForce === 'fok' || timeInForce === 'ioc');
}

/**
 * Returns what the official client signs for such an order on a market of this tick: price × size exactly, and of a market
 * order to buy that sum cut to cents, with as many shares as it pays for. Null where there is no such amount above 0.
 */
export function amountsAt(asked: AskedAmounts, tick: Decimal): Amounts | null {
  return spendsSum(asked)
    ? sumAmounts(asked, Math.min(placesOf(tick) + CENT_PLACES, MICRO_PLACES))
    : exactAmounts(asked);
}

/** Returns every amount that the order can have been signed with, whatever the tick was then. */
export function possibleAmounts(asked: AskedAmounts): Amounts[] {
  if (!spendsSum(asked)) return [exactAmounts(asked)].filter((amounts) => amounts !== null);
  return SHARE_PLACES.map((places) => sumAmounts(asked, places)).filter((amounts) => amounts !== null);
}

function exactAmounts({ price, size }: AskedAmounts): Amounts | null {
  const money = multiply(price, size);
  if (placesOf(money) > MICRO_PLACES || placesOf(size) > MICRO_PLACES) return null;
  return positive({ money: unitsOf(money, MICRO_PLACES), shares: unitsOf(size, MICRO_PLACES) });
}

function sumAmounts({ price, size }: AskedAmounts, sharePlaces: number): Amounts | null {
  const cents = unitsOf(multiply(price, size), CENT_PLACES);
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
