import { Injectable } from '@nestjs/common';
import type { BotMarket, BotOfKey } from '../../access/principal.js';
import type { Exchange } from '../../exchanges/exchange.js';
import type { AskedOrder } from '../../exchanges/orders.contract.js';
import type { LimitFacts } from '../placing/placement.js';
import { OrderProofs } from './order-proofs.js';
import { NO_PRICE, ReferencePrices } from './reference-prices.js';

/** What the limits of bots need to know of an order and of its market (contract.md 5.12). */
@Injectable()
export class BotLimits {
  constructor(
    private readonly prices: ReferencePrices,
    private readonly proofs: OrderProofs,
  ) {}

  /** What the limits look at beside the order; `allowedBy` is what `allowedMarket` has found. */
  async factsOf(
    bot: BotOfKey,
    exchange: Exchange,
    asked: AskedOrder,
    allowedBy: BotMarket | null,
  ): Promise<LimitFacts> {
    const { expires_at, most_size } = asked;
    const { distance, bookAt } = bot.hasPriceLimit ? await this.prices.distanceOf(bot.id, exchange, asked) : NO_PRICE;
    const price = { price_distance: distance, book_at: bookAt?.toISOString() ?? null };
    return { allowed_by: allowedBy, ...price, expires_at, most_size };
  }

  /** Looks what became of the orders of the user's bots at an exchange, so that room comes back that is proved. */
  findRoom(userId: string, exchange: string): Promise<void> {
    return this.proofs.read(userId, exchange);
  }
}

/** When an order of a bot must end by itself: so long after its record was made; null where it need not. */
export function endOf(bot: BotOfKey | null, createdAt: Date): Date | null {
  const seconds = bot?.orderSeconds ?? null;
  return seconds === null ? null : new Date(createdAt.getTime() + seconds * 1_000);
}
