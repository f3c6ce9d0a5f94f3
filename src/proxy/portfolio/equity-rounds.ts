import { Injectable } from '@nestjs/common';
import { BackgroundWork } from '../../platform/time/background-work.js';
import { withCallContext } from '../../platform/upstream/call-context.js';
import { EquityRepository } from './equity.repository.js';
import { EquityService } from './equity.service.js';
import { PortfolioService } from './portfolio.service.js';

const EVERY_MS = 60_000;
/** Users that one instance reads at the same time, and in one round. */
const AT_ONCE = 4;
const MOST_A_ROUND = 200;

/** Records each hour what the accounts are worth of users who want that; the credentials of nobody else are opened (contract.md 5.17). */
@Injectable()
export class EquityRounds extends BackgroundWork {
  constructor(
    private readonly repository: EquityRepository,
    private readonly equity: EquityService,
    private readonly portfolio: PortfolioService,
  ) {
    super({ everyMs: EVERY_MS, failure: 'what accounts are worth could not be recorded, and is later' });
  }

  /** Reads all that are due, at most 200. Users are shared among the instances. */
  async run(): Promise<void> {
    for (let count = 0; count < MOST_A_ROUND && !this.hasStopped;) {
      const due = await this.repository.takeDue(AT_ONCE);
      await Promise.all(due.map((userId) => this.#record(userId)));
      if (due.length === 0) return;
      count += due.length;
    }
  }

  async #record(userId: string): Promise<void> {
    const context = { caller: userId, fresh: true, priority: 'background' } as const;
    const readings = await withCallContext(context, () => this.portfolio.readAll(userId));
    await this.equity.note(userId, readings);
  }
}
