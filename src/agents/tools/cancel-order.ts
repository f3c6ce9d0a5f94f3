import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import { OrdersService } from '../../proxy/orders/orders.service.js';
import { decimal, id, object, time, word } from '../answers/fields.js';
import { EXCHANGE as EXCHANGE_FIELD } from '../answers/shapes.js';
import { EXCHANGE, ORDER_ID } from '../inputs.js';
import type { BotCaller, Tool } from '../tool.js';

const INPUT = z.object({ exchange: EXCHANGE, order_id: ORDER_ID });

/** An end to one order. */
@Injectable()
export class CancelOrderTool implements Tool<typeof INPUT> {
  readonly name = 'cancel_order';
  readonly scope = 'trade';
  readonly effect = 'cancel';
  readonly isForOwnOrders = true;
  readonly description =
    'Cancels what is left of one order of this bot; what has filled stays filled. Costs no money, counts in the limit of cancels alone, ' +
    'and is safe to repeat: of an order that is over it says how it ended.';
  readonly input = INPUT;
  readonly output = object({
    exchange: EXCHANGE_FIELD,
    id: id('The id of the order.'),
    status: word(['cancelled', 'filled', 'expired', 'rejected'], 'How the order is over.'),
    cancelled_size: decimal(),
    filled_size: decimal(),
    timestamp: time('When it ended.'),
  });

  constructor(
    private readonly orders: OrdersService,
    private readonly registry: ExchangeRegistry,
  ) {}

  run(caller: BotCaller, { exchange, order_id: orderId }: z.output<typeof INPUT>): Promise<object> {
    return this.orders.cancel(caller, this.registry.get(exchange), orderId);
  }
}
