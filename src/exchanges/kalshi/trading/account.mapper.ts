import { absolute, divide, scaleDown } from '../../decimal.js';
import { isoTime } from '../../time.js';
import type { BalanceDto, FillDto, PositionDto } from '../../unified.trading.dto.js';
import { outcomeIndexOf, outcomeOf } from '../market-data/outcomes.js';
import type { WireBalance, WireFill, WirePosition } from './account.wire.js';

/** Money in the unified shape (unified.md 8). */
export function toBalance(balance: WireBalance): BalanceDto {
  const { portfolio_value: cents, updated_ts: seconds } = balance;
  return {
    exchange: 'kalshi',
    currency: 'USD',
    available: balance.balance_dollars,
    reserved: null,
    total: null,
    portfolio_value: typeof cents === 'number' ? scaleDown(String(cents), 2) : null,
    breakdown: balance.balance_breakdown.map((part) => ({ key: String(part.exchange_index), available: part.balance })),
    updated_at: typeof seconds === 'number' ? isoTime(seconds * 1_000) : null,
  };
}

/** A fill as *buy of the outcome exposed*, as orders are (unified.md 8). */
export function toFill(fill: WireFill): FillDto {
  const index = outcomeIndexOf(fill.outcome_side);
  return {
    exchange: 'kalshi',
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

/** A position that is not empty (unified.md 8); its exposure is what it cost. */
export function toPosition(position: WirePosition): PositionDto {
  const size = absolute(position.position_fp);
  return {
    exchange: 'kalshi',
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
    currency: 'USD',
    status: 'open',
    title: null,
    updated_at: position.last_updated_ts,
  };
}
