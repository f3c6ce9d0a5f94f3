import type { SettlementDto, TradedOutcomeDto } from '../../exchanges/unified.trading.dto.js';
import type { Column } from './csv.js';
import type { ReadFillDto } from './holdings.dto.js';

function indexOf(outcome: TradedOutcomeDto | null): string | null {
  return outcome?.index === undefined || outcome.index === null ? null : String(outcome.index);
}

/** `GET /{exchange}/fills.csv`, in this order (contract.md 5.17). */
export const FILL_COLUMNS: readonly Column<ReadFillDto>[] = [
  { name: 'exchange', of: ({ exchange }) => exchange },
  { name: 'id', of: ({ id }) => id, isText: true },
  { name: 'order_id', of: ({ order_id: id }) => id, isText: true },
  { name: 'bot_id', of: ({ bot_id: id }) => id },
  { name: 'market_id', of: ({ market_id: id }) => id, isText: true },
  { name: 'outcome_index', of: ({ outcome }) => indexOf(outcome) },
  { name: 'outcome_id', of: ({ outcome }) => outcome.id, isText: true },
  { name: 'outcome_label', of: ({ outcome }) => outcome.label, isText: true },
  { name: 'side', of: ({ side }) => side },
  { name: 'price', of: ({ price }) => price },
  { name: 'size', of: ({ size }) => size },
  { name: 'fee', of: ({ fee }) => fee },
  { name: 'role', of: ({ role }) => role },
  { name: 'status', of: ({ status }) => status },
  { name: 'timestamp', of: ({ timestamp }) => timestamp },
  { name: 'transaction_hash', of: ({ transaction_hash: hash }) => hash, isText: true },
];

/** `GET /{exchange}/settlements.csv`, in this order (contract.md 5.17). */
export const SETTLEMENT_COLUMNS: readonly Column<SettlementDto>[] = [
  { name: 'exchange', of: ({ exchange }) => exchange },
  { name: 'market_id', of: ({ market_id: id }) => id, isText: true },
  { name: 'title', of: ({ title }) => title, isText: true },
  { name: 'outcome_index', of: ({ outcome }) => indexOf(outcome) },
  { name: 'outcome_id', of: ({ outcome }) => outcome?.id ?? null, isText: true },
  { name: 'outcome_label', of: ({ outcome }) => outcome?.label ?? null, isText: true },
  { name: 'size', of: ({ size }) => size },
  { name: 'cost', of: ({ cost }) => cost },
  { name: 'payout', of: ({ payout }) => payout },
  { name: 'fees', of: ({ fees }) => fees },
  { name: 'realized_pnl', of: ({ realized_pnl: pnl }) => pnl },
  { name: 'settled_at', of: ({ settled_at: at }) => at },
];
