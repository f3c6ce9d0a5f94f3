import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { type User, UsersService } from '../../users/users.service.js';
import { type ConfirmedUser, wrongPassword } from '../passwords/password-check.js';
import { PendingSignUpsRepository } from '../signup/pending-signups.repository.js';
import { AccountTokens } from '../tokens/account-tokens.js';

/** Removes an account with all that hangs on it; the database removes what refers to it. */
@Injectable()
export class AccountRemoval {
  constructor(
    private readonly users: UsersService,
    private readonly pending: PendingSignUpsRepository,
    private readonly tokens: AccountTokens,
    private readonly activity: ActivityService,
  ) {}

  /** Throws `invalid_credentials` where the password was changed meanwhile. Needs a transaction. */
  async removeConfirmed({ user, passwordHash }: ConfirmedUser): Promise<void> {
    if (!(await this.users.holdPassword(user.id, passwordHash))) throw wrongPassword();
    await this.remove(user);
  }

  /** Needs a transaction. */
  async remove({ id, email }: User): Promise<void> {
    await this.users.remove(id);
    await this.pending.removeAll(email);
    await this.tokens.voidAll(email);
    await this.activity.record({ type: 'account_deleted', userId: id });
  }
}
