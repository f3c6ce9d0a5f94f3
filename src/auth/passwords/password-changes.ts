import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { type User, UsersService } from '../../users/users.service.js';
import { AccountContents } from '../contents/account-contents.js';

/** Puts a new password in place. */
@Injectable()
export class PasswordChanges {
  constructor(
    private readonly users: UsersService,
    private readonly contents: AccountContents,
    private readonly activity: ActivityService,
  ) {}

  /** Only while the old password stands; ends every session but the one named. Needs a transaction. */
  async replace(
    user: User,
    hashes: { readonly from: string; readonly to: string },
    keptSessionId: string,
  ): Promise<boolean> {
    if (!(await this.users.renewPasswordHash(user.id, hashes.from, hashes.to))) return false;
    await this.contents.endOtherSessions(user, keptSessionId);
    await this.activity.record({ type: 'password_changed', userId: user.id });
    return true;
  }

  /**
   * Whatever the old password was, by whoever has proved the address; ends every session. The notice names the API key that
   * goes on working (S-24). Needs a transaction.
   */
  async set(user: User, passwordHash: string, keptApiKey: string | null): Promise<void> {
    await this.users.setPassword(user.id, passwordHash);
    await this.contents.startAnew(user);
    const details = keptApiKey === null ? {} : { kept_api_key: keptApiKey };
    await this.activity.record({ type: 'password_changed', userId: user.id, details });
  }
}
