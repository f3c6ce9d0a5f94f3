import type { BestPrices, BookFacts, BookInput, BookRef, FeedInput, LevelChange } from '../../feeds.contract.js';
import { complement, compare, type Decimal } from '../../decimal.js';
import { RecentNames } from '../../recent-names.js';
import type { LevelDto } from '../../unified.market-data.dto.js';
import { toFeedTrade } from '../market-data/trade.mapper.js';
import type { WireLastTrade, WirePriceChange } from './feed.wire.js';

type Entry = WirePriceChange['price_changes'][number];

/** Trades of a token that are told apart: the same one comes again within 120 ms (streams.md 2.5). */
const MOST_TRADES = 1_024;

/** A whole book of the feed. */
export interface TokenBook {
  readonly timestamp: number;
  readonly hash: string | null;
  readonly bids: readonly LevelDto[];
  readonly asks: readonly LevelDto[];
  readonly tick_size?: Decimal | null | undefined;
  readonly last_trade_price?: Decimal | null | undefined;
}

/**
 * What was said of one token on a line. Frames have no number, come twice at times, but in the order of their time: what is older than
 * what was heard, or was heard already, says nothing (streams.md 2.5).
 */
export class Token {
  #timeMs = 0;
  /** What was heard of this very moment. */
  #heard = new Set<string>();
  #tickSize: Decimal | null = null;
  readonly #trades = new RecentNames(MOST_TRADES);

  constructor(private readonly ref: BookRef) {}

  /** The next whole book counts, however old: the time of a book is that of its last change. */
  expect(): void {
    this.#timeMs = 0;
    this.#heard.clear();
  }

  whole(book: TokenBook): BookInput[] {
    if (book.timestamp < this.#timeMs) return [];
    this.#begin(book.timestamp);
    const { hash, bids, asks, timestamp: timeMs, tick_size, last_trade_price } = book;
    this.#tickSize = tick_size ?? this.#tickSize;
    const facts: BookFacts = {
      timeMs,
      hash,
      ...(typeof tick_size === 'string' && { tickSize: tick_size }),
      ...(typeof last_trade_price === 'string' && { lastPrice: this.#own(last_trade_price) }),
    };
    return [{ type: 'whole', key: this.ref.key, bids, asks, facts }];
  }

  /** The levels of one frame, of which the last entry states the best prices. */
  changes(timeMs: number, entries: readonly Entry[]): BookInput[] {
    if (timeMs < this.#timeMs) return [];
    if (timeMs > this.#timeMs) this.#begin(timeMs);
    const fresh = entries.filter((entry) => this.#isNew(entry));
    const last = fresh.at(-1);
    if (last === undefined) return [];
    const changes = fresh.map(({ side, price, size }): LevelChange => ({
      side: side === 'BUY' ? 'bids' : 'asks',
      price,
      size,
    }));
    return [{ type: 'sizes', key: this.ref.key, changes, facts: { timeMs, hash: last.hash }, best: bestOf(last) }];
  }

  /** Levels beside the new grid are gone, and no frame says so. */
  tickSize(size: Decimal): BookInput[] {
    if (size === this.#tickSize) return [];
    this.#tickSize = size;
    return [{ type: 'lost', key: this.ref.key, reason: 'tick_size_changed' }];
  }

  /** A trade of this token changes no level; the book follows. The same one comes twice at times. */
  trade(trade: WireLastTrade): FeedInput[] {
    const { price, size, side, timestamp, transaction_hash } = trade;
    if (!this.#trades.add([price, size, side, timestamp, transaction_hash ?? ''].join(' '))) return [];
    const { key, marketId, index, label } = this.ref;
    const facts = { timeMs: Math.max(timestamp, this.#timeMs), lastPrice: price };
    const said = { price, size, side, timestamp: new Date(timestamp), transaction_hash };
    return [
      { type: 'sizes', key, changes: [], facts },
      { type: 'trade', key, trade: toFeedTrade(said, marketId, { id: key, index, label }) },
    ];
  }

  #begin(timeMs: number): void {
    this.#timeMs = timeMs;
    this.#heard.clear();
  }

  #isNew({ side, price, size, hash }: Entry): boolean {
    const text = `${side} ${price} ${size} ${hash ?? ''}`;
    if (this.#heard.has(text)) return false;
    this.#heard.add(text);
    return true;
  }

  /** The exchange states the last price of outcome 0 in the books of both. */
  #own(lastPrice: Decimal): Decimal {
    return this.ref.index === 1 ? complement(lastPrice) : lastPrice;
  }
}

/** An empty side shows as 0 or 1, or as nothing. */
function bestOf({ best_bid: bid, best_ask: ask }: Entry): BestPrices {
  return {
    bid: bid !== null && compare(bid, '0') > 0 ? bid : null,
    ask: ask !== null && compare(ask, '1') < 0 ? ask : null,
  };
}
