import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';
import { within } from '../platform/time/within.js';
import { Drain } from '../platform/http/drain.js';

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
    const answer = this.transactions.manager.query('SELECT 1').then(
      () => true,
      () => false,
    );
    return within(PROBE_TIMEOUT_MS, answer, () => false);
  }
}
