import { Injectable } from '@nestjs/common';
import { AppError } from '../platform/errors/app-error.js';
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

  /** Halts them as `operator`, and cancels what rests; returns the reports of each. One that is halted keeps its reason. */
  async halt(choice: BotChoice): Promise<HaltReport[]> {
    const bots = await this.list(choice);
    const reports: HaltReport[] = [];
    for (const userId of new Set(bots.map((bot) => bot.userId))) {
      const botIds = bots.flatMap((bot) => (bot.userId === userId ? [bot.id] : []));
      reports.push(...(await this.halts.halt({ userId, botIds, reason: 'operator', by: 'operator' })));
    }
    return reports;
  }

  /** Resumes those that the operator has halted; returns them. Those that others halted stay halted. Throws `orders_unsettled`. */
  async resume(choice: BotChoice): Promise<Bot[]> {
    const halted = (await this.list(choice)).filter(({ halted: halt }) => halt?.reason === 'operator');
    for (const { id, name, userId } of halted) {
      await this.transactions.run(async () => {
        if (await this.halts.isUnsettled(id))
          throw new AppError('orders_unsettled', `An order of ${name} (${id}) may still be on its way.`);
        await this.repository.resume(id);
        await this.activity.record({ type: 'bot_resumed', userId, botId: id, details: { name, reason: 'operator' } });
      });
    }
    return halted;
  }
}
