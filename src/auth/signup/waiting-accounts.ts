import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import type { User } from '../../users/users.service.js';
import { AccountTokens, subjectGone } from '../tokens/account-tokens.js';
import type { TokenSubject } from '../tokens/account-tokens.repository.js';
import { NewAccounts } from './new-accounts.js';
import { PendingSignUpsRepository } from '../tokens/pending-signups.repository.js';

/** Sign-ups that wait, and whose address somebody has proved by a reset link (DESIGN 4). */
@Injectable()
export class WaitingAccounts {
  constructor(
    private readonly pending: PendingSignUpsRepository,
    private readonly accounts: NewAccounts,
    private readonly activity: ActivityService,
    private readonly tokens: AccountTokens,
  ) {}

  /** Ends whatever waits for an address: sign-ups and mailed links. Needs a transaction. */
  async drop(email: string): Promise<void> {
    await this.pending.removeAll(email);
    await this.tokens.voidAll(email);
  }

  /**
   * Makes the account of the sign-up that the token names, else of the newest, with the new password; the others are
   * dropped. Throws `invalid_token` where none waits any more.
   */
  async activate({ subjectId, email }: TokenSubject, passwordHash: string): Promise<User> {
    const signUp = (await this.pending.find(subjectId)) ?? (await this.pending.findNewest(email));
    const user = signUp === null ? null : await this.accounts.activate(signUp, passwordHash);
    if (user === null) throw subjectGone();
    await this.activity.record({ type: 'email_verified', userId: user.id });
    return user;
  }
}
