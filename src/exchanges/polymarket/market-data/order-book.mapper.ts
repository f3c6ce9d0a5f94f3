import { compare, complement, isPositive } from '../../decimal.js';
import type { LevelDto, OrderBookDto, OutcomeRefDto } from '../../unified.market-data.dto.js';
import { POLYMARKET } from '../polymarket.ids.js';
import type { WireOrderBook } from './order-book.wire.js';

/** Whose book it is and how many levels of each side are wanted (all where left out). */
export interface BookView {
  readonly marketId: string;
  readonly outcome: OutcomeRefDto;
  readonly depth?: number | undefined;
}

/** Documents and the live exchange disagree on the order of the levels, so it is not relied on (polymarket.md 5). */
function bestFirst(levels: WireOrderBook['bids'], direction: 1 | -1, depth: number | undefined): LevelDto[] {
  return levels
    .filter(({ size }) => isPositive(size))
    .sort((one, other) => direction * compare(one.price, other.price))
    .slice(0, depth);
}

/** The book of one token (unified-schema.md 4); the exchange states the last price of outcome 0 in the books of both. */
export function toOrderBook(book: WireOrderBook, { marketId, outcome, depth }: BookView): OrderBookDto {
  const last = book.last_trade_price;
  return {
    exchange: POLYMARKET,
    market_id: marketId,
    outcome,
    bids: bestFirst(book.bids, -1, depth),
    asks: bestFirst(book.asks, 1, depth),
    hash: book.hash,
    tick_size: book.tick_size,
    min_order_size: book.min_order_size,
    last_price: last !== null && outcome.index === 1 ? complement(last) : last,
  };
}
