import { Injectable } from '@nestjs/common';
import type { SessionPrincipal } from '../access/principal.js';
import { SessionWrites } from '../access/session-writes.js';
import { BotKeysService } from '../api-keys/bot-keys.service.js';
import type { Bot } from './bot.js';
import { BotReads } from './bot-reads.js';

/** Changes of one living bot on behalf of a session. */
@Injectable()
export class HeldBots {
  constructor(
    private readonly reads: BotReads,
    private readonly writes: SessionWrites,
    private readonly keys: BotKeysService,
  ) {}

  /**
   * Runs `change` while the session lives and nobody else changes the bot; ends when no instance goes on with what was before (S-30).
   * Throws `not_found`.
   */
  async change<T>(caller: SessionPrincipal, id: string, change: (bot: Bot) => Promise<T>): Promise<T> {
    const result = await this.writes.run(caller, async () => change(await this.reads.holdLiving(caller.userId, id)));
    await this.keys.waitForKeyCacheExpiry();
    return result;
  }
}
