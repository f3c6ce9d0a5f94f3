import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { type Appearance, type User, UsersService } from '../../users/users.service.js';
import { AccountContents } from '../contents/account-contents.js';

/** The proved owner of an address takes over the account that somebody made for it without proof (S-12). */
@Injectable()
export class TakeOver {
  constructor(
    private readonly users: UsersService,
    private readonly contents: AccountContents,
    private readonly activity: ActivityService,
  ) {}

  /** Whatever was put there before is removed, the name too. Needs a transaction that holds the account. */
  async by(user: User, provider: string, appearance: Appearance): Promise<User> {
    await this.users.setPassword(user.id, null);
    await this.contents.strip(user, appearance);
    await this.contents.endSessions(user);
    await this.users.markEmailVerified(user.id);
    await this.activity.record({ type: 'account_taken_over', userId: user.id, details: { provider } });
    return this.users.get(user.id);
  }
}
