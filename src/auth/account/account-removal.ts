import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import { type User, UsersService } from '../../users/users.service.js';
import type { ConfirmedUser } from '../passwords/password-check.js';
import { WaitingAccounts } from '../signup/waiting-accounts.js';

/** Removes an account with all that hangs on it; the database removes what refers to it. */
@Injectable()
export class AccountRemoval {
  constructor(
    private readonly users: UsersService,
    private readonly waiting: WaitingAccounts,
    private readonly activity: ActivityService,
    private readonly transactions: Transactions,
  ) {}

  /** False where the stored password was changed meanwhile. Needs a transaction. */
  async removeConfirmed({ user, passwordHash }: ConfirmedUser): Promise<boolean> {
    if (!(await this.users.holdPassword(user.id, passwordHash))) return false;
    await this.remove(user);
    return true;
  }

  async remove({ id, email }: User): Promise<void> {
    await this.transactions.run(async () => {
      await this.users.lockByEmail(email);
      await this.users.remove(id);
      await this.waiting.drop(email);
      await this.activity.record({ type: 'account_deleted', userId: id });
    });
  }
}
