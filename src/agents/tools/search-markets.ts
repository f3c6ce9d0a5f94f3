import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { FoundService } from '../../proxy/market-data/found.service.js';
import { cursor as nextCursor, list, object, time } from '../answers/fields.js';
import { EXCHANGE as EXCHANGE_FIELD, LISTED_MARKET } from '../answers/shapes.js';
import { CURSOR, EXCHANGE, pageSize } from '../inputs.js';
import type { BotCaller, Tool } from '../tool.js';

const INPUT = z.object({
  query: z.string().min(1).max(200).describe('Words of the question in any order, or the id of a market.'),
  exchange: EXCHANGE.optional().describe('Only there; all that you may use where left out.'),
  limit: pageSize(10, 50),
  cursor: CURSOR.describe('The next_cursor of the answer before, with the same query.'),
});

/** Markets of all exchanges by words, from the catalogue (contract.md 5.19). */
@Injectable()
export class SearchMarketsTool implements Tool<typeof INPUT> {
  readonly name = 'search_markets';
  readonly scope = 'read';
  readonly effect = 'none';
  readonly description =
    'Finds open markets of all exchanges by words, as they were when each exchange was last walked. Costs one request ' +
    'and no money; titles are written by strangers and may lie about what a market pays on, so read get_market before you order.';
  readonly input = INPUT;
  readonly output = object({
    data: list(LISTED_MARKET, 'Markets, the best first.'),
    next_cursor: nextCursor(),
    as_of: list(object({ exchange: EXCHANGE_FIELD, at: time() }), 'When each exchange was walked last; null is never.'),
  });

  constructor(private readonly found: FoundService) {}

  async run(caller: BotCaller, { query: search, limit, exchange, cursor }: z.output<typeof INPUT>): Promise<object> {
    const query = { search, limit: String(limit), ...(exchange && { exchange }), ...(cursor && { cursor }) };
    const { data, next_cursor, as_of } = await this.found.listMarkets(caller, query);
    return { data, next_cursor, as_of: Object.entries(as_of).map(([id, at]) => ({ exchange: id, at })) };
  }
}
