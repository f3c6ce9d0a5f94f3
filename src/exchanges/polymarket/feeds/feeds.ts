import { USER_AGENT } from '../../../platform/upstream/upstream.constants.js';
import type { BookRef, BookStream, FeedLine, Feeds, ReadBook } from '../../feeds.contract.js';
import type { MarketDto } from '../../unified.market-data.dto.js';
import type { PolymarketClient } from '../connection/client.js';
import { toOrderBook } from '../market-data/order-book.mapper.js';
import { wireOrderBooks } from '../market-data/order-book.wire.js';
import { resolveOutcome } from '../market-data/outcomes.js';
import { PolymarketLine } from './line.js';

/** The answer to a `PING` queues behind data, and nothing else comes from a quiet market (streams.md 2.5). */
const SILENT_MS = 30_000;
const PING_EVERY_MS = 10_000;
/** Above 500 whole books were missing; others take 200 (streams.md 2.8). */
const BOOKS_PER_LINE = 200;

/** Books of Polymarket: one a token. */
export class PolymarketFeeds implements Feeds {
  readonly stream: BookStream;
  /** The exchange takes 500, of which the answer may be longer than any that is read. */
  readonly booksPerRead = 50;

  constructor(
    private readonly client: PolymarketClient,
    url: string,
  ) {
    this.stream = new PolymarketStream(`${url}/market`);
  }

  bookOf({ id, outcomes }: MarketDto, index: 0 | 1): BookRef {
    const { id: key, label } = outcomes[index];
    return { key, marketId: id, index, label };
  }

  indexOf({ outcomes: [zero, one] }: MarketDto, outcome: string): 0 | 1 {
    return resolveOutcome([zero, one], outcome).index;
  }

  async readBooks(keys: readonly string[]): Promise<readonly ReadBook[]> {
    const books = await this.client.readBooks(keys, wireOrderBooks);
    return books.value.map((book) => {
      const view = { marketId: book.market, outcome: { id: book.asset_id, index: 0, label: '' } } as const;
      const { bids, asks, hash } = toOrderBook(book, view);
      return { key: book.asset_id, bids, asks, facts: { hash, timeMs: book.timestamp.getTime() } };
    });
  }
}

class PolymarketStream implements BookStream {
  readonly silentMs = SILENT_MS;
  readonly booksPerLine = BOOKS_PER_LINE;
  readonly isNumbered = false;
  readonly ping = { text: 'PING', everyMs: PING_EVERY_MS };

  constructor(readonly url: string) {}

  headers(): Promise<Readonly<Record<string, string>>> {
    return Promise.resolve({ 'user-agent': USER_AGENT });
  }

  line(): FeedLine {
    return new PolymarketLine();
  }
}
