import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import { type User, UsersService } from '../../users/users.service.js';
import { AccountContents } from '../contents/account-contents.js';
import { AccountRemovalService } from './account-removal.service.js';

/** What the operator may do with users and their accounts (`npm run users`). */
@Injectable()
export class UsersAdminService {
  constructor(
    private readonly users: UsersService,
    private readonly removal: AccountRemovalService,
    private readonly contents: AccountContents,
    private readonly activity: ActivityService,
    private readonly transactions: Transactions,
  ) {}

  list(): Promise<User[]> {
    return this.users.list();
  }

  /** By id or address; null where there is none. */
  async find(idOrEmail: string): Promise<User | null> {
    return (await this.users.find(idOrEmail)) ?? this.users.findByEmail(idOrEmail.toLowerCase());
  }

  /**
   * Nothing of the account works any more; its API key and credentials stay for when it is enabled again. Ends all
   * sessions; returns when no instance accepts the API key any more (contract.md 6).
   */
  async disable(user: User): Promise<void> {
    await this.transactions.run(async () => {
      await this.users.lockByEmail(user.email);
      await this.users.setDisabled(user.id, new Date());
      await this.contents.endSessions(user);
      await this.activity.record({ type: 'account_disabled', userId: user.id });
    });
    await this.contents.waitForKeyCacheExpiry();
  }

  async enable(user: User): Promise<void> {
    await this.transactions.run(async () => {
      await this.users.setDisabled(user.id, null);
      await this.activity.record({ type: 'account_enabled', userId: user.id });
    });
  }

  /** With everything that belongs to it, for good; returns as disable does. */
  async remove(user: User): Promise<void> {
    await this.transactions.run(() => this.removal.remove(user));
    await this.contents.waitForKeyCacheExpiry();
  }
}
