import { isoTime } from '../../time.js';
import type { PositionDto } from '../../unified.trading.dto.js';
import { CURRENCY, POLYMARKET } from '../polymarket.ids.js';
import { isCombo, positionOf, wideId } from '../position-ids.js';
import type { WirePosition } from './account.wire.js';

/** Whether a position belongs into the list: it is not empty, and no combination of markets (polymarket.md 6.2). */
export function isListed({
  current_size: size,
  token_id: id,
  condition_id: condition,
  ...named
}: WirePosition): boolean {
  if (size === '0') return false;
  if (isCombo(wideId(condition)) || isCombo(positionOf(id)?.conditionId ?? '')) return false;
  return wideId(condition) === condition.toLowerCase() || named.slug !== null || named.outcome !== null;
}

function statusOf({ status, redeemable }: WirePosition): PositionDto['status'] {
  if (redeemable === true || status === 'REDEEMABLE') return 'redeemable';
  return status === 'CLOSED' ? 'settled' : 'open';
}

/** A position (unified-schema.md 8). Settled ones stay `redeemable` until they are redeemed on chain, lost ones too. */
export function toPosition(position: WirePosition): PositionDto {
  return {
    exchange: POLYMARKET,
    market_id: wideId(position.condition_id),
    event_id: position.event_id,
    outcome: { id: position.token_id, index: position.outcome_index, label: position.outcome },
    size: position.current_size,
    average_price: position.avg_price,
    cost_basis: position.entry_cost_usdc,
    current_price: position.current_price,
    market_value: position.current_value,
    unrealized_pnl: position.unrealized_pnl,
    realized_pnl: position.realized_pnl,
    fees_paid: position.entry_fees_usdc,
    currency: CURRENCY,
    status: statusOf(position),
    title: position.title,
    updated_at: position.last_event_at === null ? null : isoTime(position.last_event_at),
  };
}
