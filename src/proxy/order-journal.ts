import { Injectable, Logger } from '@nestjs/common';
import type { ApiKeyPrincipal } from '../access/principal.js';
import { ActivityService } from '../activity/activity.service.js';
import type { OrderDto } from '../exchanges/unified.trading.dto.js';
import { AppError } from '../platform/errors/app-error.js';
import type { Placement } from './order-placement.service.js';

/** Orders in their owner's activity, each with its outcome (DESIGN 4). An order is never failed for its note's sake. */
@Injectable()
export class OrderJournal {
  private readonly logger = new Logger('OrderJournal');

  constructor(private readonly activity: ActivityService) {}

  /** Notes an order that was made now, or one whose fate is unknown; a replay was noted the first time. */
  async ofCreation(caller: ApiKeyPrincipal, exchange: string, place: () => Promise<Placement>): Promise<Placement> {
    try {
      const placement = await place();
      if (!placement.replayed) await this.#noteCreated(caller, exchange, placement.order);
      return placement;
    } catch (error) {
      if (error instanceof AppError && error.code === 'order_outcome_unknown') {
        const { client_order_id = null, order_id = null } = error.details ?? {};
        await this.#note(caller, 'order_created', exchange, { outcome: 'unknown', order_id, client_order_id });
      }
      throw error;
    }
  }

  async noteCancelled(caller: ApiKeyPrincipal, exchange: string, orderIds: readonly string[]): Promise<void> {
    for (const order_id of orderIds) await this.#note(caller, 'order_cancelled', exchange, { order_id });
  }

  #noteCreated(caller: ApiKeyPrincipal, exchange: string, order: OrderDto): Promise<void> {
    return this.#note(caller, 'order_created', exchange, {
      outcome: order.status,
      order_id: order.id,
      client_order_id: order.client_order_id,
      market_id: order.market_id,
      outcome_index: order.outcome.index,
      side: order.side,
      price: order.price,
      size: order.size,
    });
  }

  async #note(
    { userId, keyPrefix }: ApiKeyPrincipal,
    type: 'order_created' | 'order_cancelled',
    exchange: string,
    details: Readonly<Record<string, string | number | null>>,
  ): Promise<void> {
    try {
      await this.activity.record({ type, userId, keyPrefix, exchange, details });
    } catch (error) {
      this.logger.error({ err: error, message: 'an order could not be noted in the activity' });
    }
  }
}
