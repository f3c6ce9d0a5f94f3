import { Injectable } from '@nestjs/common';
import { Backlog } from '../../feeds/backlog.js';
import { ExchangeFeeds } from '../../feeds/exchange-feeds.js';
import type { ExchangeFeed } from '../../feeds/exchange-feed.js';
import type { BookReader, BookReading, ReaderMessage } from '../../feeds/watched-book.js';
import { type BookLabel, bookText } from './book-messages.js';
import type { Channel, Debt, OpenLine, StreamSink, Subscription } from './channel.contract.js';
import { FeedLine, type StreamedMarket } from './feed-line.js';
import { StreamMarkets } from './stream-markets.js';
import { StreamMetrics } from './stream-metrics.js';

/** Books of one outcome of each market, whole and then what changes (contract.md 5.14). */
@Injectable()
export class BookChannel implements Channel {
  readonly name = 'orderbooks';
  readonly isResumable = false;

  constructor(
    private readonly feeds: ExchangeFeeds,
    private readonly markets: StreamMarkets,
    private readonly metrics: StreamMetrics,
  ) {}

  async open({ exchange, marketIds, outcome }: Subscription): Promise<OpenLine> {
    const feed = this.feeds.of(exchange);
    const found = await this.markets.find(exchange, marketIds);
    const labels = found.map((market): BookLabel => ({
      market,
      index: feed.indexOf(market, outcome),
      source: feed.source,
      intervalMs: () => feed.intervalMs,
    }));
    return new FeedLine(
      feed,
      labels.map((label) => () => new StreamedBook(feed, label, this.metrics)),
    );
  }
}

/** One book for one reader: told as it comes, or owed while the reader is behind. */
class StreamedBook implements BookReader, StreamedMarket, Debt {
  readonly #backlog = new Backlog(() => this.#reading?.whole ?? null);
  #reading: BookReading | undefined;
  #sink: StreamSink | undefined;
  readonly #noteTime: (timeMs: number) => void;

  constructor(
    feed: ExchangeFeed,
    private readonly label: BookLabel,
    metrics: StreamMetrics,
  ) {
    this.#noteTime = (timeMs) => {
      metrics.noteAge(label.market.exchange, 'orderbooks', timeMs);
    };
    this.#reading = feed.watch(label.market, label.index, this);
  }

  get state(): BookReading['state'] {
    return this.#reading?.state ?? 'waiting';
  }

  begin(sink: StreamSink): void {
    this.#sink = sink;
    if (!this.#backlog.isEmpty) sink.owe(this);
  }

  tell(message: ReaderMessage): void {
    const sink = this.#sink;
    if (sink !== undefined && this.#backlog.isEmpty && !sink.isBehind) {
      sink.tell(bookText(message, this.label, this.#noteTime));
      return;
    }
    this.#backlog.add(message);
    sink?.owe(this);
  }

  take(): readonly string[] {
    return this.#backlog.take().map((message) => bookText(message, this.label));
  }

  stop(): void {
    this.#reading?.stop();
  }
}
