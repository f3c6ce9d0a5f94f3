import type { FeedTrade } from '../exchanges/feeds.contract.js';
import type { TradeDto } from '../exchanges/unified.market-data.dto.js';

interface Count {
  /** How many of this name were told. */
  told: number;
  /** How many of these the feed has not said: it may still do so. */
  ahead: number;
}

/**
 * Which trades were told already. What the feed and the list of trades have in common names a trade: where neither has an id, several may
 * have the same name, and are counted.
 */
export class ToldTrades {
  readonly #counts = new Map<string, Count>();

  /** The newest so many names are kept. */
  constructor(private readonly most: number) {}

  /** The feed said a trade, which it never says twice unless under its id; returns whether that is new. */
  hear(trade: FeedTrade): boolean {
    const count = this.#of(nameOf(trade));
    if (count.told > 0 && hasOwnId(trade)) return false;
    if (count.ahead > 0) {
      count.ahead -= 1;
      return false;
    }
    count.told += 1;
    return true;
  }

  /** All trades of a time were read; returns those that are new. */
  read(trades: readonly TradeDto[]): TradeDto[] {
    const seen = new Map<string, number>();
    return trades.filter((trade) => {
      const name = nameOf(trade);
      const place = (seen.get(name) ?? 0) + 1;
      seen.set(name, place);
      const count = this.#of(name);
      if (place <= count.told) return false;
      count.told += 1;
      count.ahead += 1;
      return true;
    });
  }

  #of(name: string): Count {
    const known = this.#counts.get(name);
    if (known !== undefined) return known;
    const count = { told: 0, ahead: 0 };
    this.#counts.set(name, count);
    if (this.#counts.size > this.most) {
      const [oldest] = this.#counts.keys();
      if (oldest !== undefined) this.#counts.delete(oldest);
    }
    return count;
  }
}

/** An id of the exchange; of trades with a transaction the list makes one up that the feed cannot know (unified-schema.md 5). */
function hasOwnId({ id, transaction_hash: hash }: FeedTrade): boolean {
  return id !== null && hash === null;
}

function nameOf(trade: FeedTrade): string {
  if (hasOwnId(trade)) return String(trade.id);
  const { outcome, price, size, side, timestamp, transaction_hash: hash } = trade;
  return [outcome.index, price, size, side, hash ?? timestamp].join(' ');
}
