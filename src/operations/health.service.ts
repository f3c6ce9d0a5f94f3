import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';
import { Drain } from './drain.js';

const PROBE_TIMEOUT_MS = 1_500;

export type Readiness = 'ok' | 'unavailable' | 'draining';

/** Whether this instance should get traffic. Migrations are current from the start on, or it would not run. */
@Injectable()
export class HealthService {
  constructor(
    private readonly drain: Drain,
    private readonly transactions: Transactions,
  ) {}

  async readiness(): Promise<Readiness> {
    if (this.drain.started) return 'draining';
    return (await this.databaseAnswers()) ? 'ok' : 'unavailable';
  }

  /** Whether the database answers within 1.5 s. */
  async databaseAnswers(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, PROBE_TIMEOUT_MS, false);
    });
    const answer = this.transactions.manager.query('SELECT 1').then(
      () => true,
      () => false,
    );
    const ready = await Promise.race([answer, tooLate]);
    clearTimeout(timer);
    return ready;
  }
}
