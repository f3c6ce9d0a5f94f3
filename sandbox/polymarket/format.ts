import { toFixed } from '../units.js';

/** Millionths as a decimal text without superfluous zeros: 520000n is `"0.52"`. */
export function toDecimal(units: bigint): string {
  const text = toFixed(units, 6);
  let end = text.length;
  while (text[end - 1] === '0') end -= 1;
  return text.slice(0, text[end - 1] === '.' ? end - 1 : end);
}

/** Millionths as the JSON number that Gamma and the Data API send. */
export function toNumber(units: bigint): number {
  return Number(toDecimal(units));
}

/** The address of a market's or an event's picture. */
export function imageOf(slug: string): string {
  return `https://polymarket-upload.s3.us-east-2.amazonaws.com/${slug.slice(0, 24)}.png`;
}
