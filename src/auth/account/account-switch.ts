import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import { type User, UsersService } from '../../users/users.service.js';
import { AccountContents } from '../contents/account-contents.js';

/** Switches accounts off and on. */
@Injectable()
export class AccountSwitch {
  constructor(
    private readonly users: UsersService,
    private readonly contents: AccountContents,
    private readonly activity: ActivityService,
    private readonly transactions: Transactions,
  ) {}

  /** Nothing of the account works any more; its API key and credentials stay for when it is switched on again. */
  async off(user: User): Promise<void> {
    await this.transactions.run(async () => {
      await this.users.lockByEmail(user.email);
      await this.users.setDisabled(user.id, new Date());
      await this.contents.endSessions(user);
      await this.activity.record({ type: 'account_disabled', userId: user.id });
    });
  }

  async on(user: User): Promise<void> {
    await this.transactions.run(async () => {
      await this.users.setDisabled(user.id, null);
      await this.activity.record({ type: 'account_enabled', userId: user.id });
    });
  }
}
