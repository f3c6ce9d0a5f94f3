import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import { badField } from '../../platform/errors/app-error.js';
import { OrdersService } from '../../proxy/orders/orders.service.js';
import { EXCHANGE, ORDER_ID } from '../inputs.js';
import { PreviewFates } from '../previews/preview-fates.js';
import { FATE, PREVIEW_ID, told } from '../previews/preview-shapes.js';
import type { BotCaller, Tool } from '../tool.js';

const INPUT = z.object({
  preview_id: PREVIEW_ID.optional(),
  exchange: EXCHANGE.optional(),
  order_id: ORDER_ID.optional(),
});

/** One order, or what became of a preview. */
@Injectable()
export class GetOrderTool implements Tool<typeof INPUT> {
  readonly name = 'get_order';
  readonly scope = 'trade';
  readonly effect = 'none';
  readonly isForOwnOrders = true;
  readonly description =
    'Says by preview_id what became of a preview, or by exchange and order_id how one of your orders stands. Costs one request, sends no ' +
    'order and changes nothing.';
  readonly input = INPUT;
  readonly output = FATE;

  constructor(
    private readonly fates: PreviewFates,
    private readonly orders: OrdersService,
    private readonly registry: ExchangeRegistry,
  ) {}

  async run(caller: BotCaller, asked: z.output<typeof INPUT>): Promise<object> {
    const { preview_id: previewId, exchange, order_id: orderId } = asked;
    if (previewId !== undefined && exchange === undefined && orderId === undefined)
      return told(await this.fates.get(caller, previewId));
    if (previewId !== undefined || exchange === undefined || orderId === undefined)
      throw badField('preview_id', 'must be given alone, or exchange and order_id in its place');
    return { order: await this.orders.get(caller, this.registry.get(exchange), orderId) };
  }
}
