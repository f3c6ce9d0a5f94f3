import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import { INTERVALS } from '../../exchanges/unified.words.js';
import { MarketDataService } from '../../proxy/market-data/market-data.service.js';
import { decimal, list, object, time, word } from '../answers/fields.js';
import { EXCHANGE, MARKET_ID, OUTCOME, timeAt } from '../inputs.js';
import type { BotCaller, Tool } from '../tool.js';

const INPUT = z.object({
  exchange: EXCHANGE,
  market_id: MARKET_ID,
  outcome: OUTCOME.default(0),
  interval: z.enum(INTERVALS).default('1h').describe('How long a candle is.'),
  start: timeAt('100 intervals before end where left out.'),
  end: timeAt('Now where left out.'),
  limit: z.int().min(1).max(50).default(24).describe('At most so many candles, the newest.'),
});

const CANDLE = object({
  start: time(),
  open: decimal(),
  high: decimal(),
  low: decimal(),
  close: decimal(),
  volume: decimal(),
});

/** Candles of one outcome. */
@Injectable()
export class GetCandlesticksTool implements Tool<typeof INPUT> {
  readonly name = 'get_candlesticks';
  readonly scope = 'read';
  readonly effect = 'none';
  readonly description =
    'Reads how the price of one outcome has moved, oldest candle first. Costs one request and no money; with source price_points highs ' +
    'and lows are those of sampled prices, so what happened between two samples is not in them.';
  readonly input = INPUT;
  readonly output = object({
    source: word(['trades', 'price_points']),
    data: list(CANDLE, 'Oldest first.'),
    timestamp: time('How old this is.'),
  });

  constructor(
    private readonly marketData: MarketDataService,
    private readonly registry: ExchangeRegistry,
  ) {}

  async run(_: BotCaller, { exchange, limit, outcome, ...rest }: z.output<typeof INPUT>): Promise<object> {
    const { start, end, ...named } = rest;
    const span = { ...(start !== undefined && { start }), ...(end !== undefined && { end }) };
    const query = { ...named, ...span, outcome: String(outcome) };
    const { data, timestamp } = await this.marketData.listCandlesticks(this.registry.get(exchange), query);
    return { source: data[0]?.source, data: data.slice(-limit), timestamp, truncated: data.length > limit };
  }
}
