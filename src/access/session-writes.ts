import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';
import { AccountLocksRepository } from './account-locks.repository.js';
import { unauthorized } from './bearer.js';
import type { SessionPrincipal } from './principal.js';

/**
 * Makes changes on behalf of a session. The guard saw the session alive, but a take-over, a reset or a log-out may have
 * ended it since. Nothing that such an end should have removed may be written after it (S-12, S-17, S-24).
 */
@Injectable()
export class SessionWrites {
  constructor(
    private readonly transactions: Transactions,
    private readonly locks: AccountLocksRepository,
  ) {}

  /** Runs `change` in a transaction that the session outlives; throws `unauthorized` where it has ended. */
  run<T>(caller: SessionPrincipal, change: () => Promise<T>): Promise<T> {
    return this.transactions.run(async () => {
      if (!(await this.locks.bySession(caller))) throw unauthorized('invalid');
      return change();
    });
  }
}
