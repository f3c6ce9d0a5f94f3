import { absolute, divide } from '../../decimal.js';
import type { PositionDto } from '../../unified.trading.dto.js';
import { outcomeOf } from '../market-data/outcomes.js';
import { CURRENCY, KALSHI } from '../kalshi.ids.js';
import type { WirePosition } from './account.wire.js';

/** A position that is not empty (unified-schema.md 8); its exposure is what it cost. */
export function toPosition(position: WirePosition): PositionDto {
  const size = absolute(position.position_fp);
  return {
    exchange: KALSHI,
    market_id: position.ticker,
    event_id: null,
    outcome: outcomeOf(position.ticker, position.position_fp.startsWith('-') ? 1 : 0),
    size,
    average_price: divide(position.market_exposure_dollars, size),
    cost_basis: position.market_exposure_dollars,
    current_price: null,
    market_value: null,
    unrealized_pnl: null,
    realized_pnl: position.realized_pnl_dollars,
    fees_paid: position.fees_paid_dollars,
    currency: CURRENCY,
    status: 'open',
    title: null,
    updated_at: position.last_updated_ts,
  };
}
