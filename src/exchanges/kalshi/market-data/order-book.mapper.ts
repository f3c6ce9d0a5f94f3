import { compare, complement, isPositive } from '../../decimal.js';
import type { OrderBookDto } from '../../unified.market-data.dto.js';
import { KALSHI } from '../kalshi.ids.js';
import { type OutcomeIndex, outcomeOf } from './outcomes.js';
import type { WireOrderBook } from './order-book.wire.js';

/** Whose book it is and how many levels of each side are wanted (all where left out). */
export interface BookView {
  readonly ticker: string;
  readonly index: OutcomeIndex;
  readonly depth?: number | undefined;
}

/**
 * The book of one outcome, best first on both sides (unified-schema.md 4). Kalshi gives bids alone: a bid on the other outcome at
 * `p` is an ask here at `1 - p`.
 */
export function toOrderBook({ ticker, index, depth }: BookView, { orderbook_fp: book }: WireOrderBook): OrderBookDto {
  const [own, other] = index === 0 ? [book.yes_dollars, book.no_dollars] : [book.no_dollars, book.yes_dollars];
  return {
    exchange: KALSHI,
    market_id: ticker,
    outcome: outcomeOf(ticker, index),
    bids: bestFirst(own, depth).map(([price, size]) => ({ price, size })),
    asks: bestFirst(other, depth).map(([price, size]) => ({ price: complement(price), size })),
    hash: null,
    tick_size: null,
    min_order_size: '0.01',
    last_price: null,
  };
}

type WireSide = WireOrderBook['orderbook_fp']['yes_dollars'];

/** Sorted here rather than reversed: the documents contradict each other on the order (kalshi.md 4). */
function bestFirst(bids: WireSide, depth: number | undefined): WireSide {
  const real = bids.filter(([, size]) => isPositive(size));
  return real.sort(([one], [other]) => compare(other, one)).slice(0, depth);
}
