import BigJs from 'big.js';

/** Our own constructor: strict (a JSON number throws), quotients cut after ten places. */
const Big = BigJs();
Big.strict = true;
Big.DP = 10;
Big.RM = BigJs.roundDown;

/** A decimal in canonical form: `-?\d+(\.\d+)?`, no exponent, no superfluous zeros (unified-schema.md 1). */
export type Decimal = string;

/** An exchange's decimal is no longer (S-53): a uint256 has 78 digits. */
const LONGEST = 128;

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const [MINUS, POINT, ZERO, NINE] = [0x2d, 0x2e, 0x30, 0x39];

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
  if (typeof value === 'number') return Number.isFinite(value) ? fromNumber(String(value)) : null;
  return typeof value === 'string' && value.length <= LONGEST ? canonical(value) : null;
}

/** The shortest text of a number is canonical but for those that have an exponent. */
function fromNumber(shortest: string): Decimal {
  return shortest.includes('e') ? text(big(shortest)) : shortest;
}

/** Digits without the superfluous zeros, by the text alone: long lists are made of them. Null where it is no decimal. */
function canonical(digits: string): Decimal | null {
  const from = digits.charCodeAt(0) === MINUS ? 1 : 0;
  const point = pointOf(digits, from);
  if (point === null) return null;
  const start = startOf(digits, from, point);
  const end = endOf(digits, point);
  if (end === start + 1 && digits.charCodeAt(start) === ZERO) return '0';
  return start === from ? digits.slice(0, end) : `${digits.slice(0, from)}${digits.slice(start, end)}`;
}

/** Where the whole digits end, of which there is at least one, as behind a point; null where it is no decimal. */
function pointOf(digits: string, from: number): number | null {
  let point = digits.length;
  for (let at = from; at < digits.length; at += 1) {
    const code = digits.charCodeAt(at);
    if (code === POINT && point === digits.length) point = at;
    else if (code < ZERO || code > NINE) return null;
  }
  return point === from || point === digits.length - 1 ? null : point;
}

/** Behind the zeros at the front; one whole digit is left. */
function startOf(digits: string, from: number, point: number): number {
  let start = from;
  while (start < point - 1 && digits.charCodeAt(start) === ZERO) start += 1;
  return start;
}

/** Before the zeros at the end of the fraction, and before the point where nothing else is left of it. */
function endOf(digits: string, point: number): number {
  let end = digits.length;
  while (end > point && digits.charCodeAt(end - 1) === ZERO) end -= 1;
  return end === point + 1 ? point : end;
}

/** How many decimal places a canonical decimal has. */
export function placesOf(value: Decimal): number {
  return value.split('.')[1]?.length ?? 0;
}

/** With so many places, as exchanges want it: `withPlaces("0.42", 4)` is `"0.4200"`. Places beyond that are cut. */
export function withPlaces(value: Decimal, places: number): string {
  return big(value).toFixed(places);
}

/** The next decimal with so many places at or below. */
export function roundedDown(value: Decimal, places: number): Decimal {
  const one = big(value);
  return text(one.round(places, value.startsWith('-') ? BigJs.roundUp : BigJs.roundDown));
}

/** The next decimal with so many places at or above. */
export function roundedUp(value: Decimal, places: number): Decimal {
  const one = big(value);
  return text(one.round(places, value.startsWith('-') ? BigJs.roundDown : BigJs.roundUp));
}

/** Whether a decimal is a whole number of steps; neither is below 0, and nothing is a multiple of 0. */
export function isMultiple(value: Decimal, step: Decimal): boolean {
  const places = Math.max(placesOf(value), placesOf(step));
  const unit = unitsOf(step, places);
  return unit > 0n && unitsOf(value, places) % unit === 0n;
}

function unitsOf(value: Decimal, places: number): bigint {
  return BigInt(withPlaces(value, places).replace('.', ''));
}

/** `a + b`, exact. */
export function add(a: Decimal, b: Decimal): Decimal {
  return text(big(a).plus(big(b)));
}

/** Null where one is: what is unknown is never 0. */
export function sumOf(amounts: readonly (Decimal | null)[]): Decimal | null {
  return amounts.reduce<Decimal | null>(
    (sum, amount) => (sum === null || amount === null ? null : add(sum, amount)),
    '0',
  );
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
  const isFraction = price.startsWith('0.') && !price.endsWith('0');
  return isFraction ? restToOne(price) : text(big('1').minus(big(price)));
}

/** Each digit goes to nine, the last, which is none of `0`, to ten: books and market lists are made of such prices. */
function restToOne(fraction: Decimal): Decimal {
  const last = fraction.length - 1;
  let rest = '0.';
  for (let at = 2; at < last; at += 1) rest += String(NINE - fraction.charCodeAt(at));
  return rest + String(ZERO + 10 - fraction.charCodeAt(last));
}

/** An integer amount of `10^-places` units as a decimal: `scaleDown("152340000", 6)` is `"152.34"`. */
export function scaleDown(units: string, places: number): Decimal {
  return text(big(units).times(big(`1e-${places}`)));
}

/** Negative, zero or positive as `a` is below, equal to or above `b`. */
export function compare(a: Decimal, b: Decimal): number {
  if (haveOneForm(a, b)) return Number(a > b) - Number(a < b);
  const [one, other] = [canonical(a) ?? a, canonical(b) ?? b];
  const [isBelow, isOtherBelow] = [one.startsWith('-'), other.startsWith('-')];
  if (isBelow !== isOtherBelow) return isBelow ? -1 : 1;
  return isBelow ? compareSizes(other.slice(1), one.slice(1)) : compareSizes(one, other);
}

/** Whether two are in order as texts: without a sign, of one length, the point at one place. */
function haveOneForm(a: Decimal, b: Decimal): boolean {
  if (a.length !== b.length || a.charCodeAt(0) === MINUS || b.charCodeAt(0) === MINUS) return false;
  return a.indexOf('.') === b.indexOf('.');
}

/** Whether a canonical decimal is above zero. */
export function isPositive(value: Decimal): boolean {
  return value !== '0' && value.charCodeAt(0) !== MINUS;
}

/** Of canonical texts without a sign, by the whole digits first: those of one length, and places, are in order as texts. */
function compareSizes(one: string, other: string): number {
  if (one === other) return 0;
  const longer = wholeDigits(one) - wholeDigits(other);
  if (longer !== 0) return Math.sign(longer);
  return one < other ? -1 : 1;
}

function wholeDigits(text: string): number {
  const point = text.indexOf('.');
  return point < 0 ? text.length : point;
}

/** The absolute value. */
export function absolute(value: Decimal): Decimal {
  return text(big(value).abs());
}
