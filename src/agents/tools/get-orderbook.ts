import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import { MarketDataService } from '../../proxy/market-data/market-data.service.js';
import { decimal, list, object, time, whole } from '../answers/fields.js';
import { EXCHANGE as EXCHANGE_FIELD, MARKET_ID as MARKET_ID_FIELD } from '../answers/shapes.js';
import { EXCHANGE, MARKET_ID, OUTCOME } from '../inputs.js';
import type { BotCaller, Tool } from '../tool.js';

const INPUT = z.object({
  exchange: EXCHANGE,
  market_id: MARKET_ID,
  outcome: OUTCOME.default(0),
  depth: z.int().min(1).max(50).default(10).describe('At most so many levels a side.'),
});

const LEVELS = (description: string) => list(object({ price: decimal(), size: decimal() }), description);

/** The book of one outcome. */
@Injectable()
export class GetOrderbookTool implements Tool<typeof INPUT> {
  readonly name = 'get_orderbook';
  readonly scope = 'read';
  readonly effect = 'none';
  readonly description =
    'Reads what is bid and asked for one outcome of a market, best prices first. Costs one request and no money; it may be a moment old, ' +
    'so an order can still meet other prices.';
  readonly input = INPUT;
  readonly output = object({
    exchange: EXCHANGE_FIELD,
    market_id: MARKET_ID_FIELD,
    outcome_index: whole('Which outcome: 0 or 1.'),
    bids: LEVELS('Highest first.'),
    asks: LEVELS('Lowest first.'),
    tick_size: decimal('Prices are multiples of it.'),
    min_order_size: decimal(),
    last_price: decimal(),
    timestamp: time('How old this is.'),
  });

  constructor(
    private readonly marketData: MarketDataService,
    private readonly registry: ExchangeRegistry,
  ) {}

  async run(_: BotCaller, { exchange, market_id, outcome, depth }: z.output<typeof INPUT>): Promise<object> {
    const query = { market_id, outcome: String(outcome), depth: String(depth + 1) };
    const { bids, asks, ...book } = await this.marketData.getOrderBook(this.registry.get(exchange), query);
    const truncated = Math.max(bids.length, asks.length) > depth;
    const shown = { bids: bids.slice(0, depth), asks: asks.slice(0, depth) };
    return { ...book, ...shown, outcome_index: book.outcome.index, truncated };
  }
}
