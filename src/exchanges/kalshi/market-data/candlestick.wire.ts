import { z } from 'zod';
import { CANDLES, nullableList } from '../../wire-list.js';
import { maybeDecimal } from '../connection/wire.js';

/** Live candles name prices `open_dollars` and counts `volume_fp`, archived ones `open` and `volume` (kalshi.md 8). */
const liveOhlc = z
  .object({
    open_dollars: maybeDecimal,
    high_dollars: maybeDecimal,
    low_dollars: maybeDecimal,
    close_dollars: maybeDecimal,
  })
  .transform((it) => ({ open: it.open_dollars, high: it.high_dollars, low: it.low_dollars, close: it.close_dollars }));
const liveMeans = z
  .object({ mean_dollars: maybeDecimal, previous_dollars: maybeDecimal })
  .transform((it) => ({ mean: it.mean_dollars, previous: it.previous_dollars }));
const archivedOhlc = z.object({ open: maybeDecimal, high: maybeDecimal, low: maybeDecimal, close: maybeDecimal });
const archivedMeans = z.object({ mean: maybeDecimal, previous: maybeDecimal });

/** A part of a candle, which may be null or left out where nothing happened: then all in it is null. */
function part<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => value ?? {}, schema);
}

export type WireOhlc = z.infer<typeof archivedOhlc>;

/** A candle with the same names for live and archived ones; `end` is in Unix seconds. */
export interface WireCandlestick {
  readonly end: number;
  readonly price: WireOhlc & z.infer<typeof archivedMeans>;
  readonly bid: WireOhlc;
  readonly ask: WireOhlc;
  readonly volume: string | null;
  readonly openInterest: string | null;
}

/** Unix seconds that a Date can hold. */
const endSeconds = z.int().positive().max(8_640_000_000_000);

const liveCandlestick = z
  .object({
    end_period_ts: endSeconds,
    price: part(z.intersection(liveOhlc, liveMeans)),
    yes_bid: part(liveOhlc),
    yes_ask: part(liveOhlc),
    volume_fp: maybeDecimal,
    open_interest_fp: maybeDecimal,
  })
  .transform((it): WireCandlestick => ({
    end: it.end_period_ts,
    price: it.price,
    bid: it.yes_bid,
    ask: it.yes_ask,
    volume: it.volume_fp,
    openInterest: it.open_interest_fp,
  }));

const archivedCandlestick = z
  .object({
    end_period_ts: endSeconds,
    price: part(archivedOhlc.extend(archivedMeans.shape)),
    yes_bid: part(archivedOhlc),
    yes_ask: part(archivedOhlc),
    volume: maybeDecimal,
    open_interest: maybeDecimal,
  })
  .transform((it): WireCandlestick => ({
    end: it.end_period_ts,
    price: it.price,
    bid: it.yes_bid,
    ask: it.yes_ask,
    volume: it.volume,
    openInterest: it.open_interest,
  }));

/** Candles of several markets. */
export const wireCandlestickBatch = z.object({
  markets: nullableList(
    z.object({ market_ticker: z.string(), candlesticks: nullableList(liveCandlestick, CANDLES) }),
    100,
  ),
});

/** Candles of one archived market. */
export const wireArchivedCandlesticks = z.object({ candlesticks: nullableList(archivedCandlestick, CANDLES) });
