import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import { HoldingsService } from '../../proxy/trading/holdings.service.js';
import { cursor, list, object } from '../answers/fields.js';
import { FILL } from '../answers/shapes.js';
import { CURSOR, EXCHANGE, MARKET_ID, ORDER_ID, pageSize, timeAt } from '../inputs.js';
import { pageOf } from '../pages.js';
import type { BotCaller, Tool } from '../tool.js';

const INPUT = z.object({
  exchange: EXCHANGE,
  market_id: MARKET_ID.optional(),
  order_id: ORDER_ID.optional(),
  start: timeAt('Fills at or after this time.'),
  end: timeAt('Fills before this time.'),
  limit: pageSize(20, 50),
  cursor: CURSOR,
});

/** Executions of the bot's own orders. */
@Injectable()
export class ListFillsTool implements Tool<typeof INPUT> {
  readonly name = 'list_fills';
  readonly scope = 'trade';
  readonly effect = 'none';
  readonly description =
    'Lists executions of orders that this bot sent, newest first. Costs one request and no money; a pending fill may still fail.';
  readonly input = INPUT;
  readonly output = object({ data: list(FILL, 'Newest first.'), next_cursor: cursor() });

  constructor(
    private readonly holdings: HoldingsService,
    private readonly registry: ExchangeRegistry,
  ) {}

  run(caller: BotCaller, { exchange, ...args }: z.output<typeof INPUT>): Promise<object> {
    return this.holdings.listFills(caller, this.registry.get(exchange), pageOf(args));
  }
}
