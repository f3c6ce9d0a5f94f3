import { add, type Decimal, scaleDown } from '../../decimal.js';
import { isoTime } from '../../time.js';
import type { BalanceDto } from '../../unified.trading.dto.js';
import { CURRENCY, KALSHI } from '../kalshi.ids.js';
import type { WireBalance, WireReserved } from './account.wire.js';

/** What the balance itself does not say: what orders hold back (null where it could not be read) and the names of shards. */
export interface BalanceContext {
  readonly reserved: WireReserved | null;
  readonly names: ReadonlyMap<number, string>;
}

/** Money in the unified shape (unified-schema.md 8). */
export function toBalance(balance: WireBalance, { reserved, names }: BalanceContext): BalanceDto {
  const { portfolio_value: cents, updated_ts: seconds } = balance;
  return {
    exchange: KALSHI,
    currency: CURRENCY,
    available: balance.balance_dollars,
    reserved: totalOf(reserved),
    total: null,
    portfolio_value: typeof cents === 'number' ? scaleDown(String(cents), 2) : null,
    breakdown: balance.balance_breakdown.map(({ exchange_index: shard, balance: available }) => ({
      key: String(shard),
      label: names.get(shard) ?? `Shard ${shard}`,
      available,
      reserved: reservedOn(shard, reserved),
    })),
    updated_at: typeof seconds === 'number' ? isoTime(seconds * 1_000) : null,
  };
}

/** The exact sum where there are parts; a key of one subaccount may have the whole cents alone. */
function totalOf(reserved: WireReserved | null): Decimal | null {
  const { resting_order_value_breakdown: parts = null, total_resting_order_value: cents = null } = reserved ?? {};
  if (parts !== null) return parts.reduce((sum, part) => add(sum, part.balance), '0');
  return cents === null ? null : scaleDown(String(cents), 2);
}

/** A shard that a readable list leaves out has no resting orders. */
function reservedOn(shard: number, reserved: WireReserved | null): Decimal | null {
  const parts = reserved?.resting_order_value_breakdown ?? null;
  if (parts === null) return null;
  return parts.find(({ exchange_index: index }) => index === shard)?.balance ?? '0';
}
