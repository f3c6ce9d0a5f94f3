import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { BotStopsService } from '../../bots/bot-stops.service.js';
import { flag, foreign, id, list, maybe, object, time } from '../answers/fields.js';
import { CANCELLED, EXCHANGE, MISSING, NOT_CANCELLED } from '../answers/shapes.js';
import type { BotCaller, Tool } from '../tool.js';

const INPUT = z.object({});

const PART = object({
  exchange: EXCHANGE,
  cancelled: CANCELLED,
  not_cancelled: NOT_CANCELLED,
  unsettled: list(
    object({ order_id: id('Null where it is not known.'), untrusted_client_order_id: foreign() }),
    'Orders of which it is not known whether they are there.',
  ),
  error: maybe(MISSING),
});

/** The bot's own switch. */
@Injectable()
export class HaltTool implements Tool<typeof INPUT> {
  readonly name = 'halt';
  readonly scope = 'trade';
  readonly effect = 'cancel';
  readonly description =
    'Stops this bot: from the answer on no order of it begins, and all its orders are cancelled, which takes up to 30 s. Costs no money and ' +
    'is safe to repeat, but only the owner can start the bot again, so use it where something is wrong.';
  readonly input = INPUT;
  readonly output = object({
    halted_at: time(),
    reason: id('Why the bot is halted.'),
    exchanges: list(PART, 'What was done at each exchange.'),
    complete: flag('Whether nothing of the bot rests but what is named; the service goes on where it is false.'),
  });

  constructor(private readonly stops: BotStopsService) {}

  run(caller: BotCaller): Promise<object> {
    return this.stops.haltItself(caller);
  }
}
