import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BotsRepository } from '../../bots/bots.repository.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { Reservations } from '../../proxy/placing/reservations.repository.js';
import { differencesOf, judgeBot, judgeOrders } from './bot-judgements.js';
import { CredentialInspectionService } from './credential-inspection.service.js';
import { type Finding, ok, warn } from './finding.js';
import { type LedgerOrder, ReservedOrders } from './reserved-orders.repository.js';

/** Orders come and go while both sides are read: only what differs twice, so long apart in ms, is told. */
const AGAIN_AFTER_MS = 1_500;

/** Looks at the bots of a user, and at what is reserved for their orders beside what the exchange shows (contract.md 8.1). */
@Injectable()
export class BotInspectionService {
  constructor(
    private readonly bots: BotsRepository,
    private readonly reservations: Reservations,
    private readonly orders: ReservedOrders,
    private readonly credentials: CredentialInspectionService,
  ) {}

  /** One finding a living bot. */
  async inspectBots(userId: string): Promise<Finding[]> {
    const bots = await this.bots.listLiving({ userId, exchange: null });
    const usages = await this.reservations.usageOf(bots.map(({ id }) => id));
    return bots.flatMap((bot) => {
      const usage = usages.get(bot.id);
      return usage === undefined ? [] : [judgeBot(bot, usage)];
    });
  }

  /** Throws AppError where the exchange does not tell. */
  async inspectOrders(userId: string, exchange: Exchange): Promise<Finding> {
    const first = await this.#look(userId, exchange);
    if (first === null) return this.#unread(userId, exchange);
    if (first.differences.length === 0) return judgeOrders(first.known, []);
    await delay(AGAIN_AFTER_MS);
    const second = await this.#look(userId, exchange);
    const before = new Set(first.differences.map(({ order, kind }) => `${order.id} ${kind}`));
    const lasting = second?.differences.filter(({ order, kind }) => before.has(`${order.id} ${kind}`)) ?? [];
    return judgeOrders(second?.known ?? [], lasting);
  }

  /** Nobody can look what became of what is reserved. */
  async #unread(userId: string, exchange: Exchange): Promise<Finding> {
    const known = await this.orders.list(userId, exchange.id, { orderIds: [], clientOrderIds: [] });
    if (known.length === 0) return ok('Nothing is reserved there.');
    const message = `Something is reserved for orders of bots (${known.length}), and nothing that is stored can read them.`;
    return warn(message, 'Its owner stores credentials of the same account, or looks at the exchange.');
  }

  async #look(
    userId: string,
    exchange: Exchange,
  ): Promise<{ readonly known: LedgerOrder[]; readonly differences: ReturnType<typeof differencesOf> } | null> {
    const listed = await this.credentials.listOpenOrders(userId, exchange);
    if (listed === null) return null;
    const known = await this.orders.list(userId, exchange.id, {
      orderIds: listed.map(({ id }) => id),
      clientOrderIds: listed.flatMap(({ client_order_id: id }) => (id === null ? [] : [id])),
    });
    return { known, differences: differencesOf(listed, known) };
  }
}
