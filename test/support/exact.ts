const PLACES = 24;
const ONE = 10n ** BigInt(PLACES);

/** Decimals of tests as integers, written apart from the service's own arithmetic; exact to 24 places. */
function toUnits(value: string | number): bigint {
  const text = typeof value === 'number' ? shortest(value) : value;
  const match = /^(-?)(\d+)(?:\.(\d{1,24}))?$/.exec(text);
  if (match === null) throw new RangeError(`${text} is no plain decimal`);
  const [, sign, whole = '0', part = ''] = match;
  const units = BigInt(whole) * ONE + BigInt(part.padEnd(PLACES, '0'));
  return sign === '-' ? -units : units;
}

function toText(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(PLACES + 1, '0');
  const part = digits.slice(-PLACES).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -PLACES)}${part === '' ? '' : `.${part}`}`;
}

/** JSON numbers by their shortest text; exponents are written out. */
function shortest(value: number): string {
  const text = String(value);
  const [mantissa = '0', exponent] = text.split('e');
  if (exponent === undefined) return text;
  return value.toFixed(Math.min(20, Math.max(0, -Number(exponent) + mantissa.replace(/^-?\d+\.?/, '').length)));
}

/** The canonical form (unified-schema.md 1). */
export const canonical = (value: string | number): string => toText(toUnits(value));
/** Canonical, null where there is none. */
export const maybe = (value: string | number | null | undefined): string | null =>
  value === null || value === undefined || value === '' ? null : canonical(value);
export const plus = (...values: readonly (string | number)[]): string =>
  toText(values.reduce((sum, value) => sum + toUnits(value), 0n));
export const minus = (a: string | number, b: string | number): string => toText(toUnits(a) - toUnits(b));
export const times = (a: string | number, b: string | number): string => toText((toUnits(a) * toUnits(b)) / ONE);
export const oneMinus = (price: string | number): string => minus('1', price);
export const order = (a: string | number, b: string | number): number => {
  const difference = toUnits(a) - toUnits(b);
  return difference === 0n ? 0 : difference > 0n ? 1 : -1;
};
/** How far `a × b` is from `c`, for quotients that do not come out even. */
export const isQuotient = (quotient: string | null, dividend: string, divisor: string): boolean => {
  if (quotient === null) return false;
  const gap = toUnits(minus(times(quotient, divisor), dividend));
  return (gap < 0n ? -gap : gap) < ONE / 1_000_000n;
};

/** ISO 8601 with exactly milliseconds, finer ones cut; null where there is none. */
export function iso(text: string | null | undefined): string | null {
  if (text === null || text === undefined || text === '') return null;
  const whole = text
    .replace(' ', 'T')
    .replace(/\+00$/, 'Z')
    .replace(/(\.\d{3})\d*/, '$1');
  return new Date(whole).toISOString();
}
