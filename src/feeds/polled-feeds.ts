import type { Exchange } from '../exchanges/exchange.js';
import type { BookRef, Feeds, ReadBook } from '../exchanges/feeds.contract.js';
import type { MarketDto } from '../exchanges/unified.market-data.dto.js';

/** The feeds of an exchange that offers none: its books are read one by one, as `GET /{exchange}/orderbooks` reads them. */
export class PolledFeeds implements Feeds {
  readonly stream = null;
  readonly booksPerRead = 1;

  constructor(private readonly exchange: Exchange) {}

  bookOf({ id, outcomes }: MarketDto, index: 0 | 1): BookRef {
    return { key: `${index} ${id}`, marketId: id, index, label: outcomes[index].label };
  }

  indexOf(_market: MarketDto, outcome: string): 0 | 1 {
    return outcome === '1' || outcome === 'no' ? 1 : 0;
  }

  async readBooks(keys: readonly string[]): Promise<readonly ReadBook[]> {
    return Promise.all(keys.map((key) => this.#read(key)));
  }

  async #read(key: string): Promise<ReadBook> {
    const query = { market_id: key.slice(2), outcome: key.slice(0, 1), depth: undefined };
    const { value, at, source } = await this.exchange.marketData.getOrderBook(query);
    const { bids, asks, hash, tick_size: tickSize, last_price: lastPrice } = value;
    const time = source === 'exchange' ? { timeMs: at.getTime() } : {};
    return { key, bids, asks, facts: { hash, tickSize, lastPrice, ...time } };
  }
}
