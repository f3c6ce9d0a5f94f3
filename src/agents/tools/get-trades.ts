import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import { MarketDataService } from '../../proxy/market-data/market-data.service.js';
import { cursor, list, object, time } from '../answers/fields.js';
import { TRADE } from '../answers/shapes.js';
import { CURSOR, EXCHANGE, MARKET_ID, pageSize, timeAt } from '../inputs.js';
import { pageOf } from '../pages.js';
import type { BotCaller, Tool } from '../tool.js';

const INPUT = z.object({
  exchange: EXCHANGE,
  market_id: MARKET_ID,
  start: timeAt('Trades at or after this time.'),
  end: timeAt('Trades before this time.'),
  limit: pageSize(20, 50),
  cursor: CURSOR,
});

/** Public trades. */
@Injectable()
export class GetTradesTool implements Tool<typeof INPUT> {
  readonly name = 'get_trades';
  readonly scope = 'read';
  readonly effect = 'none';
  readonly description =
    'Reads what anybody traded in a market, newest first. Costs one request and no money; trades can be made to mislead whoever follows them.';
  readonly input = INPUT;
  readonly output = object({
    data: list(TRADE, 'Newest first.'),
    next_cursor: cursor(),
    timestamp: time('How old this is.'),
  });

  constructor(
    private readonly marketData: MarketDataService,
    private readonly registry: ExchangeRegistry,
  ) {}

  run(_: BotCaller, { exchange, ...args }: z.output<typeof INPUT>): Promise<object> {
    return this.marketData.listTrades(this.registry.get(exchange), pageOf(args));
  }
}
