import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { type User, UsersService } from '../../users/users.service.js';
import { subjectGone } from '../tokens/account-tokens.js';
import type { TokenSubject } from '../tokens/account-tokens.repository.js';
import { NewAccounts } from './new-accounts.js';
import { PendingSignUpsRepository } from '../tokens/pending-signups.repository.js';

/** What becomes of a sign-up or an account whose address is proved (S-10). */
@Injectable()
export class VerifiedAccounts {
  constructor(
    private readonly users: UsersService,
    private readonly pending: PendingSignUpsRepository,
    private readonly accounts: NewAccounts,
    private readonly activity: ActivityService,
  ) {}

  /**
   * Activates the sign-up that the token was made for, without password and name where others wait for its address, which
   * are dropped (S-55); an account that exists is marked as verified. Throws `invalid_token` where neither is there any more. Needs a transaction.
   */
  async settle({ subjectId, email }: TokenSubject): Promise<User> {
    const signUp = await this.pending.find(subjectId);
    const user = signUp === null ? await this.#verify(subjectId, email) : await this.accounts.activate(signUp);
    if (user === null) throw subjectGone();
    await this.activity.record({ type: 'email_verified', userId: user.id });
    return user;
  }

  async #verify(userId: string, email: string): Promise<User | null> {
    const user = await this.users.lockByEmail(email);
    if (user?.id !== userId || user.disabledAt !== null) return null;
    await this.users.markEmailVerified(userId);
    return this.users.find(userId);
  }
}
