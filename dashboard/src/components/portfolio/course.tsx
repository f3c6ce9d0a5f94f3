import type { ReactNode } from 'react';
import { Time } from '../time.js';
import { Amount } from '../amount.js';
import { ui } from '../ui.js';
import css from './course.module.css';

/** What all in one currency was worth at a time, in milliseconds; null is unknown. */
export interface CoursePoint {
  readonly at: number;
  readonly equity: string | null;
}

type KnownPoint = CoursePoint & { readonly equity: string };

function isKnown(point: CoursePoint): point is KnownPoint {
  return point.equity !== null;
}

/** Of the picture, which is stretched to its place. */
const [WIDTH, HEIGHT] = [1_000, 100];
/** Kept free above and below. */
const MARGIN = 6;
/** Points that are further apart have nothing between them that is known, in milliseconds. */
const FAR_MS = 7_200_000;

interface Extent {
  readonly least: KnownPoint;
  readonly most: KnownPoint;
}

/** By the numbers, which the texts are never made of. */
function extentOf(known: readonly KnownPoint[]): Extent | null {
  const [first, ...others] = known;
  if (first === undefined) return null;
  return others.reduce(
    ({ least, most }, point) => ({
      least: Number(point.equity) < Number(least.equity) ? point : least,
      most: Number(point.equity) > Number(most.equity) ? point : most,
    }),
    { least: first, most: first },
  );
}

/** A step of the line: drawn through where it was recorded, dashed where nothing was between, left out where it is unknown. */
function pathsOf(points: readonly CoursePoint[], { least, most }: Extent): { line: string; dashes: string } {
  const [from, to] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0];
  const low = Number(least.equity);
  const range = Number(most.equity) - low;
  const spot = ({ at, equity }: KnownPoint): string => {
    const x = to === from ? WIDTH / 2 : ((at - from) / (to - from)) * WIDTH;
    const share = range === 0 ? 0.5 : (Number(equity) - low) / range;
    const y = HEIGHT - MARGIN - share * (HEIGHT - 2 * MARGIN);
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  };
  let [line, dashes] = ['', ''];
  points.forEach((point, index) => {
    if (!isKnown(point)) return;
    const before = points[index - 1];
    if (before === undefined || !isKnown(before)) {
      line += `M${spot(point)}h0`;
    } else if (point.at - before.at > FAR_MS) {
      dashes += `M${spot(before)}L${spot(point)}`;
      line += `M${spot(point)}h0`;
    } else {
      line += `M${spot(before)}L${spot(point)}`;
    }
  });
  return { line, dashes };
}

interface CourseProps {
  readonly currency: string;
  /** Oldest first. */
  readonly points: readonly CoursePoint[];
  /** In pixels. */
  readonly height: number;
}

/** What all in one currency was worth over time. */
export function Course({ currency, points, height }: CourseProps): ReactNode {
  const known = points.filter(isKnown);
  const extent = extentOf(known);
  const [first, last] = [points[0], known.at(-1)];
  if (extent === null || first === undefined || last === undefined || points.length < 2) {
    return <p className={ui.hint}>No course yet: it needs two points that are known.</p>;
  }
  const { line, dashes } = pathsOf(points, extent);
  const { least, most } = extent;
  const label = `Equity in ${currency}: ${known.length} known points, least ${least.equity}, most ${most.equity}, last ${last.equity}.`;
  return (
    <figure className={css.course}>
      <span className={css.bound}>
        <Amount value={most.equity} places={2} unit={currency} />
      </span>
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={css.picture}
        style={{ height }}
      >
        <path className={css.dashes} d={dashes} />
        <path className={css.line} d={line} />
      </svg>
      <span className={css.bound}>
        <Amount value={least.equity} places={2} unit={currency} />
      </span>
      <figcaption className={css.ends}>
        <Time iso={new Date(first.at).toISOString()} />
        <Time iso={new Date(points.at(-1)?.at ?? first.at).toISOString()} />
      </figcaption>
    </figure>
  );
}
