import { DAY, HOUR, SECOND, unixSeconds } from '../../times.js';
import { ONE, toUnits } from '../../units.js';
import { toNumber } from '../format.js';
import { type Market, ofOutcome, type OutcomeIndex } from '../market.js';
import { refusal } from '../refusals.js';

interface Point {
  /** Unix seconds. */
  t: number;
  p: number;
}

interface Window {
  start: number;
  end: number;
  /** Seconds between points. */
  step: number;
}

const HOUR_S = HOUR / SECOND;
const DAY_S = DAY / SECOND;
const INTERVALS: Readonly<Record<string, number>> = {
  '1h': HOUR_S,
  '6h': 6 * HOUR_S,
  '1d': DAY_S,
  '1w': 7 * DAY_S,
  '1m': 30 * DAY_S,
  max: Number.POSITIVE_INFINITY,
  all: Number.POSITIVE_INFINITY,
};
/** Points are taken that long after the full minute. */
const OFFSET_S = 7;
/** Longer histories come at a coarser fidelity. */
const MAX_POINTS = 20_000;
/** Of a resolved market only points at least that far apart are kept. */
const RESOLVED_STEP_S = 12 * HOUR_S;

/** GET /prices-history of a token: `interval`, or `startTs` and `endTs`, at a `fidelity` in minutes; else 400. */
export function pricesHistory(market: Market, outcome: OutcomeIndex, query: URLSearchParams, now: Date): Point[] {
  const last = unixSeconds(market.closed ? market.endsAt : now);
  const window = parseWindow(query, last);
  if (market.closed && window.step < RESOLVED_STEP_S) return [];
  const start = Math.max(window.start, unixSeconds(market.listedAt));
  const times = spaced({ ...window, start, end: Math.min(window.end, last) });
  const points = times.map((t) => ({ t, p: priceAt(market, outcome, t) }));
  const isCurrent = window.end >= last && start <= last && times.at(-1) !== last;
  return isCurrent ? [...points, { t: last, p: toNumber(market.worth(outcome)) }] : points;
}

function spaced({ start, end, step }: Window): number[] {
  const apart = Math.max(step, Math.ceil((end - start) / MAX_POINTS));
  const times: number[] = [];
  for (let t = Math.ceil((start - OFFSET_S) / apart) * apart + OFFSET_S; t <= end; t += apart) times.push(t);
  return times;
}

function parseWindow(query: URLSearchParams, last: number): Window {
  const step = 60 * (whole(query, 'fidelity') ?? 1);
  if (step === 0) throw refusal('invalid filters: fidelity must be positive');
  const interval = query.get('interval');
  const [start, end] = [whole(query, 'startTs'), whole(query, 'endTs')];
  if (interval !== null) {
    const length = INTERVALS[interval];
    if (length === undefined) throw refusal('invalid filters: interval');
    return { start: last - length, end: last, step };
  }
  if (start === undefined || end === undefined || start > end) {
    throw refusal('invalid filters: either interval or startTs and endTs are required');
  }
  return { start, end, step };
}

function whole(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^\d{1,12}(\.\d+)?$/.test(text)) throw refusal(`invalid filters: ${name}`);
  return Math.floor(Number(text));
}

/** The price at a moment (Unix seconds): since the start what the book said, before it an invented but fixed course that ends where the book begins. */
export function priceAt(market: Market, outcome: OutcomeIndex, t: number): number {
  const mark = market.marks.findLast(({ at }) => unixSeconds(at) <= t);
  const first = mark?.price ?? invented(market, t);
  return toNumber(ofOutcome(outcome, first));
}

function invented(market: Market, t: number): bigint {
  const anchor = market.marks[0]?.price ?? toUnits(market.seed.last);
  const age = unixSeconds(market.start) - t;
  const swing = Number(anchor < ONE - anchor ? anchor : ONE - anchor) * 0.3 * Math.min(1, age / DAY_S);
  const wave = Math.sin(age / 5_000 + Number(market.seed.id)) * 0.6 + Math.sin(age / 61_000) * 0.4;
  const price = anchor + BigInt(Math.round(swing * wave));
  const onTick = price - (price % market.tick);
  return onTick < market.tick ? market.tick : onTick;
}
