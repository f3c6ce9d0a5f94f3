import { Injectable } from '@nestjs/common';
import type { SessionPrincipal } from '../access/principal.js';
import { ActivityService } from '../activity/activity.service.js';
import { AppError } from '../platform/errors/app-error.js';
import type { Bot, BotTerms } from './bot.js';
import { BotHalts } from './bot-halts.js';
import { BotReads } from './bot-reads.js';
import { changedTerms } from './bot-terms.js';
import { BotTermsCheck, nameTaken } from './bot-terms-check.js';
import type { ChangeBotDto } from './bot-terms.dto.js';
import { BotsRepository } from './bots.repository.js';
import { HeldBots } from './held-bots.js';

/** The names of the terms as the body has them. */
const FIELDS: Readonly<Partial<Record<keyof BotTerms, string>>> = {
  allowedNetworks: 'allowed_networks',
  expiresAt: 'expires_at',
};

const ON_ITS_WAY =
  'An order of this bot may still be on its way. Resume it when its fate is known, in a minute at most as a rule.';
const UNREAD =
  'Since a restore orders may rest of which it is not known who has sent them. Halt this bot once more: the report names them. Cancel them first.';

/** Whether nobody has seen yet that nothing of it rests since a restore. */
function isUnread({ halted }: Bot): boolean {
  return halted?.reason === 'restored' && !halted.isComplete;
}

/** Changes what bots may do, and starts them again (contract.md 5.11). */
@Injectable()
export class BotChangesService {
  constructor(
    private readonly held: HeldBots,
    private readonly reads: BotReads,
    private readonly repository: BotsRepository,
    private readonly terms: BotTermsCheck,
    private readonly halts: BotHalts,
    private readonly activity: ActivityService,
  ) {}

  /**
   * Merges what was given into what is stored. Throws `bot_name_taken`, and 403 `forbidden` where it widens anything and the session is
   * to be confirmed first (S-59).
   */
  async change(caller: SessionPrincipal, id: string, given: ChangeBotDto): Promise<void> {
    await this.held.change(caller, id, async (bot) => {
      const next = this.terms.merged(bot, given);
      const changed = changedTerms(bot, next);
      if (changed.length === 0) return;
      this.terms.assertMayChange(caller, bot, next);
      if (changed.includes('name')) await this.terms.assertNameIsFree(caller.userId, next.name, id);
      await this.#haltExpired(bot);
      if (!(await this.repository.change(id, next))) throw nameTaken();
      const details = { name: next.name, changed: changed.map((term) => FIELDS[term] ?? term).join(' ') };
      await this.activity.record({ type: 'bot_changed', userId: caller.userId, botId: id, details });
    });
  }

  /**
   * Ends a halt. One that is active stays as it is. Of one that a restore halted the exchanges are read first. Throws `bot_expired` where the
   * end of the bot has come, and `orders_unsettled`.
   */
  async resume(caller: SessionPrincipal, id: string): Promise<void> {
    const { userId } = caller;
    if (isUnread(await this.reads.find(userId, id))) await this.halts.cancel({ userId, botIds: [id] });
    await this.held.change(caller, id, async (bot) => {
      if (bot.state === 'expired') {
        throw new AppError(
          'bot_expired',
          'The end of this bot has come. Set a later expires_at first, then resume it.',
        );
      }
      if (bot.halted === null && bot.heartbeat?.missedSince == null) return;
      if (await this.halts.isUnsettled(id)) throw new AppError('orders_unsettled', isUnread(bot) ? UNREAD : ON_ITS_WAY);
      await this.repository.resume(id);
      const details = { name: bot.name, reason: bot.halted?.reason ?? 'heartbeat_missed' };
      await this.activity.record({ type: 'bot_resumed', userId: caller.userId, botId: id, details });
    });
  }

  /** A bot whose end has come is halted, also where a later end is set before anybody has seen that: only `resume` brings it back. */
  async #haltExpired({ id, userId, state }: Bot): Promise<void> {
    if (state !== 'expired') return;
    await this.halts.mark({ userId, botIds: [id], reason: 'expired', by: 'service' });
  }
}
