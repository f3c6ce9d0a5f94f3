import { Injectable } from '@nestjs/common';
import type { Exchange } from '../../exchanges/exchange.js';
import type { MarketDto } from '../../exchanges/unified.market-data.dto.js';
import { ExchangeFeeds } from '../../feeds/exchange-feeds.js';

/** Finds the markets that a stream names. */
@Injectable()
export class StreamMarkets {
  constructor(private readonly feeds: ExchangeFeeds) {}

  /**
   * Returns the markets of these ids, in their order and each once: those that somebody reads already as they are known, the others by
   * one call. Throws as `GET /{exchange}/markets/{market_id}`, `not_found` for one that the exchange does not have.
   */
  async find(exchange: Exchange, ids: readonly string[]): Promise<readonly MarketDto[]> {
    const feed = this.feeds.of(exchange);
    const unknown = ids.filter((id) => feed.marketOf(id) === undefined);
    const listed = await this.#list(exchange, unknown);
    const found = new Map<string, MarketDto>();
    for (const id of ids) {
      const market = feed.marketOf(id) ?? listed.get(id) ?? (await exchange.marketData.getMarket(id)).value;
      found.set(market.id, market);
    }
    return [...found.values()];
  }

  async #list(exchange: Exchange, ids: readonly string[]): Promise<ReadonlyMap<string, MarketDto>> {
    if (ids.length < 2) return new Map();
    const { value } = await exchange.marketData.listMarkets({ ids }, { limit: ids.length, cursor: null });
    return new Map(value.items.map((market) => [market.id, market]));
  }
}
