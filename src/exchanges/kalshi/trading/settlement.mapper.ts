import { absolute, add, compare, type Decimal, isPositive, scaleDown, subtract } from '../../decimal.js';
import type { SettlementDto } from '../../unified.trading.dto.js';
import { KALSHI } from '../kalshi.ids.js';
import { outcomeOf } from '../market-data/outcomes.js';
import type { WireSettlement } from './account.wire.js';

/** Whether anything was held when the market ended: markets that were traded and left are settled too. */
export function wasHeld({ yes_count_fp: yes, no_count_fp: no }: WireSettlement): boolean {
  return isPositive(yes) || isPositive(no);
}

/**
 * A settlement (unified-schema.md 8). Pairs of YES and NO pay exactly a dollar whatever comes true: they are taken out of size, cost and
 * payout alike.
 */
export function toSettlement(settlement: WireSettlement): SettlementDto {
  const { ticker, yes_count_fp: yes, no_count_fp: no } = settlement;
  const held = compare(yes, no) >= 0 ? 0 : 1;
  const pairs = held === 0 ? no : yes;
  const size = absolute(subtract(yes, no));
  const cost = subtract(add(settlement.yes_total_cost_dollars, settlement.no_total_cost_dollars), pairs);
  const payout = isPositive(pairs)
    ? unpairedPayout(settlement, { held, size })
    : scaleDown(String(settlement.revenue), 2);
  return {
    exchange: KALSHI,
    market_id: ticker,
    title: null,
    outcome: outcomeOf(ticker, held),
    size,
    cost,
    payout,
    fees: settlement.fee_cost,
    realized_pnl: payout === null ? null : subtract(payout, cost),
    settled_at: settlement.settled_time,
  };
}

/** Whether `revenue` has the pairs in it is not said, so it tells nothing here. */
function unpairedPayout(
  { market_result: result }: WireSettlement,
  { held, size }: { held: 0 | 1; size: Decimal },
): Decimal | null {
  if (result !== 'yes' && result !== 'no') return null;
  return (result === 'yes') === (held === 0) ? size : '0';
}
