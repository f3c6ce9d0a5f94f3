import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { MeService } from '../../bots/me.service.js';
import { EXCHANGE_IDS } from '../../exchanges/exchange.registry.js';
import { flag, list, maybe, object, time, whole, word } from '../answers/fields.js';
import type { BotCaller, Tool } from '../tool.js';

const INPUT = z.object({});

const EXCHANGE = object(
  {
    exchange: word(EXCHANGE_IDS),
    configured: flag('Whether credentials are stored that can sign.'),
    session_key_valid_until: time('When the key that signs ends; null where none does.'),
  },
  'exchange',
);

const HEARTBEAT = object({
  ttl_seconds: whole('How long the bot may stay away.'),
  on_miss: word(['halt', 'cancel']),
  last_beat_at: time(),
  expires_at: time('When it fires; null where it is not armed.'),
  missed_since: time(),
});

/** Mode, limits, heartbeat, exchanges. */
@Injectable()
export class GetAccountTool implements Tool<typeof INPUT> {
  readonly name = 'get_account';
  readonly scope = 'trade';
  readonly effect = 'none';
  readonly description =
    'Says whether money is real (mode), what is left of your limits, whether you are halted, how your heartbeat stands, and which ' +
    'exchanges have credentials. Costs nothing and changes nothing: call it first, and again before you order.';
  readonly input = INPUT;
  readonly output = object({
    exchanges: list(EXCHANGE, 'Those that you may use.'),
    heartbeat: maybe(HEARTBEAT),
  });

  constructor(private readonly me: MeService) {}

  async run(caller: BotCaller): Promise<object> {
    const { exchanges, bot } = await this.me.describe(caller);
    const named = exchanges.map(({ id: exchange, ...rest }) => ({ exchange, ...rest }));
    return { exchanges: named, heartbeat: bot?.heartbeat ?? null };
  }
}
