import { type Answer, received } from '../../checked-answer.js';
import type { Aged, CandlestickQuery } from '../../exchange.js';
import type { CandlestickDto } from '../../unified.market-data.dto.js';
import { type Interval, INTERVAL_SECONDS } from '../../unified.words.js';
import type { PolymarketClient, Query } from '../connection/client.js';
import { toCandlesticks } from './candlestick.mapper.js';
import { wirePriceHistory, type WirePricePoint } from './candlestick.wire.js';
import type { MarketFacts } from './directory/market-directory.js';
import { resolveOutcome } from './outcomes.js';

/** A stretch of time in Unix seconds, `to` not included, and the minutes between its points. */
interface Window {
  readonly from: number;
  readonly to: number;
  readonly fidelity: number;
}

const DAY = 86_400;
/** The exchange refuses windows of more than 15 days, whatever the spacing. */
const WINDOW = 14 * DAY;
const CALLS_AT_ONCE = 4;

/** Before this the CLOB did not exist, so there are no prices to ask for. */
const FIRST_PRICES = Date.UTC(2022, 0, 1) / 1_000;

/** Of settled markets only points of half a day are kept (polymarket.md 5). */
const SETTLED_FIDELITY = 720;

interface Spacing {
  readonly fidelity: number;
  /** Before so many seconds ago the spacing is `older`. */
  readonly keptFor: number;
  readonly older: number;
}

/** Spacing of points to ask for (unified-schema.md 6). */
const SPACINGS: Readonly<Record<Interval, Spacing>> = {
  '1m': { fidelity: 1, keptFor: Infinity, older: 1 },
  '1h': { fidelity: 5, keptFor: 60 * DAY, older: 30 },
  '1d': { fidelity: 30, keptFor: 90 * DAY, older: 180 },
};

/** Reads the sampled prices of a token and makes candles of them (polymarket.md 5). */
export class PolymarketCandlesticks {
  constructor(private readonly client: PolymarketClient) {}

  /** Returns the candles that start in the range. Throws `bad_request` on `outcome`. */
  async list(
    { marketId, outcomes }: MarketFacts,
    { interval, start, end, outcome: name }: CandlestickQuery,
  ): Promise<Aged<readonly CandlestickDto[]>> {
    const outcome = resolveOutcome(outcomes, name);
    const now = Math.floor(this.client.clock.now().getTime() / 1_000);
    const step = INTERVAL_SECONDS[interval];
    const from = Math.max(nextStep(start, step), lastStep(FIRST_PRICES, step));
    const to = Math.min(nextStep(end, step), lastStep(now, step) + step);
    const points = await this.#read(outcome.id, windowsOf(from, to, interval, now));
    const mayBeSettled = points.value.length === 0 && from < to;
    const { value, at } = mayBeSettled ? await this.#readSettled(outcome.id) : points;
    return received({ value: toCandlesticks(value, { marketId, outcome, interval, from, to }), at });
  }

  /** Returns all points of the windows; `at` is the time of the oldest answer. */
  async #read(tokenId: string, windows: readonly Window[]): Promise<Answer<WirePricePoint[]>> {
    const answers: Answer<WirePricePoint[]>[] = [];
    for (let start = 0; start < windows.length; start += CALLS_AT_ONCE) {
      const group = windows.slice(start, start + CALLS_AT_ONCE);
      answers.push(...(await Promise.all(group.map((window) => this.#readWindow(tokenId, window)))));
    }
    const at = answers.reduce((oldest, answer) => (answer.at < oldest ? answer.at : oldest), new Date());
    return { value: answers.flatMap(({ value }) => value), at };
  }

  async #readWindow(tokenId: string, { from, to, fidelity }: Window): Promise<Answer<WirePricePoint[]>> {
    return this.#readHistory([
      ['market', tokenId],
      // The exchange returns points *after* this second; what lies before `from` is dropped with the candles.
      ['startTs', from - 1],
      ['endTs', to],
      ['fidelity', fidelity],
    ]);
  }

  /** Returns all that is kept of a settled market, half a day apart. */
  async #readSettled(tokenId: string): Promise<Answer<WirePricePoint[]>> {
    return this.#readHistory([
      ['market', tokenId],
      ['interval', 'max'],
      ['fidelity', SETTLED_FIDELITY],
    ]);
  }

  async #readHistory(query: Query): Promise<Answer<WirePricePoint[]>> {
    const { value, at } = await this.client.read({ host: 'clob', path: '/prices-history', query }, wirePriceHistory);
    return { value: value.history, at };
  }
}

/** The calls that a range takes: no window too long, each of one spacing. `now` in Unix seconds, as all times. */
function windowsOf(from: number, to: number, interval: Interval, now: number): Window[] {
  const { fidelity, keptFor, older } = SPACINGS[interval];
  // The border lies on a day, so that no candle is made of points of both spacings.
  const border = keptFor === Infinity ? -Infinity : Math.ceil((now - keptFor) / DAY) * DAY;
  return [...windows(from, Math.min(to, border), older), ...windows(Math.max(from, border), to, fidelity)];
}

function windows(from: number, to: number, fidelity: number): Window[] {
  const count = Math.max(0, Math.ceil((to - from) / WINDOW));
  return Array.from({ length: count }, (_, i) => {
    const start = from + i * WINDOW;
    return { from: start, to: Math.min(to, start + WINDOW), fidelity };
  });
}

/** The start of the first candle that begins at this time or later, in Unix seconds. */
function nextStep(time: Date, step: number): number {
  return Math.ceil(time.getTime() / 1_000 / step) * step;
}

/** The start of the candle that this second lies in. */
function lastStep(second: number, step: number): number {
  return Math.floor(second / step) * step;
}
