import { pathOf } from '../../../platform/upstream/path.js';
import { optionalReadLimit, readOptional } from '../../optional-read.js';
import type { KalshiClient } from '../connection/client.js';
import { isNotFound } from '../connection/pages.js';
import { type MarketSetting, settingOf, UNKNOWN_SETTING } from './market.mapper.js';
import { type WireMarket, wireOneEvent, wireOneSeries } from './market.wire.js';

type Market = Pick<WireMarket, 'event_ticker'>;

/** What a market's event and series tell of it: a market names neither its series nor its category (unified.md 2). */
export class KalshiMarketSettings {
  constructor(private readonly client: KalshiClient) {}

  /** What cannot be read in time stays unknown: the market itself is known, and shall not be kept back for it. */
  async ofMarket(market: Market): Promise<MarketSetting> {
    const signal = optionalReadLimit();
    const setting = await readOptional(this.#ofEvent(market, signal), UNKNOWN_SETTING);
    return setting.seriesId === null
      ? setting
      : readOptional(this.#withSeries(setting, setting.seriesId, signal), setting);
  }

  /** Null where the exchange does not know the event. */
  async seriesOf(market: Market): Promise<string | null> {
    try {
      return (await this.#ofEvent(market)).seriesId;
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  }

  async #ofEvent({ event_ticker: ticker }: Market, signal?: AbortSignal): Promise<MarketSetting> {
    if (ticker === null) return UNKNOWN_SETTING;
    const { body } = await this.client.read(pathOf`/events/${ticker}`, {}, wireOneEvent, signal);
    return settingOf(body.event);
  }

  async #withSeries(setting: MarketSetting, seriesId: string, signal: AbortSignal): Promise<MarketSetting> {
    const { body } = await this.client.read(pathOf`/series/${seriesId}`, {}, wireOneSeries, signal);
    const { category, tags = [], fee_type } = body.series;
    return { ...setting, category: setting.category ?? category, tags, feeType: setting.feeType ?? fee_type };
  }
}
