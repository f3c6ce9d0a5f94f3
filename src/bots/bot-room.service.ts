import { Injectable } from '@nestjs/common';
import type { ApiKeyPrincipal, BotOfKey } from '../access/principal.js';
import { compare, subtract } from '../exchanges/decimal.js';
import { ExchangeRegistry } from '../exchanges/exchange.registry.js';
import { BotOrdersService } from '../proxy/orders/bot-orders.service.js';
import { BotReads } from './bot-reads.js';

type Amounts = Readonly<Record<string, string>>;

/** What a bot has left of its limits; null is no limit. Money by currency. */
export interface BotRoom {
  readonly state: string;
  /** Of any one order. */
  readonly order_risk: string | null;
  readonly open_risk: Amounts | null;
  readonly daily_risk: Amounts | null;
  readonly total_risk: Amounts | null;
  readonly open_orders: number | null;
  readonly orders_this_minute: number | null;
}

/** Says what a bot may still do (contract.md 5.12). */
@Injectable()
export class BotRoomService {
  constructor(
    private readonly reads: BotReads,
    private readonly orders: BotOrdersService,
    private readonly exchanges: ExchangeRegistry,
  ) {}

  /** Throws `not_found`. */
  async of({ userId }: ApiKeyPrincipal, { id, exchanges }: BotOfKey): Promise<BotRoom> {
    const [{ limits, state }, usages] = await Promise.all([this.reads.find(userId, id), this.orders.usageOf([id])]);
    const usage = usages.get(id);
    const own = this.exchanges.all.filter((exchange) => exchanges?.includes(exchange.id) ?? true);
    const currencies = [...new Set(own.map(({ money }) => money.currency))];
    const left = (most: string | undefined, used: Amounts = {}): Amounts | null => {
      if (most === undefined) return null;
      return Object.fromEntries(currencies.map((currency) => [currency, leftOf(most, used[currency] ?? '0')]));
    };
    return {
      state,
      order_risk: limits.max_order_risk ?? null,
      open_risk: left(limits.max_open_risk, usage?.open_risk),
      daily_risk: left(limits.max_daily_risk, usage?.daily_risk),
      total_risk: left(limits.max_total_risk, usage?.total_risk),
      open_orders: countLeft(limits.max_open_orders, usage?.open_orders),
      orders_this_minute: countLeft(limits.max_orders_per_minute, usage?.orders_last_minute),
    };
  }
}

function leftOf(most: string, used: string): string {
  return compare(most, used) > 0 ? subtract(most, used) : '0';
}

function countLeft(most: number | undefined, used = 0): number | null {
  return most === undefined ? null : Math.max(0, most - used);
}
