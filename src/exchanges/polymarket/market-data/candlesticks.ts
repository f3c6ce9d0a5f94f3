import { AppError } from '../../../platform/errors/app-error.js';
import { type Answer, received } from '../../checked-answer.js';
import type { Aged, CandlestickQuery } from '../../market-data.contract.js';
import { allItems, type ReadPage } from '../../page-walk.js';
import type { CandlestickDto } from '../../unified.market-data.dto.js';
import { type Interval, INTERVAL_SECONDS } from '../../unified.words.js';
import type { PolymarketClient, Query } from '../connection/client.js';
import { toCandlesticks } from './candlestick.mapper.js';
import { wirePriceHistory, wirePricePage, type WirePricePoint } from './candlestick.wire.js';
import type { MarketFacts } from './directory/market-directory.js';
import { resolveOutcome } from './outcomes.js';
import { CLOB_GRAINS, DATA_GRAINS, type Window, windowsOf } from './price-windows.js';

const CALLS_AT_ONCE = 4;

/** Before this the CLOB did not exist, so there are no prices to ask for. */
const FIRST_PRICES = Date.UTC(2022, 0, 1) / 1_000;

/** Of settled markets only points of half a day are kept (polymarket.md 5), in minutes. */
const SETTLED_FIDELITY = 720;

/** As many points as the Data API gives in one page. */
const LARGEST_PAGE = 10_000;

/** Answers of the CLOB by which it has no prices of an outcome. */
const NO_PRICES: ReadonlySet<number | null | undefined> = new Set([400, 404]);

/** Which prices are wanted: from `from` on and before `to`, as it is `now`, all in Unix seconds. */
interface PriceRange {
  readonly tokenId: string;
  readonly from: number;
  readonly to: number;
  readonly interval: Interval;
  readonly now: number;
}

/** Reads the sampled prices of a token and makes candles of them (polymarket.md 5). */
export class PolymarketCandlesticks {
  constructor(private readonly client: PolymarketClient) {}

  /** Returns the candles that start in the range. Throws `bad_request` on `outcome`. */
  async list(
    { marketId, protocol, outcomes }: MarketFacts,
    { interval, start, end, outcome: name }: CandlestickQuery,
  ): Promise<Aged<readonly CandlestickDto[]>> {
    const outcome = resolveOutcome(outcomes, name);
    const now = Math.floor(this.client.clock.now().getTime() / 1_000);
    const step = INTERVAL_SECONDS[interval];
    const from = Math.max(nextStep(start, step), lastStep(FIRST_PRICES, step));
    const to = Math.min(nextStep(end, step), lastStep(now, step) + step);
    const range = { tokenId: outcome.id, from, to, interval, now };
    const { value, at } = protocol === 'v2' ? await this.#readV2(range) : await this.#readClob(range);
    return received({ value: toCandlesticks(value, { marketId, outcome, interval, from, to }), at });
  }

  /** Whether the CLOB has prices of V2 outcomes is not known, so the Data API is asked where it has none (polymarket.md 15). */
  async #readV2(range: PriceRange): Promise<Answer<WirePricePoint[]>> {
    const points = await this.#readClob(range).catch((error: unknown) => {
      if (error instanceof AppError && NO_PRICES.has(error.details?.exchange?.status)) return null;
      throw error;
    });
    if (points !== null && points.value.length > 0) return points;
    const { tokenId, from, to, interval, now } = range;
    return this.#readAll(windowsOf(from, to, DATA_GRAINS[interval], now), (window) => this.#readData(tokenId, window));
  }

  async #readClob({ tokenId, from, to, interval, now }: PriceRange): Promise<Answer<WirePricePoint[]>> {
    const wanted = windowsOf(from, to, CLOB_GRAINS[interval], now);
    const points = await this.#readAll(wanted, (window) => this.#readWindow(tokenId, window));
    return points.value.length === 0 && from < to ? this.#readSettled(tokenId) : points;
  }

  /** Returns all points of the windows; `at` is the time of the oldest answer. */
  async #readAll(
    windows: readonly Window[],
    read: (window: Window) => Promise<Answer<WirePricePoint[]>>,
  ): Promise<Answer<WirePricePoint[]>> {
    const answers: Answer<WirePricePoint[]>[] = [];
    for (let start = 0; start < windows.length; start += CALLS_AT_ONCE) {
      answers.push(...(await Promise.all(windows.slice(start, start + CALLS_AT_ONCE).map(read))));
    }
    const at = answers.reduce((oldest, answer) => (answer.at < oldest ? answer.at : oldest), new Date());
    return { value: answers.flatMap(({ value }) => value), at };
  }

  async #readWindow(tokenId: string, { from, to, spacing }: Window): Promise<Answer<WirePricePoint[]>> {
    return this.#readHistory([
      ['market', tokenId],
      // The exchange returns points *after* this second; what lies before `from` is dropped with the candles.
      ['startTs', from - 1],
      ['endTs', to],
      ['fidelity', spacing / 60],
    ]);
  }

  async #readData(tokenId: string, { from, to, spacing }: Window): Promise<Answer<WirePricePoint[]>> {
    let at = new Date();
    const readPage: ReadPage<WirePricePoint> = async (cursor) => {
      const query: Query = [
        ['token_id', tokenId],
        ['start', from],
        ['end', to],
        ['bucket_seconds', spacing],
        ['limit', LARGEST_PAGE],
        ['cursor', cursor],
      ];
      const answer = await this.client.readData({ path: '/v2/prices-history', query }, wirePricePage);
      if (answer.at < at) at = answer.at;
      return answer.value;
    };
    return { value: await allItems(readPage, () => this.client.unusable()), at };
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

/** The start of the first candle that begins at this time or later, in Unix seconds. */
function nextStep(time: Date, step: number): number {
  return Math.ceil(time.getTime() / 1_000 / step) * step;
}

/** The start of the candle that this second lies in. */
function lastStep(second: number, step: number): number {
  return Math.floor(second / step) * step;
}
