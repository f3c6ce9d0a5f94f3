import { Injectable } from '@nestjs/common';
import { ExchangeFeeds } from '../../feeds/exchange-feeds.js';
import type { ExchangeFeed } from '../../feeds/exchange-feed.js';
import type { MarketReading } from '../../feeds/market-feed.js';
import type { QuoteMessage, QuoteReader } from '../../feeds/watched-quote.js';
import type { Channel, Debt, OpenLine, StreamSink, Subscription } from './channel.contract.js';
import { FeedLine, type StreamedMarket } from './feed-line.js';
import { feedText, type FeedLabel } from './feed-texts.js';
import { StreamMarkets } from './stream-markets.js';

/** Quotes of markets, whole at each change (contract.md 5.14). */
@Injectable()
export class QuoteChannel implements Channel {
  readonly name = 'markets';
  readonly isResumable = false;

  constructor(
    private readonly feeds: ExchangeFeeds,
    private readonly markets: StreamMarkets,
  ) {}

  async open({ exchange, marketIds }: Subscription): Promise<OpenLine> {
    const feed = this.feeds.of(exchange);
    const found = await this.markets.find(exchange, marketIds);
    return new FeedLine(
      feed,
      found.map((market) => () => new StreamedQuote(feed, { channel: 'markets', market, feed })),
    );
  }
}

/** The quotes of one market for one reader: of one who is behind the newest alone, and how it stands. */
class StreamedQuote implements QuoteReader, StreamedMarket, Debt {
  readonly #reading: MarketReading;
  #quote: QuoteMessage | null = null;
  #status: QuoteMessage | null = null;
  #sink: StreamSink | undefined;

  constructor(
    feed: ExchangeFeed,
    private readonly label: FeedLabel,
  ) {
    this.#reading = feed.watchQuote(label.market, this);
  }

  get state(): MarketReading['state'] {
    return this.#reading.state;
  }

  begin(sink: StreamSink): void {
    this.#sink = sink;
    if (this.#isOwed) sink.owe(this);
  }

  tell(message: QuoteMessage): void {
    const sink = this.#sink;
    if (sink !== undefined && !this.#isOwed && !sink.isBehind) {
      sink.tell(feedText(message, this.label));
      return;
    }
    if (message.type === 'quote') this.#quote = message;
    else this.#status = message;
    sink?.owe(this);
  }

  take(): readonly string[] {
    const owed = [this.#quote, this.#status].filter((message) => message !== null);
    this.#quote = null;
    this.#status = null;
    return owed.map((message) => feedText(message, this.label));
  }

  stop(): void {
    this.#reading.stop();
  }

  get #isOwed(): boolean {
    return this.#quote !== null || this.#status !== null;
  }
}
