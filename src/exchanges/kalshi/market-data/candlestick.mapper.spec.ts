import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { toCandlestick } from './candlestick.mapper.js';
import { wireArchivedCandlesticks, wireCandlestickBatch } from './candlestick.wire.js';
import { windowsOf } from './candlesticks.js';

const sample = (name: string): unknown => JSON.parse(readFileSync(`test/vectors/kalshi/kalshi-${name}.json`, 'utf8'));

const QUERY = { market_id: 'KXHIGHNY-26NOV20-B55.5', interval: '1h' } as const;

/** The sample of one market as the batch would give it. */
const batch = (candlesticks: unknown) =>
  wireCandlestickBatch.parse({ markets: [{ market_ticker: QUERY.market_id, candlesticks }] }).markets[0]
    ?.candlesticks ?? [];

describe('toCandlestick', () => {
  const [first] = wireCandlestickBatch.parse(sample('candlesticks-batch')).markets[0]?.candlesticks ?? [];
  if (first === undefined) throw new Error('no candle in the sample');

  it('unified-schema.md 6 maps a candle of YES', () => {
    expect(toCandlestick(first, QUERY, 0)).toEqual({
      exchange: 'kalshi',
      market_id: QUERY.market_id,
      outcome: { id: `${QUERY.market_id}:yes`, index: 0, label: 'Yes' },
      interval: '1h',
      start: '2026-11-20T12:00:00.000Z',
      end: '2026-11-20T13:00:00.000Z',
      open: '0.42',
      high: '0.43',
      low: '0.41',
      close: '0.42',
      mean: '0.4204',
      previous_close: '0.41',
      volume: '571.5',
      open_interest: '22640.5',
      bid: { open: '0.41', high: '0.42', low: '0.4', close: '0.42' },
      ask: { open: '0.43', high: '0.44', low: '0.42', close: '0.44' },
      trade_count: null,
      source: 'trades',
      samples: null,
    });
  });

  it('unified-schema.md 6 a candle of NO: every price is 1 - p, high and low swap, bid and ask swap', () => {
    expect(toCandlestick(first, QUERY, 1)).toMatchObject({
      outcome: { index: 1 },
      open: '0.58',
      high: '0.59',
      low: '0.57',
      close: '0.58',
      mean: '0.5796',
      previous_close: '0.59',
      volume: '571.5',
      bid: { open: '0.57', high: '0.58', low: '0.56', close: '0.56' },
      ask: { open: '0.59', high: '0.6', low: '0.58', close: '0.58' },
    });
  });

  it('unified-schema.md 6 a period without a trade has no prices but the one before, and quotes', () => {
    const candles = batch((sample('candlesticks') as { candlesticks: unknown }).candlesticks);
    const quiet = candles[2];
    if (quiet === undefined) throw new Error('no quiet candle in the sample');
    const none = { open: null, high: null, low: null, close: null, mean: null, volume: '0' };
    expect(toCandlestick(quiet, QUERY, 0)).toMatchObject({ ...none, previous_close: '0.4', bid: { open: '0.4' } });
    expect(toCandlestick(quiet, QUERY, 1)).toMatchObject({ ...none, previous_close: '0.6', ask: { open: '0.6' } });
  });

  it.each([null, undefined])('prices that are %s are of a quiet candle, live and archived', (nothing) => {
    const parts = { end_period_ts: 1795179600, price: nothing, yes_bid: nothing, yes_ask: nothing };
    const live = { ...parts, volume_fp: '0.00', open_interest_fp: '1.00' };
    const archived = { ...parts, volume: '0.00', open_interest: '1.00' };
    const candles = [...batch([live]), ...wireArchivedCandlesticks.parse({ candlesticks: [archived] }).candlesticks];
    const none = { open: null, high: null, low: null, close: null, mean: null, previous_close: null };
    for (const candle of candles) {
      const quiet = { ...none, bid: null, ask: null, volume: '0', open_interest: '1' };
      expect(toCandlestick(candle, QUERY, 1)).toMatchObject(quiet);
    }
    expect(candles).toHaveLength(2);
  });

  it('kalshi.md 8 reads archived candles, whose names have no suffix, alike', () => {
    const ohlc = (open: string, high: string, low: string, close: string) => ({ open, high, low, close });
    const archived = wireArchivedCandlesticks.parse({
      ticker: QUERY.market_id,
      candlesticks: [
        {
          end_period_ts: 1795179600,
          yes_bid: ohlc('0.4100', '0.4200', '0.4000', '0.4200'),
          yes_ask: ohlc('0.4300', '0.4400', '0.4200', '0.4400'),
          price: { ...ohlc('0.4200', '0.4300', '0.4100', '0.4200'), mean: '0.4204', previous: '0.4100' },
          volume: '571.50',
          open_interest: '22640.50',
        },
        {
          end_period_ts: 1795183200,
          yes_bid: ohlc('0.4100', '0.4200', '0.4000', '0.4200'),
          yes_ask: ohlc('0.4300', '0.4400', '0.4200', '0.4400'),
          price: { open: null, high: null, low: null, close: null, mean: null, previous: null },
          volume: '0.00',
          open_interest: '22640.50',
        },
      ],
    }).candlesticks;
    expect(archived[0]).toEqual(first);
    expect(archived[1]?.price).toEqual({ open: null, high: null, low: null, close: null, mean: null, previous: null });
  });
});

describe('windowsOf', () => {
  const at = (iso: string) => new Date(iso);

  it('unified-schema.md 6 asks for candles that start at or after start and before end', () => {
    const start = at('2026-11-20T10:00:00.000Z');
    const end = at('2026-11-20T12:00:00.000Z');
    const hour = 3_600;
    const [from, to] = [start.getTime() / 1_000, end.getTime() / 1_000];
    expect(windowsOf({ interval: '1h', start, end })).toEqual([{ start_ts: from + hour, end_ts: to + hour - 1 }]);
  });

  it('rounds a start within a second up, so that nothing earlier is given', () => {
    const range = { start: at('2026-11-20T10:00:00.001Z'), end: at('2026-11-20T10:02:00.000Z') };
    const [window] = windowsOf({ interval: '1m', ...range });
    expect(window?.start_ts).toBe(at('2026-11-20T10:01:01.000Z').getTime() / 1_000);
  });

  it('has none where nothing can start', () => {
    const start = at('2026-11-20T10:00:00.000Z');
    expect(windowsOf({ interval: '1m', start, end: start })).toEqual([]);
  });

  it('kalshi.md 4 splits into windows of at most 5,000 candles that neither overlap nor leave a gap', () => {
    const start = at('2026-11-01T00:00:00.000Z');
    const end = new Date(start.getTime() + 12_000 * 60_000);
    const windows = windowsOf({ interval: '1m', start, end });
    expect(windows).toHaveLength(3);
    windows.forEach(({ start_ts, end_ts }, i) => {
      expect(Math.floor(end_ts / 60) - Math.ceil(start_ts / 60) + 1).toBeLessThanOrEqual(5_000);
      expect(start_ts).toBe(i === 0 ? start.getTime() / 1_000 + 60 : (windows[i - 1]?.end_ts ?? 0) + 1);
    });
    expect(windows.at(-1)?.end_ts).toBe(end.getTime() / 1_000 + 59);
  });
});
