import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { type Appearance, type User, UsersService } from '../../users/users.service.js';
import { AccountAssets } from '../account/account-assets.js';
import { AccountLogIns } from '../account/account-logins.js';

/** The proved owner of an address takes over the account that somebody made for it without proof (S-12). */
@Injectable()
export class TakeOver {
  constructor(
    private readonly users: UsersService,
    private readonly assets: AccountAssets,
    private readonly logIns: AccountLogIns,
    private readonly activity: ActivityService,
  ) {}

  /** Whatever was put there before is removed, the name too. Needs a transaction that holds the account. */
  async by(user: User, provider: string, appearance: Appearance): Promise<User> {
    await this.users.setPassword(user.id, null);
    await this.assets.strip(user, appearance);
    await this.logIns.endAll(user);
    await this.users.markEmailVerified(user.id);
    await this.activity.record({ type: 'account_taken_over', userId: user.id, details: { provider } });
    return this.users.get(user.id);
  }
}
