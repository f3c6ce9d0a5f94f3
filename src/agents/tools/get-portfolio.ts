import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import { PartErrors } from '../../platform/http/part-errors.js';
import { PortfolioService } from '../../proxy/portfolio/portfolio.service.js';
import { HoldingsService } from '../../proxy/trading/holdings.service.js';
import { decimal, flag, list, maybe, object, time, whole } from '../answers/fields.js';
import { BALANCE, EXCHANGE, MISSING, POSITION, TOTAL } from '../answers/shapes.js';
import type { BotCaller, Tool } from '../tool.js';

const INPUT = z.object({});
const MOST_POSITIONS = '50';

const PART = object({
  exchange: EXCHANGE,
  balance: maybe(BALANCE),
  positions_value: decimal(),
  redeemable_value: decimal(),
  unrealized_pnl: decimal(),
  realized_pnl: decimal(),
  fees: decimal(),
  open_orders: whole('How many this bot has.'),
  error: maybe(MISSING),
  positions: list(POSITION, 'What the account holds, whoever bought it.'),
  positions_complete: flag('Whether these are all positions of the account.'),
});

/** Money and positions of the account. */
@Injectable()
export class GetPortfolioTool implements Tool<typeof INPUT> {
  readonly name = 'get_portfolio';
  readonly scope = 'trade';
  readonly effect = 'none';
  readonly description =
    'Reads the money and the positions of the whole account at the exchanges that you may use, those of its owner and other bots included. ' +
    'Costs one request and no money; what is null is unknown, not zero.';
  readonly input = INPUT;
  readonly output = object({
    exchanges: list(PART, 'One exchange each.'),
    totals: list(TOTAL, 'One currency each.'),
    as_of: time('From when on it was read.'),
  });
  readonly #errors = new PartErrors('GetPortfolioTool');

  constructor(
    private readonly portfolio: PortfolioService,
    private readonly holdings: HoldingsService,
    private readonly registry: ExchangeRegistry,
  ) {}

  async run(caller: BotCaller): Promise<object> {
    const { exchanges, ...rest } = await this.portfolio.read(caller);
    const parts = exchanges.map(async (part) => Object.assign({}, part, await this.#positions(caller, part.exchange)));
    return { ...rest, exchanges: await Promise.all(parts) };
  }

  async #positions(caller: BotCaller, exchange: string): Promise<object> {
    try {
      const { data, next_cursor: next } = await this.holdings.listPositions(caller, this.registry.get(exchange), {
        limit: MOST_POSITIONS,
      });
      return { positions: data, positions_complete: next === null };
    } catch (error) {
      return { positions: [], positions_complete: false, error: this.#errors.told(error) };
    }
  }
}
