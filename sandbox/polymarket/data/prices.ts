import { DAY, HOUR, SECOND, unixSeconds } from '../../times.js';
import { toNumber } from '../format.js';
import { type Token } from '../catalogue.js';
import { priceAt } from '../clob/price-history.js';
import { type Exchange } from '../exchange.js';
import { type Cursors } from './cursors.js';
import { invalid } from './errors.js';
import { type DataPage, dataPage, placeOf } from './pages.js';
import { type DataQuery } from './query.js';

const LIST = 'prices';
const MAX_POINTS = 10_000;
const MAX_DEFAULT_POINTS = 2_500;
const DAY_S = DAY / SECOND;
const HOUR_S = HOUR / SECOND;
const MAX_WINDOW_S = 15 * DAY_S;
/** Bucket widths that are chosen where none is asked for, with how long points of that width are kept. */
const GRAINS = [
  { width: 60, kept: 7 * DAY_S },
  { width: 300, kept: 60 * DAY_S },
  { width: 1_800, kept: 90 * DAY_S },
  { width: 10_800, kept: Number.POSITIVE_INFINITY },
  { width: 43_200, kept: Number.POSITIVE_INFINITY },
] as const;
/** From this width on the whole life of a market is kept. */
const PERMANENT_S = 10_800;
const MONTH_S = 30 * DAY_S;
const WHOLE_LIFE = { length: Number.POSITIVE_INFINITY, width: 43_200, narrowest: 600 } as const;
/** How far back, how wide a bucket is by default and at least. */
const INTERVALS: Readonly<Record<string, { length: number; width: number; narrowest: number }>> = {
  '1h': { length: HOUR_S, width: 60, narrowest: 60 },
  '6h': { length: 6 * HOUR_S, width: 60, narrowest: 60 },
  '1d': { length: DAY_S, width: 60, narrowest: 60 },
  '1w': { length: 7 * DAY_S, width: 300, narrowest: 300 },
  '1m': { length: MONTH_S, width: 1_800, narrowest: 600 },
  max: WHOLE_LIFE,
  all: WHOLE_LIFE,
};

interface Point {
  timestamp: number;
  price: number;
  resolution_seconds: number;
}

/** Seconds; the end is not part of it. */
interface Window {
  start: number;
  end: number;
  width: number;
}

/** GET /v2/prices-history of a token, oldest first (polymarket.md 6.3). */
export function listPrices(exchange: Exchange, cursors: Cursors, query: DataQuery): DataPage {
  const id = query.text('token_id') ?? '';
  if (!/^\d{1,78}$/.test(id)) throw invalid('token_id is required', 'token_id');
  const token = exchange.catalogue.findToken(id);
  const now = unixSeconds(exchange.clock());
  const asOf = query.whole('as_of');
  const cursor = query.text('cursor');
  const from = cursor === undefined ? undefined : cursors.open(LIST, cursor);
  const place = from === undefined ? { limit: query.limit(MAX_POINTS, MAX_POINTS), offset: 0 } : placeOf(from);
  const window = asOf === undefined ? windowOf(query, now) : asOfWindow(asOf, query);
  const points = token === undefined ? [] : pointsOf(token, window, now);
  const wanted = asOf === undefined ? points : points.slice(-1);
  const page = wanted.slice(place.offset, place.offset + place.limit);
  const offset = place.offset + page.length;
  const next = offset < wanted.length ? cursors.seal(LIST, { limit: place.limit, offset }) : undefined;
  return dataPage(
    page.map((point) => ({ ...point })),
    place,
    next,
  );
}

/** Exactly one of `start`, `interval` and `as_of`. */
function windowOf(query: DataQuery, now: number): Window {
  const [start, end] = [positive(query, 'start'), positive(query, 'end')];
  const interval = query.text('interval');
  if ((start === undefined) === (interval === undefined)) {
    throw invalid('exactly one of start, interval and as_of is required', 'start');
  }
  const asked = query.whole('bucket_seconds');
  if (asked !== undefined && (asked < 60 || asked > DAY_S)) {
    throw invalid('bucket_seconds must be from 60 to 86400', 'bucket_seconds');
  }
  if (interval !== undefined) return intervalWindow(interval, asked, now);
  return explicitWindow({ start: start ?? now, end: end ?? now + 1 }, asked, now);
}

function intervalWindow(interval: string, asked: number | undefined, now: number): Window {
  const known = Object.hasOwn(INTERVALS, interval) ? INTERVALS[interval] : undefined;
  if (known === undefined) throw invalid('invalid interval', 'interval');
  const width = Math.max(asked ?? known.width, known.narrowest);
  const length = width < PERMANENT_S ? Math.min(known.length, MONTH_S) : known.length;
  return { start: Math.max(0, now - length), end: now + 1, width };
}

/** Points that are no longer kept at the width that was asked for are missing, silently. */
function explicitWindow({ start, end }: Omit<Window, 'width'>, asked: number | undefined, now: number): Window {
  if (start >= end) throw invalid('start must be before end', 'start');
  if (end - start > MAX_WINDOW_S) throw invalid('the window is longer than 15 days', 'start');
  const isEnough = (width: number): boolean => (end - start) / width < MAX_DEFAULT_POINTS;
  const chosen = GRAINS.find(
    ({ width, kept }) => isEnough(width) && now - start <= kept && (width > 60 || end - start <= 12 * HOUR_S),
  );
  const width = asked ?? chosen?.width ?? 43_200;
  const kept = GRAINS.findLast((grain) => grain.width <= width)?.kept ?? 0;
  return now - start > kept ? { start: end, end, width } : { start, end, width };
}

function asOfWindow(asOf: number, query: DataQuery): Window {
  if (query.text('start') !== undefined || query.text('interval') !== undefined) {
    throw invalid('as_of cannot be combined with a window', 'as_of');
  }
  return { start: Math.max(0, asOf - DAY_S), end: asOf + 1, width: 60 };
}

function positive(query: DataQuery, name: string): number | undefined {
  const value = query.whole(name);
  if (value === 0) throw invalid(`${name} must be positive`, name);
  return value;
}

/** A point for each bucket, then the last tick of the window, or what a resolved market paid. */
function pointsOf({ market, outcome }: Token, window: Window, now: number): Point[] {
  const last = market.closed ? unixSeconds(market.endsAt) : now;
  const first = Math.max(window.start, unixSeconds(market.listedAt));
  const end = Math.min(window.end, last + 1);
  const points: Point[] = [];
  for (let t = Math.ceil(first / window.width) * window.width; t < end; t += window.width) {
    points.push({ timestamp: t, price: priceAt(market, outcome, t), resolution_seconds: window.width });
  }
  const isSettled = market.closed && window.end > last;
  if (isSettled) return [...points, settlement({ market, outcome }, points.at(-1)?.timestamp ?? last, window)];
  if (first >= end) return points;
  const tick = end - 1;
  return [...points.filter((point) => point.timestamp !== tick), tickAt({ market, outcome }, tick, now)];
}

function tickAt({ market, outcome }: Token, at: number, now: number): Point {
  const price = at >= now ? toNumber(market.worth(outcome)) : priceAt(market, outcome, at);
  return { timestamp: at, price, resolution_seconds: 0 };
}

function settlement({ market, outcome }: Token, lastAt: number, window: Window): Point {
  const at = Math.min(lastAt + window.width, window.end - 1);
  return { timestamp: at, price: toNumber(market.worth(outcome)), resolution_seconds: 0 };
}
