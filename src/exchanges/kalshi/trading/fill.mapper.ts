import type { FillDto } from '../../unified.trading.dto.js';
import { outcomeIndexOf, outcomeOf } from '../market-data/outcomes.js';
import { KALSHI } from '../kalshi.ids.js';
import type { WireFill } from './account.wire.js';

/** A fill as *buy of the outcome exposed*, as orders are (unified-schema.md 8). */
export function toFill(fill: WireFill): FillDto {
  const index = outcomeIndexOf(fill.outcome_side);
  return {
    exchange: KALSHI,
    id: fill.fill_id,
    order_id: fill.order_id,
    market_id: fill.ticker,
    outcome: outcomeOf(fill.ticker, index),
    side: 'buy',
    price: index === 0 ? fill.yes_price_dollars : fill.no_price_dollars,
    size: fill.count_fp,
    fee: fill.fee_cost,
    role: fill.is_taker ? 'taker' : 'maker',
    status: 'confirmed',
    timestamp: fill.at,
    transaction_hash: null,
  };
}
