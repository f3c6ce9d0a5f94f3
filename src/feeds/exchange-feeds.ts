import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Exchange } from '../exchanges/exchange.js';
import { ExchangeRegistry } from '../exchanges/exchange.registry.js';
import { Settings } from '../platform/config/settings.js';
import { webSockets } from '../platform/upstream/web-socket.js';
import { ExchangeFeed } from './exchange-feed.js';
import { PolledFeeds } from './polled-feeds.js';

/** The feed of each exchange, one an instance: all readers share it (feeds.md 3). */
@Injectable()
export class ExchangeFeeds implements OnApplicationShutdown {
  readonly #feeds: ReadonlyMap<string, ExchangeFeed>;

  constructor(registry: ExchangeRegistry, { upstreamTimeoutMs, streamFlushMs }: Settings) {
    const connect = webSockets(upstreamTimeoutMs);
    const feedOf = (exchange: Exchange): ExchangeFeed =>
      new ExchangeFeed(exchange, exchange.feeds ?? new PolledFeeds(exchange), connect, streamFlushMs);
    this.#feeds = new Map(registry.all.map((exchange) => [exchange.id, feedOf(exchange)]));
  }

  get all(): Iterable<readonly [exchangeId: string, feed: ExchangeFeed]> {
    return this.#feeds;
  }

  of({ id }: Exchange): ExchangeFeed {
    const feed = this.#feeds.get(id);
    if (feed === undefined) throw new TypeError(`${id} is no exchange of the registry`);
    return feed;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(Array.from(this.#feeds.values(), (feed) => feed.close()));
  }
}
