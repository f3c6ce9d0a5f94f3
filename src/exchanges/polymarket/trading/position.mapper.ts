import type { PositionDto } from '../../unified.trading.dto.js';
import { CURRENCY, POLYMARKET } from '../polymarket.ids.js';
import type { WirePosition } from './account.wire.js';

/** A position (unified-schema.md 8). Settled winners stay `redeemable` until they are redeemed on chain. */
export function toPosition(position: WirePosition): PositionDto {
  return {
    exchange: POLYMARKET,
    market_id: position.conditionId,
    event_id: position.eventId,
    outcome: { id: position.asset, index: position.outcomeIndex, label: position.outcome },
    size: position.size,
    average_price: position.avgPrice,
    cost_basis: position.initialValue,
    current_price: position.curPrice,
    market_value: position.currentValue,
    unrealized_pnl: position.cashPnl,
    realized_pnl: position.realizedPnl,
    fees_paid: position.entryFeesUsdc,
    currency: CURRENCY,
    status: position.redeemable === true ? 'redeemable' : 'open',
    title: position.title,
    updated_at: null,
  };
}
