import { type ReactNode, useMemo } from 'react';
import type { EquityPoint } from '../../api/account.js';
import { type Dot, type Drawing, type LineDot, whenText } from '../chart/drawing.js';
import { ChartFigure } from '../chart/figure.js';
import { ui } from '../ui.js';

/** What all in one currency was worth at a time, in milliseconds; null is unknown. */
export interface CoursePoint {
  readonly at: number;
  readonly equity: string | null;
  /** Whether the way from the point before is not known. */
  readonly isGap: boolean;
}

/** The points of one currency. */
export function courseOf(points: readonly EquityPoint[], currency: string): CoursePoint[] {
  return points.flatMap(({ at, gap, totals }) => {
    const total = totals.find((one) => one.currency === currency);
    return total === undefined ? [] : [{ at: Date.parse(at), equity: total.equity, isGap: gap }];
  });
}

/** Points of the record that are further apart have nothing between them that is known, in milliseconds (contract.md 5.17). */
const FAR_MS = 7_200_000;

/** What it is worth now, behind the points of the record. */
export function nowOf(points: readonly EquityPoint[], currency: string, now: Omit<CoursePoint, 'isGap'>): CoursePoint {
  const last = points.at(-1);
  const isNear =
    last !== undefined && now.at - Date.parse(last.at) <= FAR_MS && !last.other_accounts.includes(currency);
  return { ...now, isGap: !isNear };
}

type KnownPoint = CoursePoint & { readonly equity: string };

function isKnown(point: CoursePoint): point is KnownPoint {
  return point.equity !== null;
}

/** By the numbers, which the texts are never made of. */
function extentOf([first, ...others]: readonly [KnownPoint, ...KnownPoint[]]): Record<'least' | 'most', KnownPoint> {
  return others.reduce(
    ({ least, most }, point) => ({
      least: Number(point.equity) < Number(least.equity) ? point : least,
      most: Number(point.equity) > Number(most.equity) ? point : most,
    }),
    { least: first, most: first },
  );
}

/** Points that follow each other: between two runs something is unknown, or nothing was recorded. */
function runsOf(points: readonly CoursePoint[]): KnownPoint[][] {
  const runs: KnownPoint[][] = [];
  let last: CoursePoint | undefined;
  for (const point of points) {
    const isNext = last !== undefined && isKnown(last) && !point.isGap;
    last = point;
    if (!isKnown(point)) continue;
    if (isNext) runs.at(-1)?.push(point);
    else runs.push([point]);
  }
  return runs;
}

/** More slots than a wide screen has pixels are of no use; points of the record are no closer than 15 minutes. */
const [MOST_SLOTS, LEAST_STEP_MS] = [3_000, 900_000];

/** The last point of each slot. */
function bySlot(dots: readonly LineDot[]): LineDot[] {
  return [...new Map(dots.map((dot) => [dot.slot, dot])).values()];
}

/** A line through each run, and a dot where a point stands alone; and the point of each slot that has one. */
function drawingOf(points: readonly CoursePoint[], runs: readonly KnownPoint[][]) {
  const [from, to] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0];
  const step = Math.max(LEAST_STEP_MS, (to - from) / MOST_SLOTS);
  const slotOf = ({ at }: CoursePoint): number => Math.round((at - from) / step);
  const spot = (point: KnownPoint): Dot => ({ slot: slotOf(point), value: Number(point.equity) });
  const line = runs.flatMap((run) => run.map((point) => ({ ...spot(point), isLast: point === run.at(-1) })));
  const pointOf = new Map(points.filter(isKnown).map((point) => [slotOf(point), point]));
  const drawing: Drawing = {
    at: Array.from({ length: Math.round((to - from) / step) + 1 }, (_, slot) =>
      Math.round((from + slot * step) / 1_000),
    ),
    stops: [...pointOf.keys()],
    line: bySlot(line),
    dots: runs.flatMap((run) => {
      const [last, ...others] = bySlot(run.map((point) => ({ ...spot(point), isLast: true })));
      return last === undefined || others.length > 0 ? [] : [last];
    }),
    places: 2,
  };
  return { drawing, pointOf };
}

/** What a gap of the line is. */
export const GAPS =
  'A gap: it was not known, nothing was recorded for more than two hours, or the account became another.';

interface CourseProps {
  readonly currency: string;
  /** Oldest first. */
  readonly points: readonly CoursePoint[];
  /** In pixels. */
  readonly height: number;
}

/** What all in one currency was worth over time. */
export function Course({ currency, points, height }: CourseProps): ReactNode {
  const runs = useMemo(() => runsOf(points), [points]);
  const { drawing, pointOf } = useMemo(() => drawingOf(points, runs), [points, runs]);
  const [first, ...others] = runs.flat();
  if (first === undefined || points.length < 2) {
    return <p className={ui.hint}>No course yet: it needs two points that are known.</p>;
  }
  const { least, most } = extentOf([first, ...others]);
  const last = others.at(-1) ?? first;
  const parts = runs.length === 1 ? '' : ` in ${runs.length} parts`;
  const label = `Equity in ${currency}: ${others.length + 1} known points${parts}, least ${least.equity}, most ${most.equity}, last ${last.equity}.`;
  return (
    <ChartFigure
      drawing={drawing}
      label={label}
      height={height}
      unit={`Point of the equity in ${currency}`}
      textsOf={(slot) => {
        const point = pointOf.get(slot);
        return point === undefined ? [] : [whenText(point.at / 1_000), `${point.equity} ${currency}`];
      }}
    />
  );
}
