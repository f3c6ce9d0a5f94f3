import { complement, type Decimal } from '../../decimal.js';
import type { CandlestickQuery } from '../../market-data.contract.js';
import { INTERVAL_SECONDS } from '../../unified.words.js';
import type { CandlestickDto, OhlcDto } from '../../unified.market-data.dto.js';
import { KALSHI } from '../kalshi.ids.js';
import { type OutcomeIndex, outcomeOf } from './outcomes.js';
import type { WireCandlestick, WireOhlc } from './candlestick.wire.js';

/** A candle of one outcome (unified-schema.md 6); for NO every price is `1 - p`, high and low swap, and so do bid and ask. */
export function toCandlestick(
  candle: WireCandlestick,
  { market_id, interval }: Pick<CandlestickQuery, 'market_id' | 'interval'>,
  index: OutcomeIndex,
): CandlestickDto {
  const { price, bid, ask } = seenFrom(index, candle);
  const endMs = candle.end * 1_000;
  return {
    exchange: KALSHI,
    market_id,
    outcome: outcomeOf(market_id, index),
    interval,
    start: new Date(endMs - INTERVAL_SECONDS[interval] * 1_000).toISOString(),
    end: new Date(endMs).toISOString(),
    open: price.open,
    high: price.high,
    low: price.low,
    close: price.close,
    mean: price.mean,
    previous_close: price.previous,
    volume: candle.volume,
    open_interest: candle.openInterest,
    bid,
    ask,
    trade_count: null,
    source: 'trades',
    samples: null,
  };
}

type Prices = Pick<WireCandlestick, 'price'> & {
  readonly bid: OhlcDto | null;
  readonly ask: OhlcDto | null;
};

function seenFrom(index: OutcomeIndex, { price, bid, ask }: WireCandlestick): Prices {
  if (index === 0) return { price, bid: known(bid), ask: known(ask) };
  const { open, high, low, close } = mirroredOhlc(price);
  const mean = mirrored(price.mean);
  const seen = { open, high, low, close, mean, previous: mirrored(price.previous) };
  return { price: seen, bid: known(mirroredOhlc(ask)), ask: known(mirroredOhlc(bid)) };
}

function mirrored(price: Decimal | null): Decimal | null {
  return price === null ? null : complement(price);
}

function mirroredOhlc({ open, high, low, close }: WireOhlc): WireOhlc {
  return { open: mirrored(open), high: mirrored(low), low: mirrored(high), close: mirrored(close) };
}

function known({ open, high, low, close }: WireOhlc): OhlcDto | null {
  const isQuiet = open === null && high === null && low === null && close === null;
  return isQuiet ? null : { open, high, low, close };
}
