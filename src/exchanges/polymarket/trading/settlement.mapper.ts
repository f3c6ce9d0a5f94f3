import { compare, type Decimal, multiply, subtract } from '../../decimal.js';
import { isoTime } from '../../time.js';
import type { SettlementDto } from '../../unified.trading.dto.js';
import { POLYMARKET } from '../polymarket.ids.js';
import { wideId } from '../position-ids.js';
import type { WireClosedPosition, WireRedemption } from './account.wire.js';

/**
 * A redemption (unified-schema.md 8). It names no token: it is of the closed position of its market whose shares were worth what it
 * paid, where that is one; else outcome and cost are unknown.
 */
export function toSettlement(redemption: WireRedemption, closed: readonly WireClosedPosition[]): SettlementDto {
  const { condition_id, size, usdc_size: payout, title, timestamp } = redemption;
  const market_id = wideId(condition_id);
  const [of, ...others] = closed.filter(
    (position) => wideId(position.condition_id) === market_id && isWorth(position, { size, payout }),
  );
  const held = others.length === 0 ? of : undefined;
  const average = held?.avg_price ?? null;
  const cost = average === null ? null : multiply(average, size);
  return {
    exchange: POLYMARKET,
    market_id,
    title,
    outcome: held === undefined ? null : { id: held.token_id, index: held.outcome_index, label: held.outcome },
    size,
    cost,
    payout,
    fees: null,
    realized_pnl: payout === null || cost === null ? null : subtract(payout, cost),
    settled_at: isoTime(timestamp) ?? timestamp.toISOString(),
  };
}

/** A cent for what the exchange's figures are rounded to. */
const ROUNDING = '0.01';

function isWorth(
  { current_price: price }: WireClosedPosition,
  paid: { size: Decimal; payout: Decimal | null },
): boolean {
  if (price === null || paid.payout === null) return false;
  const difference = subtract(multiply(price, paid.size), paid.payout);
  return compare(difference, ROUNDING) < 0 && compare(difference, `-${ROUNDING}`) > 0;
}
