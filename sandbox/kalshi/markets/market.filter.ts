import { unixSeconds } from '../../times.js';
import { type Market } from '../market.js';
import { type KalshiQuery } from '../query.js';
import { type Lifecycle } from '../seeds/seed.js';

const STATUSES = ['unopened', 'open', 'paused', 'closed', 'settled'] as const;
export type StatusFilter = (typeof STATUSES)[number];

/** Which statuses of a market a filter stands for (kalshi.md 4). */
export function hasStatus(status: Lifecycle, filter: StatusFilter): boolean {
  return FILTERS[filter].includes(status);
}

const FILTERS: Record<StatusFilter, readonly Lifecycle[]> = {
  unopened: ['initialized'],
  open: ['active'],
  paused: ['inactive'],
  closed: ['closed', 'determined'],
  settled: ['finalized'],
};

interface TimeFamily {
  name: string;
  statuses: readonly (StatusFilter | undefined)[];
  /** Unix seconds, undefined where the market has no such time. */
  time: (market: Market) => number | undefined;
}

const FAMILIES: readonly TimeFamily[] = [
  {
    name: 'created',
    statuses: ['unopened', 'open', undefined],
    time: (market) => unixSeconds(market.createdTime),
  },
  { name: 'close', statuses: ['closed', undefined], time: (market) => unixSeconds(market.closeTime) },
  {
    name: 'settled',
    statuses: ['settled', undefined],
    time: (market) => (market.outcome?.settledAt === undefined ? undefined : unixSeconds(market.outcome.settledAt)),
  },
];

/** The filters of `GET /markets`, with the exchange's rules on which of them go together; throws a 400 refusal. */
export function marketFilter(query: KalshiQuery, now: number): (market: Market) => boolean {
  const status = query.oneOf('status', STATUSES);
  const tests = [tickerFilter(query), updatedFilter(query), timeFilter(query, status)];
  const mve = query.oneOf('mve_filter', ['only', 'exclude']);
  if (mve !== undefined) tests.push(({ seed }) => (seed.combo !== undefined) === (mve === 'only'));
  if (status !== undefined) tests.push((market) => hasStatus(market.statusAt(now), status));
  return (market) => tests.every((test) => test(market));
}

/** `tickers`, `event_ticker` and `series_ticker`. */
export function tickerFilter(query: KalshiQuery): (market: Market) => boolean {
  const tickers = query.list('tickers');
  const event = query.text('event_ticker');
  const series = query.text('series_ticker');
  return ({ ticker, seed }) =>
    (tickers === undefined || tickers.includes(ticker)) &&
    (event === undefined || seed.event.ticker === event) &&
    (series === undefined || seed.event.series.ticker === series);
}

function updatedFilter(query: KalshiQuery): (market: Market) => boolean {
  const from = query.integer('min_updated_ts');
  if (from === undefined) return () => true;
  const others = ['status', 'event_ticker', 'tickers', ...FAMILIES.flatMap(bounds)];
  const excluded = query.text('mve_filter') === 'exclude';
  const withSeries = query.text('series_ticker') !== undefined;
  if (others.some((name) => query.text(name) !== undefined) || (withSeries && !excluded))
    throw query.conflict('min_updated_ts is incompatible with other filters');
  return (market) => unixSeconds(market.updatedTime) > from;
}

function timeFilter(query: KalshiQuery, status: StatusFilter | undefined): (market: Market) => boolean {
  const given = FAMILIES.filter((family) => bounds(family).some((name) => query.text(name) !== undefined));
  const [family] = given;
  if (family === undefined) return () => true;
  if (given.length > 1) throw query.conflict('timestamp filters are mutually exclusive');
  if (!family.statuses.includes(status))
    throw query.conflict(`${family.name} timestamp filters are incompatible with this status`);
  const [low, high] = bounds(family).map((name) => query.integer(name));
  return (market) => {
    const time = family.time(market);
    return time !== undefined && time >= (low ?? time) && time <= (high ?? time);
  };
}

function bounds(family: TimeFamily): string[] {
  return [`min_${family.name}_ts`, `max_${family.name}_ts`];
}
