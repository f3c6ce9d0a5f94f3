import { add, compare, complement, multiply } from '../../../../src/exchanges/decimal.js';
import { type Bot, type BotLimits, isLiving } from '../../api/bots.js';
import type { Market } from '../../api/client.js';
import type { OrderPreview } from '../../api/previews.js';

type Order = NonNullable<OrderPreview['order']>;

/** What an order can lose by its own price and size (contract.md 5.12); of one that spends a sum, the sum. Exact. */
function riskOf({ side, price, size, money }: Order): string {
  if (side === 'buy') return money ?? multiply(price, size);
  return multiply(complement(price), size);
}

/** A limit of a bot, and what of it is used without and with the order. */
export interface Room {
  readonly limit: keyof BotLimits;
  readonly allowed: string;
  readonly used: string;
  readonly asked: string;
  readonly unit: string | null;
  readonly fits: boolean;
}

/** Limits that cannot be reckoned here: they depend on what the bot holds, or on the moment of the order. */
export const UNRECKONED = [
  'max_position',
  'max_price_distance',
  'max_order_seconds',
  'max_requests_per_minute',
] as const satisfies readonly (keyof BotLimits)[];

/** Those limits of the bot that can be reckoned from what is known of it, in the order in which the service looks. */
export function roomsOf({ limits, usage }: Bot, order: Order): Room[] {
  const risk = riskOf(order);
  const { currency } = order;
  const used = (sums: Readonly<Record<string, string>>): string => sums[currency] ?? '0';
  const all = [
    { limit: 'max_order_risk', used: '0', asked: risk, unit: currency },
    { limit: 'max_open_risk', used: used(usage.open_risk), asked: risk, unit: currency },
    { limit: 'max_daily_risk', used: used(usage.daily_risk), asked: risk, unit: currency },
    { limit: 'max_total_risk', used: used(usage.total_risk), asked: risk, unit: currency },
    { limit: 'max_open_orders', used: String(usage.open_orders), asked: '1', unit: null },
    { limit: 'max_orders_per_minute', used: String(usage.orders_last_minute), asked: '1', unit: null },
  ] as const;
  return all.flatMap((one) => {
    const allowed = limits[one.limit];
    if (allowed === null) return [];
    return [{ ...one, allowed: String(allowed), fits: compare(add(one.used, one.asked), String(allowed)) <= 0 }];
  });
}

/** Bots that may be asked about. */
export function tradingBots(bots: readonly Bot[]): Bot[] {
  return bots.filter((bot) => isLiving(bot) && bot.scopes.includes('trade'));
}

/** Why the bot could send no order of this market at all; null where nothing is in its way. */
export function whyNot(bot: Bot, market: Market): string | null {
  if (bot.state === 'halted') return 'It is halted, and sends no order until you resume it.';
  if (bot.state === 'expired') return 'Its end has come.';
  if (bot.exchanges !== null && !bot.exchanges.some((id) => id === market.exchange)) {
    return 'It may not trade at this exchange.';
  }
  const own = bot.markets?.filter(({ exchange }) => exchange === market.exchange) ?? [];
  const isNamed = own.some((named) => Object.entries(named).every(([name, id]) => isNamedBy(name, id, market)));
  return bot.markets === null || isNamed ? null : 'This market is none of those that it may trade in.';
}

function isNamedBy(name: string, id: unknown, market: Market): boolean {
  const own: Readonly<Record<string, unknown>> = { ...market, market_id: market.id };
  return id === undefined || id === null || own[name] === id;
}
