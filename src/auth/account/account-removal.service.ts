import { Injectable } from '@nestjs/common';
import type { SessionPrincipal } from '../../access/principal.js';
import { SessionWrites } from '../../access/session-writes.js';
import { ActivityService } from '../../activity/activity.service.js';
import { type User, UsersService } from '../../users/users.service.js';
import { AccountContents } from '../contents/account-contents.js';
import { PasswordCheck } from '../passwords/password-check.js';
import { NewAccounts } from '../signup/new-accounts.js';

/** `DELETE /account` (contract.md 4). */
@Injectable()
export class AccountRemovalService {
  constructor(
    private readonly check: PasswordCheck,
    private readonly users: UsersService,
    private readonly accounts: NewAccounts,
    private readonly contents: AccountContents,
    private readonly activity: ActivityService,
    private readonly writes: SessionWrites,
  ) {}

  /** Removes everything; returns when no instance accepts the API key any more. Throws `invalid_credentials`. */
  async removeOwn(caller: SessionPrincipal, password: string): Promise<void> {
    await this.check.before(caller, password, ({ user, passwordHash }) =>
      this.writes.run(caller, async () => {
        if (!(await this.users.holdPassword(user.id, passwordHash))) return false;
        await this.remove(user);
        return true;
      }),
    );
    await this.contents.waitForKeyCacheExpiry();
  }

  /** Removes a user with all that refers to it, without asking anybody. Needs a transaction. */
  async remove({ id, email }: User): Promise<void> {
    await this.users.lockByEmail(email);
    await this.users.remove(id);
    await this.accounts.dropPending(email);
    await this.activity.record({ type: 'account_deleted', userId: id });
  }
}
