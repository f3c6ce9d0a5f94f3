import { Injectable } from '@nestjs/common';
import { ExchangeFeeds } from '../../feeds/exchange-feeds.js';
import type { ExchangeFeed } from '../../feeds/exchange-feed.js';
import type { MarketReading } from '../../feeds/market-feed.js';
import type { TradeMessage, TradeReader } from '../../feeds/watched-trades.js';
import type { Channel, OpenLine, StreamSink, Subscription } from './channel.contract.js';
import { FeedLine, type StreamedMarket } from './feed-line.js';
import { feedText, type FeedLabel } from './feed-texts.js';
import { StreamMarkets } from './stream-markets.js';
import { StreamMetrics } from './stream-metrics.js';

/** Public trades of markets from now on (contract.md 5.14). */
@Injectable()
export class TradeChannel implements Channel {
  readonly name = 'trades';
  readonly isResumable = false;

  constructor(
    private readonly feeds: ExchangeFeeds,
    private readonly markets: StreamMarkets,
    private readonly metrics: StreamMetrics,
  ) {}

  async open({ exchange, marketIds }: Subscription): Promise<OpenLine> {
    const feed = this.feeds.of(exchange);
    const found = await this.markets.find(exchange, marketIds);
    return new FeedLine(
      feed,
      found.map((market) => () => new StreamedTrades(feed, { channel: 'trades', market, feed }, this.metrics)),
    );
  }
}

/** The trades of one market for one reader, who gets all of them from the beginning of the answer on. */
class StreamedTrades implements TradeReader, StreamedMarket {
  readonly #reading: MarketReading;
  /** How they stood before that. */
  #status: TradeMessage | null = null;
  #sink: StreamSink | undefined;
  readonly #noteTime: (timeMs: number) => void;

  constructor(
    feed: ExchangeFeed,
    private readonly label: FeedLabel,
    metrics: StreamMetrics,
  ) {
    this.#noteTime = (timeMs) => {
      metrics.noteAge(label.market.exchange, 'trades', timeMs);
    };
    this.#reading = feed.watchTrades(label.market, this);
  }

  get state(): MarketReading['state'] {
    return this.#reading.state;
  }

  begin(sink: StreamSink): void {
    this.#sink = sink;
    if (this.#status !== null) this.tell(this.#status);
  }

  tell(message: TradeMessage): void {
    if (this.#sink !== undefined) this.#sink.tell(feedText(message, this.label, this.#noteTime));
    else if (message.type === 'status') this.#status = message;
  }

  stop(): void {
    this.#reading.stop();
  }
}
