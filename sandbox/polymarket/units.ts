const DECIMALS = 6;
const SCALE = 10n ** BigInt(DECIMALS);

/** A decimal text such as `"0.52"` in millionths. Throws `RangeError` for anything else or for more than six decimals. */
export function toUnits(text: string): bigint {
  const match = /^(\d+)(?:\.(\d{1,6}))?$/.exec(text);
  if (match?.[1] === undefined) throw new RangeError('The amount must be a plain decimal of up to six places.');
  return BigInt(match[1]) * SCALE + BigInt((match[2] ?? '').padEnd(DECIMALS, '0'));
}

/** Millionths as a decimal text without superfluous zeros: 520000n is `"0.52"`. */
export function toDecimal(units: bigint): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/(?<!0)0+$/, '');
  return `${sign}${digits.slice(0, -DECIMALS)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Millionths as the JSON number that Gamma and the Data API send. */
export function toNumber(units: bigint): number {
  return Number(toDecimal(units));
}

/** price × size in millionths of a pUSD, rounded down. */
export function cost(price: bigint, size: bigint): bigint {
  return (price * size) / SCALE;
}

/** price × size in millionths of a pUSD, rounded up. */
export function costUp(price: bigint, size: bigint): bigint {
  return (price * size + SCALE - 1n) / SCALE;
}
