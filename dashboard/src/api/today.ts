import { subtract, sumOf } from '../../../src/exchanges/decimal.js';

/** Of one currency, over the whole history; null is unknown. */
interface Gains {
  readonly currency: string;
  readonly realized_pnl: string | null;
  readonly unrealized_pnl: string | null;
}

/** What was known at a time; totals in the currencies of other accounts than those of now say nothing of these. */
interface Point {
  readonly at: string;
  readonly other_accounts: readonly string[];
  readonly totals: readonly Gains[];
}

/** What was won or lost before the day began, and is in its result all the same, is of so long at most, in milliseconds. */
const EARLY_MS = 21_600_000;

/** What a day brought in one currency; null is unknown. */
export interface Today {
  /** Of the last point of these accounts before the day began that knows what is known now of this currency; null where there is none. */
  readonly since: string | null;
  /** Whether that is so soon before the day that the result is of it. */
  readonly isToday: boolean;
  readonly realised: string | null;
  readonly open: string | null;
  /** Both together. */
  readonly result: string | null;
}

/** Whether a point knows what is known now. */
function isEnough(now: Gains, then: Gains): boolean {
  return (['realized_pnl', 'unrealized_pnl'] as const).every((gain) => now[gain] === null || then[gain] !== null);
}

function change(now: string | null, then: string | null): string | null {
  return now === null || then === null ? null : subtract(now, then);
}

/** What is known at a time. */
type Now = Gains & Pick<Point, 'at'>;

/**
 * What was won or lost since the last point before `midnight`, deposits not among it. Both parts are of the same time: what was sold
 * between the point and midnight is realised in the one and gone from the other. A total of before that point says nothing.
 */
export function todayOf(total: Now, points: readonly Point[], midnight: number): Today {
  const known = points.flatMap(({ at, totals, other_accounts: others }) => {
    const then = totals.find(({ currency }) => currency === total.currency && !others.includes(currency));
    return Date.parse(at) < midnight && then !== undefined && isEnough(total, then) ? [{ at, ...then }] : [];
  });
  const base = known.at(-1);
  if (base === undefined) return { since: null, isToday: true, realised: null, open: null, result: null };
  const day = { since: base.at, isToday: midnight - Date.parse(base.at) <= EARLY_MS };
  if (Date.parse(total.at) < Date.parse(base.at)) return { ...day, realised: null, open: null, result: null };
  const realised = change(total.realized_pnl, base.realized_pnl);
  const open = change(total.unrealized_pnl, base.unrealized_pnl);
  return { ...day, realised, open, result: sumOf([realised, open]) };
}
