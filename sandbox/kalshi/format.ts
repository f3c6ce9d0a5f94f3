import { toFixed } from '../units.js';

/**
 * How the exchange writes amounts, mostly as strings, and times (kalshi.md 3): `0.4200`, and up to 6 decimals where 4 cannot
 * hold the value (prices, balances, averages).
 */
export function dollars(value: bigint): string {
  return toFixed(value, value % 100n === 0n ? 4 : 6);
}

/** `2.600000` (costs and fees). */
export function longDollars(value: bigint): string {
  return toFixed(value, 6);
}

/** `10.00` (contract counts; sizes are multiples of 0.01). */
export function count(value: bigint): string {
  return toFixed(value, 2);
}

/** Whole cents, cut towards zero. */
export function cents(value: bigint): number {
  return Number(value / 10_000n);
}

/** `2026-11-20T15:00:00.713523Z`: entities carry microseconds. The last three digits follow from the rest. */
export function isoMicros(time: number): string {
  const digits = String((time * 7_919) % 1_000).padStart(3, '0');
  return new Date(time).toISOString().replace('Z', `${digits}Z`);
}
