/**
 * Exact decimals of the exchange: dollars and contract counts are whole millionths (bigint), so that a price of
 * 0.0001 times a count of 0.01 is still a whole number. On the wire they are strings (kalshi.md 3).
 */
export const MILLION = 1_000_000n;

/** The millionths of a plain decimal with a number of decimals in the given range, or undefined for any other text. */
export function parseDecimal(text: string, decimals: { min: number; max: number }): bigint | undefined {
  const match = /^(\d{1,12})(?:\.(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const [, whole = '0', fraction = ''] = match;
  if (fraction.length < decimals.min || fraction.length > decimals.max) return undefined;
  return BigInt(whole) * MILLION + BigInt(fraction.padEnd(6, '0'));
}

/** Millionths of a decimal written in the source; throws where it is not one. */
export function micros(text: string): bigint {
  const value = parseDecimal(text, { min: 0, max: 6 });
  if (value === undefined) throw new RangeError('Not a decimal with at most 6 places.');
  return value;
}

/** `0.4200`, and up to 6 decimals where 4 cannot hold the value (prices, balances, averages). */
export function dollars(value: bigint): string {
  return value % 100n === 0n ? fixed(value, 4) : fixed(value, 6);
}

/** `2.600000` (costs and fees). */
export function longDollars(value: bigint): string {
  return fixed(value, 6);
}

/** `10.00` (contract counts; sizes are multiples of 0.01). */
export function count(value: bigint): string {
  return fixed(value, 2);
}

/** Whole cents, cut towards zero. */
export function cents(value: bigint): number {
  return Number(value / 10_000n);
}

/** Price times count, exact for prices in 0.0001 and counts in 0.01. */
export function times(price: bigint, size: bigint): bigint {
  return (price * size) / MILLION;
}

/** `amount / size` per contract, rounded half up to millionths. */
export function perContract(amount: bigint, size: bigint): bigint {
  return (amount * MILLION * 2n + size) / (size * 2n);
}

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

export function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function fixed(value: bigint, places: number): string {
  const digits = magnitude(value).toString().padStart(7, '0');
  const cut = digits.length - 6;
  return `${value < 0n ? '-' : ''}${digits.slice(0, cut)}.${digits.slice(cut, cut + places)}`;
}
