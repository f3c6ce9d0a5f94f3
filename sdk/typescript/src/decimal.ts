import { InvalidArgument } from './errors.js';

declare const brand: unique symbol;

/** A decimal number as text, as the service gave it: `'0.42'`. Compute with a decimal library, never with `Number`. */
export type Decimal = string & { readonly [brand]: 'decimal' };

/** What a decimal may be given as: its text, or a safe integer. Floats are refused before anything is sent. */
export type DecimalInput = Decimal | string | number;

/** A body as the caller writes it: decimals by `DecimalInput`. */
export type Input<T> = T extends Decimal
  ? DecimalInput
  : T extends object
    ? { readonly [K in keyof T]: Input<T[K]> }
    : T;

/** The fields of bodies that are decimals, in all levels. */
const DECIMALS = /^(?:price|size|amount|max_(?:order|open|daily|total)_risk|max_position|max_price_distance)$/;

const isPlain = (value: unknown): boolean => typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value);

/** The text of a decimal. Throws InvalidArgument for floats, booleans and whatever is no plain decimal. */
export function decimal(value: DecimalInput, name = 'A decimal'): Decimal {
  const isFit = typeof value === 'number' ? Number.isSafeInteger(value) : isPlain(value);
  if (isFit) return String(value) as Decimal;
  throw new InvalidArgument(`${name} is a decimal in a text ("0.05") or a whole number, not a float or anything else.`);
}

/** The body as it is sent: decimals as text, every other number a safe integer. */
export function encode(value: unknown, name = 'The body'): unknown {
  if (DECIMALS.test(name) && value !== null && value !== undefined) return decimal(value as DecimalInput, name);
  if (Array.isArray(value)) return value.map((each) => encode(each));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([field, member]) => [field, encode(member, field)]));
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  throw new InvalidArgument(`${name} is no whole number.`);
}
