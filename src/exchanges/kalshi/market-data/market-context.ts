import { pathOf } from '../../../platform/upstream/path.js';
import { optionalReadLimit, readOptional } from '../../optional-read.js';
import { isNotFound } from '../../upstream-errors.js';
import type { KalshiClient } from '../connection/client.js';
import { contextOf } from './event.mapper.js';
import { type MarketContext, UNKNOWN_CONTEXT } from './market.mapper.js';
import { type WireMarket, wireOneEvent, wireOneSeries } from './market.wire.js';

type Market = Pick<WireMarket, 'event_ticker'>;

/** Reads a market's context from its event and series: a market names neither its series nor its category (unified-schema.md 2). */
export class KalshiMarketContext {
  constructor(private readonly client: KalshiClient) {}

  /** Returns what can be read in time; the rest stays unknown, so that no market is kept back for it. */
  async ofMarket(market: Market): Promise<MarketContext> {
    const signal = optionalReadLimit();
    const context = await readOptional(this.#ofEvent(market, signal), UNKNOWN_CONTEXT);
    return context.seriesId === null
      ? context
      : readOptional(this.#withSeries(context, context.seriesId, signal), context);
  }

  /** Returns the id of the market's series; null where the exchange does not know its event. */
  async seriesOf(market: Market): Promise<string | null> {
    try {
      return (await this.#ofEvent(market)).seriesId;
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  }

  async #ofEvent({ event_ticker: ticker }: Market, signal?: AbortSignal): Promise<MarketContext> {
    if (ticker === null) return UNKNOWN_CONTEXT;
    const { value } = await this.client.read(pathOf`/events/${ticker}`, {}, wireOneEvent, signal);
    return contextOf(value.event);
  }

  async #withSeries(context: MarketContext, seriesId: string, signal: AbortSignal): Promise<MarketContext> {
    const { value } = await this.client.read(pathOf`/series/${seriesId}`, {}, wireOneSeries, signal);
    const { category, tags = [], fee_type } = value.series;
    return { ...context, category: context.category ?? category, tags, feeType: context.feeType ?? fee_type };
  }
}
