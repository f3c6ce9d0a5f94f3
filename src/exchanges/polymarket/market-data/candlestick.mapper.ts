import { compare, type Decimal } from '../../decimal.js';
import type { CandlestickDto, OhlcDto, OutcomeRefDto } from '../../unified.market-data.dto.js';
import { type Interval, INTERVAL_SECONDS } from '../../unified.words.js';
import { POLYMARKET } from '../polymarket.ids.js';
import type { WirePricePoint } from './candlestick.wire.js';

/** Which candles are wanted: `from` is inclusive, `to` exclusive, both by the start of a candle in Unix seconds. */
export interface CandleRange {
  readonly marketId: string;
  readonly outcome: OutcomeRefDto;
  readonly interval: Interval;
  readonly from: number;
  readonly to: number;
}

/** Of a single point only the close is known (unified-schema.md 6). */
function ohlcOf(prices: readonly Decimal[]): OhlcDto {
  const close = prices.at(-1) ?? null;
  if (prices.length < 2) return { open: null, high: null, low: null, close };
  const rising = prices.toSorted(compare);
  return { open: prices[0] ?? null, high: rising.at(-1) ?? null, low: rising[0] ?? null, close };
}

/** Points of the range in order of time, each moment once. */
function pointsOf(points: readonly WirePricePoint[], { from, to }: CandleRange): WirePricePoint[] {
  const byTime = new Map(points.map((point) => [point.t, point]));
  return [...byTime.values()].filter(({ t }) => t >= from && t < to).toSorted((one, other) => one.t - other.t);
}

/** Candles of sampled prices; those without a point are left out (unified-schema.md 6). */
export function toCandlesticks(points: readonly WirePricePoint[], range: CandleRange): CandlestickDto[] {
  const seconds = INTERVAL_SECONDS[range.interval];
  const buckets = new Map<number, WirePricePoint[]>();
  for (const point of pointsOf(points, range)) {
    const start = Math.floor(point.t / seconds) * seconds;
    const bucket = buckets.get(start) ?? [];
    bucket.push(point);
    buckets.set(start, bucket);
  }
  let previousClose: Decimal | null = null;
  const candles: CandlestickDto[] = [];
  for (const [start, inside] of buckets) {
    const ohlc = ohlcOf(inside.map(({ p }) => p));
    candles.push({
      exchange: POLYMARKET,
      market_id: range.marketId,
      outcome: range.outcome,
      interval: range.interval,
      start: new Date(start * 1_000).toISOString(),
      end: new Date((start + seconds) * 1_000).toISOString(),
      ...ohlc,
      mean: null,
      previous_close: previousClose,
      volume: null,
      open_interest: null,
      bid: null,
      ask: null,
      trade_count: null,
      source: 'price_points',
      samples: inside.length,
    });
    previousClose = ohlc.close;
  }
  return candles;
}
