import { ONE, smaller } from '../../units.js';

/** `fee_type` of a series, or of an event that deviates from its series. */
export const FEE_TYPES = ['quadratic', 'quadratic_with_maker_fees', 'quadratic_with_combo_maker_fees', 'flat'] as const;
type FeeType = (typeof FEE_TYPES)[number];

/** How a market charges: `multiplier` in millionths, ONE for most. */
export interface FeeRule {
  readonly type: FeeType;
  readonly multiplier: bigint;
}

/** To what a balance is aligned, in millionths of a dollar: `direct` members to 0.0001, the others to a cent. */
export const PRECISION = { direct: 100n, cleared: 10_000n } as const;

/** One fill as its fee sees it; `revenue` is what it adds to the cash without any fee, below 0 for what is paid. */
export interface Charged {
  price: bigint;
  size: bigint;
  isTaker: boolean;
  revenue: bigint;
}

/** What a fill costs, and the overpayment by rounding that its order carries on to the next fill. Millionths. */
export interface FillFee {
  fee: bigint;
  carried: bigint;
}

/** 0.07, and parts of it for makers: a quarter, of combos a half (OpenAPI `Series.fee_type`, the fee schedule). */
const TAKER = 70_000n;
const MAKER: Readonly<Record<FeeType, bigint>> = {
  quadratic: 0n,
  quadratic_with_maker_fees: 17_500n,
  quadratic_with_combo_maker_fees: 35_000n,
  flat: 0n,
};
/** A cent a contract. Ours: the table of the flat fees is not published, and no series has them. */
const FLAT = 10_000n;

/**
 * The fee of the model, up to the next millionth: rate × multiplier × count × P × (1 - P) (kalshi.md 7.1). Makers pay
 * it only where the type says so.
 */
export function tradeFee({ type, multiplier }: FeeRule, { price, size, isTaker }: Omit<Charged, 'revenue'>): bigint {
  if (type === 'flat') return isTaker ? dividedUp(FLAT * multiplier * size, ONE ** 2n) : 0n;
  const rate = isTaker ? TAKER : MAKER[type];
  return dividedUp(rate * multiplier * size * price * (ONE - price), ONE ** 4n);
}

/**
 * What a fill costs in all (kalshi.md 7.1): the model's fee, and what aligns the change of the balance downwards. The
 * latter adds up over the fills of an order, takers' and makers' alike, and goes back in whole steps of the precision
 * as soon as there is one; never so much that a fee falls below 0.
 */
export function fillFee(rule: FeeRule, fill: Charged, carried: bigint, precision: bigint): FillFee {
  const model = tradeFee(rule, fill);
  const change = fill.revenue - model;
  const rounding = change - floored(change, precision);
  const overpaid = carried + rounding;
  const rebate = floored(smaller(overpaid, model + rounding), precision);
  return { fee: model + rounding - rebate, carried: overpaid - rebate };
}

/** The next multiple below, towards minus infinity. */
function floored(value: bigint, step: bigint): bigint {
  const rest = ((value % step) + step) % step;
  return value - rest;
}

function dividedUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}
