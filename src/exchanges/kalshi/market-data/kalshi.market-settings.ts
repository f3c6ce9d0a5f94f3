import { outsideCallContext } from '../../../platform/http/call-context.js';
import { pathOf } from '../../../platform/http/path.js';
import type { KalshiClient } from '../connection/kalshi.client.js';
import { isNotFound } from '../connection/kalshi.pages.js';
import { type MarketSetting, settingOf, UNKNOWN_SETTING } from './kalshi.market.mapper.js';
import { wireOneEvent, wireOneSeries } from './kalshi.market.wire.js';

const KEPT_MS = 10 * 60_000;
const MOST_KEPT = 1_000;

interface Kept {
  readonly setting: Promise<MarketSetting>;
  readonly untilMs: number;
}

/**
 * What a market's event and series tell of it (unified.md 2). A market names neither its series nor its category, and
 * these hardly ever change, so they are kept for ten minutes.
 */
export class KalshiMarketSettings {
  readonly #kept = new Map<string, Kept>();

  constructor(private readonly client: KalshiClient) {}

  /** Nothing is known of an event that the exchange does not know. */
  of(eventTicker: string | null): Promise<MarketSetting> {
    if (eventTicker === null) return Promise.resolve(UNKNOWN_SETTING);
    const kept = this.#kept.get(eventTicker);
    if (kept !== undefined && kept.untilMs > Date.now()) return kept.setting;
    const setting = outsideCallContext(() => this.read(eventTicker));
    this.keep(eventTicker, { setting, untilMs: Date.now() + KEPT_MS });
    return setting;
  }

  private keep(eventTicker: string, kept: Kept): void {
    this.#kept.delete(eventTicker);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size < MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
    this.#kept.set(eventTicker, kept);
    kept.setting.catch(() => {
      if (this.#kept.get(eventTicker) === kept) this.#kept.delete(eventTicker);
    });
  }

  private async read(eventTicker: string): Promise<MarketSetting> {
    try {
      const { body } = await this.client.read(pathOf`/events/${eventTicker}`, {}, wireOneEvent);
      return await this.withSeries(settingOf(body.event));
    } catch (error) {
      if (isNotFound(error)) return UNKNOWN_SETTING;
      throw error;
    }
  }

  private async withSeries(setting: MarketSetting): Promise<MarketSetting> {
    if (setting.seriesId === null) return setting;
    try {
      const { body } = await this.client.read(pathOf`/series/${setting.seriesId}`, {}, wireOneSeries);
      const { category, tags = [], fee_type } = body.series;
      return {
        ...setting,
        category: setting.category ?? category,
        tags,
        feeType: setting.feeType ?? fee_type,
      };
    } catch (error) {
      if (isNotFound(error)) return setting;
      throw error;
    }
  }
}
