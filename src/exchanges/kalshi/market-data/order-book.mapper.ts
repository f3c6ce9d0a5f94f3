import { compare, complement, multiply } from '../../decimal.js';
import type { LevelDto, OrderBookDto, TradeDto } from '../../unified.market-data.dto.js';
import { type OutcomeIndex, outcomeIndexOf, outcomeOf } from './outcomes.js';
import type { WireOrderBook, WireTrade } from './order-book.wire.js';

/** Whose book it is and how many levels of each side are wanted (all where left out). */
export interface BookView {
  readonly ticker: string;
  readonly index: OutcomeIndex;
  readonly depth?: number | undefined;
}

/**
 * The book of one outcome, best first on both sides (unified.md 4). Kalshi gives bids alone: a bid on the other outcome at
 * `p` is an ask here at `1 - p`.
 */
export function toOrderBook({ ticker, index, depth }: BookView, { orderbook_fp: book }: WireOrderBook): OrderBookDto {
  const [own, other] = index === 0 ? [book.yes_dollars, book.no_dollars] : [book.no_dollars, book.yes_dollars];
  return {
    exchange: 'kalshi',
    market_id: ticker,
    outcome: outcomeOf(ticker, index),
    bids: bestFirst(own, depth),
    asks: bestFirst(other, depth).map(({ price, size }) => ({ price: complement(price), size })),
    hash: null,
    tick_size: null,
    min_order_size: '0.01',
    last_price: null,
  };
}

/** Sorted here rather than reversed: the documents contradict each other on the order (kalshi.md 4). */
function bestFirst(bids: WireOrderBook['orderbook_fp']['yes_dollars'], depth: number | undefined): LevelDto[] {
  const levels = bids.map(([price, size]) => ({ price, size })).filter(({ size }) => compare(size, '0') > 0);
  return levels.sort((a, b) => compare(b.price, a.price)).slice(0, depth);
}

/** A trade in the unified shape (unified.md 5): a taker always buys the outcome that is named. */
export function toTrade(trade: WireTrade): TradeDto {
  const index = outcomeIndexOf(trade.taker_outcome_side);
  const price = index === 0 ? trade.yes_price_dollars : trade.no_price_dollars;
  return {
    exchange: 'kalshi',
    id: trade.trade_id,
    market_id: trade.ticker,
    outcome: outcomeOf(trade.ticker, index),
    side: 'buy',
    price,
    size: trade.count_fp,
    notional: multiply(price, trade.count_fp),
    timestamp: trade.created_time,
    taker_side: 'buy',
    is_block_trade: trade.is_block_trade ?? null,
    transaction_hash: null,
  };
}
