import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import { OrdersService } from '../../proxy/orders/orders.service.js';
import { object } from '../answers/fields.js';
import { CANCELLED, NOT_CANCELLED } from '../answers/shapes.js';
import { EXCHANGE, MARKET_ID } from '../inputs.js';
import type { BotCaller, Tool } from '../tool.js';

const INPUT = z.object({
  exchange: EXCHANGE,
  market_id: MARKET_ID.optional().describe('Only orders on this market; all where left out.'),
});

/** An end to all orders of the bot at one exchange. */
@Injectable()
export class CancelAllOrdersTool implements Tool<typeof INPUT> {
  readonly name = 'cancel_all_orders';
  readonly scope = 'trade';
  readonly effect = 'cancel';
  readonly isForOwnOrders = true;
  readonly description =
    'Cancels all open orders of this bot at one exchange, or those on one market; those of its owner and other bots stay. Costs no money, ' +
    'counts in the limit of cancels alone, and is safe to repeat: after an error repeat it until not_cancelled is empty.';
  readonly input = INPUT;
  readonly output = object({ cancelled: CANCELLED, not_cancelled: NOT_CANCELLED });

  constructor(
    private readonly orders: OrdersService,
    private readonly registry: ExchangeRegistry,
  ) {}

  run(caller: BotCaller, { exchange, market_id: id }: z.output<typeof INPUT>): Promise<object> {
    return this.orders.cancelAll(caller, this.registry.get(exchange), id === undefined ? {} : { market_id: id });
  }
}
