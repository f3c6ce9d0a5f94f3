import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';
import { ActivityService } from '../activity/activity.service.js';
import type { Bot } from './bot.js';
import { BotHalts, type HaltReport } from './bot-halts.js';
import { BotsRepository } from './bots.repository.js';

export type { HaltReport };

/** Which living bots the operator means: those of a user, those that may trade at an exchange, or all. */
export interface BotChoice {
  readonly userId: string | null;
  readonly exchange: string | null;
}

/** What became of a bot that the operator resumes. */
interface Resumed {
  readonly id: string;
  readonly name: string;
  readonly failure: 'orders_unsettled' | 'bot_expired' | null;
}

/** Users whose orders are cancelled at the same time. */
const USERS_AT_ONCE = 16;

/** What the operator may do with bots (`npm run bots`, contract.md 8.1). */
@Injectable()
export class BotsAdminService {
  constructor(
    private readonly repository: BotsRepository,
    private readonly halts: BotHalts,
    private readonly transactions: Transactions,
    private readonly activity: ActivityService,
  ) {}

  list(choice: BotChoice): Promise<Bot[]> {
    return this.repository.listLiving(choice);
  }

  /**
   * Halts them as `operator`, all before anything is cancelled, so that no exchange that hangs keeps another's bots going; then cancels what
   * rests, and returns the report of each. One that is halted keeps its reason.
   */
  async halt(choice: BotChoice): Promise<HaltReport[]> {
    const bots = await this.list(choice);
    const chosen = [...new Set(bots.map(({ userId }) => userId))].map((userId) => ({
      userId,
      botIds: bots.filter((bot) => bot.userId === userId).map(({ id }) => id),
    }));
    for (const one of chosen) {
      await this.transactions.run(() => this.halts.mark({ ...one, reason: 'operator', by: 'operator' }));
    }
    const reports: HaltReport[] = [];
    const work = async (): Promise<void> => {
      for (let one = chosen.shift(); one !== undefined; one = chosen.shift())
        reports.push(...(await this.halts.cancel(one)));
    };
    await Promise.all(Array.from({ length: USERS_AT_ONCE }, work));
    return reports;
  }

  /**
   * Resumes those that the operator has halted; returns each, and why it was not resumed: `orders_unsettled` or `bot_expired`, null where it
   * was. Those that others halted stay halted.
   */
  async resume(choice: BotChoice): Promise<Resumed[]> {
    const resumed: Resumed[] = [];
    for (const { id, userId } of await this.list(choice)) {
      const one = await this.transactions.run(() => this.#resume(userId, id));
      if (one !== null) resumed.push(one);
    }
    return resumed;
  }

  /** Null where somebody else has halted it, or nobody. Needs a transaction. */
  async #resume(userId: string, id: string): Promise<Resumed | null> {
    const bot = await this.repository.hold(userId, id);
    if (bot === null || bot.state === 'removed' || bot.halted?.reason !== 'operator') return null;
    const { name } = bot;
    if (bot.state === 'expired') return { id, name, failure: 'bot_expired' };
    if (await this.halts.isUnsettled(id)) return { id, name, failure: 'orders_unsettled' };
    await this.repository.resume(id);
    await this.activity.record({ type: 'bot_resumed', userId, botId: id, details: { name, reason: 'operator' } });
    return { id, name, failure: null };
  }
}
