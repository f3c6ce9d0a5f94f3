import BigJs from 'big.js';

/** Our own constructor: strict (a JSON number throws), quotients cut after ten places. */
const Big = BigJs();
Big.strict = true;
Big.DP = 10;
Big.RM = BigJs.roundDown;

/** A decimal in canonical form: `-?\d+(\.\d+)?`, no exponent, no superfluous zeros (unified.md 1). */
export type Decimal = string;

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const LOOSE = /^-?\d+(?:\.\d+)?$/;

function big(value: string): BigJs {
  return new Big(value);
}

function text(value: BigJs): Decimal {
  const fixed = value.toFixed();
  return fixed === '-0' ? '0' : fixed;
}

/** Whether a client's text is a decimal as the API takes it: digits, at most one point, no exponent, no sign but `-`. */
export function isDecimal(value: unknown): value is Decimal {
  return typeof value === 'string' && value.length <= 64 && DECIMAL.test(value);
}

/**
 * The canonical form of an exchange's decimal: a string (`"0.4200"` → `"0.42"`) or a JSON number, which is read through
 * its shortest decimal text. Null where it is no decimal.
 */
export function parseDecimal(value: unknown): Decimal | null {
  if (typeof value === 'number') return Number.isFinite(value) ? text(big(String(value))) : null;
  return typeof value === 'string' && LOOSE.test(value) ? text(big(value)) : null;
}

/** How many decimal places a canonical decimal has. */
export function placesOf(value: Decimal): number {
  return value.split('.')[1]?.length ?? 0;
}

/** With so many places, as exchanges want it: `withPlaces("0.42", 4)` is `"0.4200"`. Places beyond that are cut. */
export function withPlaces(value: Decimal, places: number): string {
  return big(value).toFixed(places);
}

/** `a + b`, exact. */
export function add(a: Decimal, b: Decimal): Decimal {
  return text(big(a).plus(big(b)));
}

/** `a - b`, exact. */
export function subtract(a: Decimal, b: Decimal): Decimal {
  return text(big(a).minus(big(b)));
}

/** `a * b`, exact. */
export function multiply(a: Decimal, b: Decimal): Decimal {
  return text(big(a).times(big(b)));
}

/** `a / b` cut (not rounded up) after ten places; `b` must not be zero. */
export function divide(a: Decimal, b: Decimal): Decimal {
  return text(big(a).div(big(b)));
}

/** `1 - price`: the same quote seen from the other outcome; exact. */
export function complement(price: Decimal): Decimal {
  return text(big('1').minus(big(price)));
}

/** An integer amount of `10^-places` units as a decimal: `scaleDown("152340000", 6)` is `"152.34"`. */
export function scaleDown(units: string, places: number): Decimal {
  return text(big(units).times(big(`1e-${places}`)));
}

/** Negative, zero or positive as `a` is below, equal to or above `b`. */
export function compare(a: Decimal, b: Decimal): number {
  return big(a).cmp(big(b));
}

/** The absolute value. */
export function absolute(value: Decimal): Decimal {
  return text(big(value).abs());
}
