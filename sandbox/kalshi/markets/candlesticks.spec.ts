import { describe, expect, it } from '@jest/globals';
import { toUnits } from '../../units.js';
import { Market } from '../market.js';
import { MARKETS } from '../seeds/events.js';
import { candlesOf, toCandleJson, toHistoricalCandleJson } from './candlesticks.js';

const HOUR = 3_600;
const MIDNIGHT = Date.UTC(2026, 10, 20) / 1_000;

function aMarket(): Market {
  const [seed] = MARKETS;
  if (seed === undefined) throw new Error('The catalogue is empty.');
  return new Market(seed, MIDNIGHT * 1_000);
}

function trade(market: Market, seconds: number, price: string, size: string): void {
  market.openInterest += toUnits(size);
  market.recordTrade({ at: (MIDNIGHT + seconds) * 1_000, price: toUnits(price), size: toUnits(size), side: 'bid' });
}

function quote(market: Market, seconds: number, bid: string, ask: string): void {
  market.quotes.push({ at: (MIDNIGHT + seconds) * 1_000, bid: toUnits(bid), ask: toUnits(ask) });
}

describe('candlesOf', () => {
  const window = { start: MIDNIGHT, end: MIDNIGHT + 24 * HOUR, period: HOUR, includeLatestBefore: false };

  it('kalshi.md 4 a candle is named by its end, which belongs to it', () => {
    const market = aMarket();
    trade(market, 1, '0.41', '1');
    trade(market, HOUR, '0.42', '2');
    trade(market, HOUR + 1, '0.43', '4');
    const candles = candlesOf(market, window).map(toCandleJson);
    expect(candles.map((candle) => [candle.end_period_ts - MIDNIGHT, candle.volume_fp])).toEqual([
      [HOUR, '3.00'],
      [2 * HOUR, '4.00'],
    ]);
  });

  it('draws trades first to last with their weighted mean, and quotes from where they stood before', () => {
    const market = aMarket();
    quote(market, 60, '0.40', '0.44');
    trade(market, 120, '0.44', '1');
    trade(market, HOUR + 10, '0.43', '1');
    trade(market, HOUR + 20, '0.40', '2');
    trade(market, HOUR + 30, '0.45', '5');
    quote(market, HOUR + 40, '0.42', '0.43');
    const [, candle] = candlesOf(market, window).map(toCandleJson);
    expect(candle).toEqual({
      end_period_ts: MIDNIGHT + 2 * HOUR,
      yes_bid: { open_dollars: '0.4000', low_dollars: '0.4000', high_dollars: '0.4200', close_dollars: '0.4200' },
      yes_ask: { open_dollars: '0.4400', low_dollars: '0.4300', high_dollars: '0.4400', close_dollars: '0.4300' },
      price: {
        open_dollars: '0.4300',
        low_dollars: '0.4000',
        high_dollars: '0.4500',
        close_dollars: '0.4500',
        mean_dollars: '0.4350',
        previous_dollars: '0.4400',
      },
      volume_fp: '8.00',
      open_interest_fp: '9.00',
    });
  });

  it('kalshi.md 4 leaves periods out in which nothing came, and prices where nothing was traded', () => {
    const market = aMarket();
    trade(market, 60, '0.41', '1');
    quote(market, 3 * HOUR - 1, '0.40', '0.42');
    const candles = candlesOf(market, window);
    expect(candles.map(({ end }) => end - MIDNIGHT)).toEqual([HOUR, 3 * HOUR]);
    expect(candles.map(toCandleJson)[1]?.price).toEqual({ previous_dollars: '0.4100' });
    expect(candles.map(toHistoricalCandleJson)[1]?.price).toEqual({
      open: null,
      low: null,
      high: null,
      close: null,
      mean: null,
      previous: '0.4100',
    });
  });

  it('keeps both ends of the window', () => {
    const market = aMarket();
    for (const hour of [1, 2, 3, 4]) trade(market, hour * HOUR, '0.41', '1');
    const some = candlesOf(market, { ...window, start: MIDNIGHT + 2 * HOUR, end: MIDNIGHT + 3 * HOUR });
    expect(some.map(({ end }) => end - MIDNIGHT)).toEqual([2 * HOUR, 3 * HOUR]);
  });

  it('carries the latest candle before the window to the first boundary after its start', () => {
    const market = aMarket();
    trade(market, 60, '0.41', '1');
    quote(market, 120, '0.40', '0.42');
    const later = { ...window, start: MIDNIGHT + 5 * HOUR + 1, includeLatestBefore: true };
    const carried = candlesOf(market, later);
    expect(carried.map(({ end }) => end - MIDNIGHT)).toEqual([6 * HOUR]);
    expect(carried.map(toCandleJson)[0]).toMatchObject({
      price: { previous_dollars: '0.4100' },
      yes_bid: { open_dollars: '0.4000', close_dollars: '0.4000' },
      volume_fp: '0.00',
    });
    expect(candlesOf(market, { ...later, start: MIDNIGHT })).toHaveLength(1);
  });
});
