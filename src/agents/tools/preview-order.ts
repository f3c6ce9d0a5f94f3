import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { SIDES, TIMES_IN_FORCE } from '../../exchanges/unified.trading.dto.js';
import { EXCHANGE, MARKET_ID, OUTCOME, timeAt } from '../inputs.js';
import { PreviewMaking } from '../previews/preview-making.js';
import { BOT_PREVIEW } from '../previews/preview-shapes.js';
import type { BotCaller, Tool } from '../tool.js';

const AMOUNT = z.string().min(1).max(40);

const INPUT = z.object({
  exchange: EXCHANGE,
  market_id: MARKET_ID,
  outcome: OUTCOME,
  side: z.enum(SIDES),
  price: AMOUNT.describe('A decimal above 0 and below 1, of that outcome: the worst that you take.'),
  size: AMOUNT.describe('Contracts or shares, each of which pays 1.'),
  time_in_force: z
    .enum(TIMES_IN_FORCE)
    .default('gtc')
    .describe('gtc rests; gtd rests until expires_at; ioc takes what is there; fok all or nothing.'),
  post_only: z.boolean().optional().describe('Never trades at once.'),
  expires_at: timeAt('When what rests ends: of gtd.'),
});

/** An order with all that it would come to. */
@Injectable()
export class PreviewOrderTool implements Tool<typeof INPUT> {
  readonly name = 'preview_order';
  readonly scope = 'trade';
  readonly effect = 'none';
  readonly description =
    'Says what an order would cost, risk and meet, and keeps it for 60 seconds under a preview_id for place_order. Costs one request and ' +
    'no money, at most 60 a minute; nothing is sent, and the exchange may still decide otherwise.';
  readonly input = INPUT;
  readonly output = BOT_PREVIEW;

  constructor(private readonly previews: PreviewMaking) {}

  run(caller: BotCaller, { exchange, ...body }: z.output<typeof INPUT>): Promise<object> {
    return this.previews.make(caller, exchange, body);
  }
}
