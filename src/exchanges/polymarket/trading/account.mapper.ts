import { add, type Decimal, multiply, scaleDown, subtract } from '../../decimal.js';
import type { BalanceDto, OrderStatus } from '../../unified.trading.dto.js';
import { CURRENCY, CURRENCY_DECIMALS, POLYMARKET } from '../polymarket.ids.js';
import { stateOf } from './order.mapper.js';
import type { WireOrder } from './order.wire.js';

/** Only an order that may still trade holds money back. */
const HOLDING: ReadonlySet<OrderStatus> = new Set(['open', 'partially_filled', 'pending']);

/** The exchange's balance is gross, in millionths; null stands for open orders or a value that could not be read. */
export function toBalance(
  balance: string,
  orders: readonly WireOrder[] | null,
  portfolioValue: Decimal | null,
): BalanceDto {
  return {
    exchange: POLYMARKET,
    currency: CURRENCY,
    available: scaleDown(balance, CURRENCY_DECIMALS),
    reserved: orders === null ? null : reservedBy(orders),
    total: null,
    portfolio_value: portfolioValue,
    breakdown: [],
    updated_at: null,
  };
}

/** The money that open orders hold back. */
export function reservedBy(orders: readonly WireOrder[]): Decimal {
  return orders
    .filter((order) => order.side === 'BUY' && HOLDING.has(stateOf(order).status))
    .map(({ original_size: size, size_matched: filled, price }) => multiply(subtract(size, filled), price))
    .reduce(add, '0');
}

/** The shares of an outcome that open orders hold back. */
export function onSale(orders: readonly WireOrder[], tokenId: string): Decimal {
  return orders
    .filter((order) => order.side === 'SELL' && order.asset_id === tokenId && HOLDING.has(stateOf(order).status))
    .map(({ original_size: size, size_matched: filled }) => subtract(size, filled))
    .reduce(add, '0');
}
