import { ONE, toUnits } from '../units.js';

/** How a market charges its takers, as `fd` and `feeSchedule` say: decimals as text. */
export interface FeeRule {
  rate: string;
  exponent: 1 | 2;
}

/** 0.00001 of a pUSD, in millionths. */
const GRAIN = 10n;

/**
 * What the taker of a trade pays in pUSD, in millionths: shares × rate × (price × (1 - price))^exponent, cut to 0.00001 (polymarket.md 7.3).
 * Makers pay nothing.
 */
export function takerFee(rule: FeeRule | undefined, { price, size }: { price: bigint; size: bigint }): bigint {
  if (rule === undefined) return 0n;
  const curve = (price * (ONE - price)) ** BigInt(rule.exponent);
  const exact = (toUnits(rule.rate) * curve * size) / ONE ** BigInt(1 + 2 * rule.exponent);
  return exact - (exact % GRAIN);
}
