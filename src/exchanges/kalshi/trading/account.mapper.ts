import { scaleDown } from '../../decimal.js';
import { isoTime } from '../../time.js';
import type { BalanceDto } from '../../unified.trading.dto.js';
import { CURRENCY, KALSHI } from '../kalshi.ids.js';
import type { WireBalance } from './account.wire.js';

/** Money in the unified shape (unified-schema.md 8). */
export function toBalance(balance: WireBalance): BalanceDto {
  const { portfolio_value: cents, updated_ts: seconds } = balance;
  return {
    exchange: KALSHI,
    currency: CURRENCY,
    available: balance.balance_dollars,
    reserved: null,
    total: null,
    portfolio_value: typeof cents === 'number' ? scaleDown(String(cents), 2) : null,
    breakdown: balance.balance_breakdown.map(({ exchange_index: shard, balance: available }) => ({
      key: String(shard),
      label: `Shard ${shard}`,
      available,
      reserved: null,
    })),
    updated_at: typeof seconds === 'number' ? isoTime(seconds * 1_000) : null,
  };
}
