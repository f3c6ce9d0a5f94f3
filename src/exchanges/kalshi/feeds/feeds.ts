import type { SettingValues } from '../../../platform/config/setting.js';
import type { BookRef, BookStream, FeedLine, Feeds, ReadBook } from '../../feeds.contract.js';
import type { MarketDto } from '../../unified.market-data.dto.js';
import type { KalshiClient } from '../connection/client.js';
import { KalshiSigner } from '../kalshi.signer.js';
import type { KALSHI_SETTINGS } from '../kalshi.settings.js';
import { toOrderBook } from '../market-data/order-book.mapper.js';
import { wireOrderBooks } from '../market-data/order-book.wire.js';
import { outcomeOf, resolveOutcome } from '../market-data/outcomes.js';
import { KalshiLine } from './line.js';

type KalshiSettings = Pick<
  SettingValues<typeof KALSHI_SETTINGS>,
  'KALSHI_WS_URL' | 'KALSHI_STREAM_ACCESS_KEY' | 'KALSHI_STREAM_PRIVATE_KEY'
>;

/** The exchange pings every 10 s (streams.md 1.6). */
const SILENT_MS = 25_000;
/** One of each market that an instance watches: the exchange takes 500,000. */
const BOOKS_PER_LINE = 2_000;

/** Books of Kalshi: a feed with the operator's key, since every connection is signed (streams.md 1.1); polled without. */
export class KalshiFeeds implements Feeds {
  readonly stream: BookStream | null;
  /** The exchange takes no more (kalshi.md 4.3). */
  readonly booksPerRead = 100;

  constructor(
    private readonly client: KalshiClient,
    settings: KalshiSettings,
  ) {
    const { KALSHI_WS_URL: url, KALSHI_STREAM_ACCESS_KEY: key, KALSHI_STREAM_PRIVATE_KEY: secret } = settings;
    if ((key === undefined) !== (secret === undefined)) {
      throw new TypeError('KALSHI_STREAM_ACCESS_KEY and KALSHI_STREAM_PRIVATE_KEY must be set together.');
    }
    const isSigned = key !== undefined && secret !== undefined;
    this.stream = isSigned ? new KalshiStream(url, new KalshiSigner(key, secret), client) : null;
  }

  /** One book a market, in prices of YES. */
  bookOf({ id }: MarketDto): BookRef {
    return { key: id, marketId: id, index: 0, label: outcomeOf(id, 0).label };
  }

  indexOf({ id }: MarketDto, outcome: string): 0 | 1 {
    return resolveOutcome(id, outcome);
  }

  async readBooks(keys: readonly string[]): Promise<readonly ReadBook[]> {
    const tickers = keys.map((key) => ['tickers', key] as const);
    const { value } = await this.client.readFresh('/markets/orderbooks', tickers, wireOrderBooks);
    return value.orderbooks.map((book) => {
      const { bids, asks } = toOrderBook({ ticker: book.ticker, index: 0 }, book);
      return { key: book.ticker, bids, asks, facts: {} };
    });
  }
}

class KalshiStream implements BookStream {
  readonly silentMs = SILENT_MS;
  readonly booksPerLine = BOOKS_PER_LINE;
  readonly isNumbered = true;
  readonly ping = null;

  constructor(
    readonly url: string,
    private readonly signer: KalshiSigner,
    private readonly client: KalshiClient,
  ) {}

  async headers(): Promise<Readonly<Record<string, string>>> {
    return this.signer.sign({ method: 'GET', path: new URL(this.url).pathname }, await this.client.time());
  }

  line(): FeedLine {
    return new KalshiLine();
  }
}
