import { SECOND } from '../../times.js';
import { ONE, product } from '../../units.js';
import { count, dollars } from '../format.js';
import { perContract } from '../ledger.js';
import { type Market, type QuoteRecord, type TradeRecord } from '../market.js';

/** What to draw: Unix seconds, both ends inclusive and meant for the end of a candle; the period in seconds. */
export interface CandleWindow {
  start: number;
  end: number;
  period: number;
  includeLatestBefore: boolean;
}

interface Ohlc {
  open: bigint;
  low: bigint;
  high: bigint;
  close: bigint;
}

/** One period of a market; `end` in Unix seconds, belonging to the period. `price` is undefined without a trade. */
export interface Candle {
  end: number;
  bid: Ohlc;
  ask: Ohlc;
  price: (Ohlc & { mean: bigint }) | undefined;
  previous: bigint | undefined;
  volume: bigint;
  openInterest: bigint;
}

/** The candles of a market. Periods in which neither a trade nor a quote came are missing (kalshi.md 4). */
export function candlesOf(market: Market, window: CandleWindow): Candle[] {
  const ends = new Set([...market.trades, ...market.quotes].map(({ at }) => endOf(at, window.period)));
  const sorted = [...ends].sort((a, b) => a - b);
  const candles = sorted
    .filter((end) => end >= window.start && end <= window.end)
    .map((end) => candle(market, end, window.period));
  const before = window.includeLatestBefore ? sorted.findLast((end) => end < window.start) : undefined;
  if (before === undefined) return candles;
  const carried = carriedOn(candle(market, before, window.period), window);
  return candles[0]?.end === carried.end ? candles : [carried, ...candles];
}

function endOf(at: number, period: number): number {
  return Math.ceil(at / SECOND / period) * period;
}

function candle(market: Market, end: number, period: number): Candle {
  const isBefore = ({ at }: { at: number }): boolean => endOf(at, period) < end;
  const isWithin = ({ at }: { at: number }): boolean => endOf(at, period) === end;
  const trades = market.trades.filter(isWithin);
  const earlier = market.trades.findLast(isBefore);
  const opening = market.quotes.findLast(isBefore);
  const quotes = [...(opening === undefined ? [] : [opening]), ...market.quotes.filter(isWithin)];
  return {
    end,
    bid: quoteOhlc(quotes, (quote) => quote.bid, 0n),
    ask: quoteOhlc(quotes, (quote) => quote.ask, ONE),
    price: priceOhlc(trades),
    previous: earlier?.price,
    volume: trades.reduce((sum, trade) => sum + trade.size, 0n),
    openInterest: (trades.at(-1) ?? earlier)?.openInterest ?? 0n,
  };
}

/** The synthetic first candle: the latest one before the window, moved to the first boundary after its start. */
function carriedOn(last: Candle, window: CandleWindow): Candle {
  const still = ({ close }: Ohlc): Ohlc => ({ open: close, low: close, high: close, close });
  return {
    ...last,
    end: (Math.floor(window.start / window.period) + 1) * window.period,
    bid: still(last.bid),
    ask: still(last.ask),
    price: undefined,
    previous: last.price?.close ?? last.previous,
    volume: 0n,
  };
}

function quoteOhlc(quotes: QuoteRecord[], read: (quote: QuoteRecord) => bigint, otherwise: bigint): Ohlc {
  return ohlc(quotes.length === 0 ? [otherwise] : quotes.map(read));
}

function priceOhlc(trades: TradeRecord[]): Candle['price'] {
  if (trades.length === 0) return undefined;
  const spent = trades.reduce((sum, trade) => sum + product(trade.price, trade.size), 0n);
  const size = trades.reduce((sum, trade) => sum + trade.size, 0n);
  return { ...ohlc(trades.map((trade) => trade.price)), mean: perContract(spent, size) };
}

function ohlc(values: bigint[]): Ohlc {
  const [open = 0n] = values;
  const close = values.at(-1) ?? open;
  const low = values.reduce((least, value) => (value < least ? value : least), open);
  const high = values.reduce((most, value) => (value > most ? value : most), open);
  return { open, low, high, close };
}

/** `MarketCandlestick`: without a trade the price keys are absent, `previous_dollars` apart. */
export function toCandleJson({ end, bid, ask, price, previous, volume, openInterest }: Candle) {
  const named = (values: Ohlc) => ({
    open_dollars: dollars(values.open),
    low_dollars: dollars(values.low),
    high_dollars: dollars(values.high),
    close_dollars: dollars(values.close),
  });
  return {
    end_period_ts: end,
    yes_bid: named(bid),
    yes_ask: named(ask),
    price: {
      ...(price === undefined ? {} : { ...named(price), mean_dollars: dollars(price.mean) }),
      ...(previous === undefined ? {} : { previous_dollars: dollars(previous) }),
    },
    volume_fp: count(volume),
    open_interest_fp: count(openInterest),
  };
}

/** `MarketCandlestickHistorical`: other names, and null where there was no trade (kalshi.md 8). */
export function toHistoricalCandleJson({ end, bid, ask, price, previous, volume, openInterest }: Candle) {
  const named = (values: Ohlc) => ({
    open: dollars(values.open),
    low: dollars(values.low),
    high: dollars(values.high),
    close: dollars(values.close),
  });
  const none = { open: null, low: null, high: null, close: null, mean: null };
  return {
    end_period_ts: end,
    yes_bid: named(bid),
    yes_ask: named(ask),
    price: {
      ...(price === undefined ? none : { ...named(price), mean: dollars(price.mean) }),
      previous: previous === undefined ? null : dollars(previous),
    },
    volume: count(volume),
    open_interest: count(openInterest),
  };
}
