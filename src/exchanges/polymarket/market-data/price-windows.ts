import type { Interval } from '../../unified.words.js';

/** A stretch of time in Unix seconds, `to` not included, and the seconds between its points. */
export interface Window {
  readonly from: number;
  readonly to: number;
  readonly spacing: number;
}

/** Points so far apart, in seconds, are kept for so long. */
interface Grain {
  readonly spacing: number;
  readonly keptFor: number;
}

const DAY = 86_400;
/** The exchange refuses windows of more than 15 days, whatever the spacing. */
const WINDOW = 14 * DAY;

/** What to ask the CLOB for, finest first (unified-schema.md 6). */
export const CLOB_GRAINS: Readonly<Record<Interval, readonly Grain[]>> = {
  '1m': [{ spacing: 60, keptFor: Infinity }],
  '1h': [
    { spacing: 300, keptFor: 60 * DAY },
    { spacing: 1_800, keptFor: Infinity },
  ],
  '1d': [
    { spacing: 1_800, keptFor: 90 * DAY },
    { spacing: 10_800, keptFor: Infinity },
  ],
};

/** What the Data API keeps, at least; a spacing that is kept no more has no points (polymarket.md 6.3). */
const KEPT: readonly Grain[] = [
  { spacing: 60, keptFor: 7 * DAY },
  { spacing: 300, keptFor: 60 * DAY },
  { spacing: 1_800, keptFor: 90 * DAY },
  { spacing: 10_800, keptFor: Infinity },
];

/** What to ask the Data API for, finest first. */
export const DATA_GRAINS: Readonly<Record<Interval, readonly Grain[]>> = {
  '1m': KEPT,
  '1h': KEPT.slice(1),
  '1d': KEPT.slice(2),
};

/** Returns the calls that a range takes, oldest first: no window too long, each of one spacing. All times are Unix seconds. */
export function windowsOf(from: number, to: number, grains: readonly Grain[], now: number): Window[] {
  const parts: Window[][] = [];
  let end = to;
  for (const { spacing, keptFor } of grains) {
    // The border lies on a day, so that no candle is made of points of two spacings.
    const border = keptFor === Infinity ? -Infinity : Math.ceil((now - keptFor) / DAY) * DAY;
    parts.unshift(windows(Math.max(from, border), end, spacing));
    end = Math.min(end, border);
  }
  return parts.flat();
}

function windows(from: number, to: number, spacing: number): Window[] {
  const count = Math.max(0, Math.ceil((to - from) / WINDOW));
  return Array.from({ length: count }, (_, i) => {
    const start = from + i * WINDOW;
    return { from: start, to: Math.min(to, start + WINDOW), spacing };
  });
}
