import type { BookState } from '../../feeds/book-messages.js';
import type { ExchangeFeed } from '../../feeds/exchange-feed.js';
import type { LineHealth, OpenLine, StreamSink } from './channel.contract.js';

/** What is streamed of one market. */
export interface StreamedMarket {
  readonly state: BookState;
  begin(sink: StreamSink): void;
  stop(): void;
}

/** The markets of one subscription to public data. They are watched from the opening on: what is told before the line begins is kept small. */
export class FeedLine implements OpenLine {
  readonly credentialsVersion = null;
  readonly position = null;
  readonly #markets: readonly StreamedMarket[];

  /** Begins each of them, or none. */
  constructor(
    private readonly feed: ExchangeFeed,
    beginners: readonly (() => StreamedMarket)[],
  ) {
    const markets: StreamedMarket[] = [];
    this.#markets = markets;
    try {
      for (const begin of beginners) markets.push(begin());
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get health(): LineHealth {
    const states = this.#markets.map(({ state }) => state);
    return {
      isConnected: this.feed.isConnected,
      lastFrameMs: this.feed.lastFrameMs,
      live: states.filter((state) => state === 'live').length,
      stale: states.filter((state) => state === 'stale' || state === 'waiting').length,
    };
  }

  begin(sink: StreamSink): void {
    for (const market of this.#markets) market.begin(sink);
  }

  close(): void {
    for (const market of this.#markets) market.stop();
  }
}
