import { multiply } from '../../decimal.js';
import type { TradeDto } from '../../unified.market-data.dto.js';
import { KALSHI } from '../kalshi.ids.js';
import { outcomeIndexOf, outcomeOf } from './outcomes.js';
import type { WireTrade } from './order-book.wire.js';

/** A trade in the unified shape (unified-schema.md 5): a taker always buys the outcome that is named. */
export function toTrade(trade: WireTrade): TradeDto {
  const index = outcomeIndexOf(trade.taker_outcome_side);
  const price = index === 0 ? trade.yes_price_dollars : trade.no_price_dollars;
  return {
    exchange: KALSHI,
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
