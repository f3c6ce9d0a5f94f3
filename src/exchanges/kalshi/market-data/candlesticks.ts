import { pathOf } from '../../../platform/upstream/path.js';
import type { Answer } from '../../checked-answer.js';
import type { CandlestickQuery } from '../../market-data.contract.js';
import { INTERVAL_SECONDS } from '../../unified.words.js';
import { secondsBefore, secondsFrom } from '../../time.js';
import { isNotFound } from '../../upstream-errors.js';
import type { KalshiClient } from '../connection/client.js';
import { type WireCandlestick, wireArchivedCandlesticks, wireCandlestickBatch } from './candlestick.wire.js';

/** More in one window is refused upstream (kalshi.md 4). */
const MOST_CANDLES = 5_000;

/** A stretch of candle ends in Unix seconds, both included. */
interface Window {
  readonly start_ts: number;
  readonly end_ts: number;
}

type Candles = Answer<readonly WireCandlestick[]>;

type Range = Pick<CandlestickQuery, 'market_id' | 'interval' | 'start' | 'end'>;

/** Reads the candles of one market, live or archived, oldest first and each once. */
export class KalshiCandlesticks {
  constructor(private readonly client: KalshiClient) {}

  /** From the live data; nothing where the market is archived, unknown or quiet. */
  async live(range: Range): Promise<Candles> {
    return this.#windows(range, async (window) => {
      const query = { market_tickers: range.market_id, ...window, period_interval: periodMinutes(range) };
      const { value, at } = await this.client.read('/markets/candlesticks', query, wireCandlestickBatch);
      const own = value.markets.find(({ market_ticker: ticker }) => ticker === range.market_id);
      return { value: own?.candlesticks ?? [], at };
    });
  }

  /** From the archive; nothing where it does not have the market. */
  async archived(range: Range): Promise<Candles> {
    const path = pathOf`/historical/markets/${range.market_id}/candlesticks`;
    return this.#windows(range, async (window) => {
      const query = { ...window, period_interval: periodMinutes(range) };
      try {
        const { value, at } = await this.client.read(path, query, wireArchivedCandlesticks);
        return { value: value.candlesticks, at };
      } catch (error) {
        if (isNotFound(error)) return { value: [], at: new Date() };
        throw error;
      }
    });
  }

  async #windows(range: Range, read: (window: Window) => Promise<Candles>): Promise<Candles> {
    const byEnd = new Map<number, WireCandlestick>();
    let at: Date | null = null;
    for (const window of windowsOf(range)) {
      const part = await read(window);
      at ??= part.at;
      for (const candle of part.value) {
        if (candle.end >= window.start_ts && candle.end <= window.end_ts) byEnd.set(candle.end, candle);
      }
    }
    const value = [...byEnd.values()].sort((a, b) => a.end - b.end);
    return { value, at: at ?? new Date() };
  }
}

function periodMinutes({ interval }: Range): number {
  return INTERVAL_SECONDS[interval] / 60;
}

/**
 * The ends of all candles that start at or after `start` and before `end` (unified-schema.md 6), in stretches that the exchange
 * answers at once.
 */
export function windowsOf({ interval, start, end }: Pick<Range, 'interval' | 'start' | 'end'>): Window[] {
  const seconds = INTERVAL_SECONDS[interval];
  const last = secondsBefore(end) + seconds;
  const windows: Window[] = [];
  for (let first = secondsFrom(start) + seconds; first <= last; first += MOST_CANDLES * seconds) {
    windows.push({ start_ts: first, end_ts: Math.min(last, first + MOST_CANDLES * seconds - 1) });
  }
  return windows;
}
