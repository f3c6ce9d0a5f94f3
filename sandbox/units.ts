/**
 * Money, prices and sizes are whole millionths (bigint): one dollar and one contract are both 1_000_000, and a price of
 * 0.0001 times a size of 0.01 is still a whole number.
 */
export const ONE = 1_000_000n;

const DECIMALS = 6;

/** A decimal text such as `"0.52"` in millionths. Throws `RangeError` for anything else or for more than six decimals. */
export function toUnits(text: string): bigint {
  const match = /^(\d+)(?:\.(\d{1,6}))?$/.exec(text);
  if (match?.[1] === undefined) throw new RangeError('The amount must be a plain decimal of up to six places.');
  return BigInt(match[1]) * ONE + BigInt((match[2] ?? '').padEnd(DECIMALS, '0'));
}

/** Millionths as a decimal text with that many places, cut off: 520000n is `"0.52"` with two. */
export function toFixed(value: bigint, places: number): string {
  const digits = magnitude(value)
    .toString()
    .padStart(DECIMALS + 1, '0');
  const point = digits.length - DECIMALS;
  return `${value < 0n ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point, point + places)}`;
}

/** price × size, rounded down. */
export function product(price: bigint, size: bigint): bigint {
  return (price * size) / ONE;
}

/** price × size, rounded up. */
export function productUp(price: bigint, size: bigint): bigint {
  return (price * size + ONE - 1n) / ONE;
}

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

export function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}
