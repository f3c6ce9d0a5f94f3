import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import { OrdersService } from '../../proxy/orders/orders.service.js';
import { cursor, list, object } from '../answers/fields.js';
import { ORDER } from '../answers/shapes.js';
import { CURSOR, EXCHANGE, MARKET_ID, pageSize } from '../inputs.js';
import { pageOf } from '../pages.js';
import type { BotCaller, Tool } from '../tool.js';

const INPUT = z.object({
  exchange: EXCHANGE,
  status: z
    .enum(['open', 'closed'])
    .default('open')
    .describe('Open ones, or closed ones where the exchange keeps them.'),
  market_id: MARKET_ID.optional(),
  limit: pageSize(20, 50),
  cursor: CURSOR,
});

/** The bot's own orders. */
@Injectable()
export class ListOrdersTool implements Tool<typeof INPUT> {
  readonly name = 'list_orders';
  readonly scope = 'trade';
  readonly effect = 'none';
  readonly isForOwnOrders = true;
  readonly description =
    'Lists orders that this bot sent, never those of its owner or of other bots. Costs one request and no money; look here before you ' +
    'send an order again.';
  readonly input = INPUT;
  readonly output = object({ data: list(ORDER, 'Newest first.'), next_cursor: cursor() });

  constructor(
    private readonly orders: OrdersService,
    private readonly registry: ExchangeRegistry,
  ) {}

  run(caller: BotCaller, { exchange, ...args }: z.output<typeof INPUT>): Promise<object> {
    return this.orders.list(caller, this.registry.get(exchange), pageOf(args));
  }
}
