import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import { newUserId } from '../../users/users.service.js';
import { AccountMails } from '../mails/account-mails.js';
import { PendingSignUpsRepository } from '../tokens/pending-signups.repository.js';
import type { CheckedSignUp } from './signup.js';

/** Open-mode sign-ups, which wait until their address is proved (S-6, S-7, S-10). */
@Injectable()
export class OpenSignUp {
  constructor(
    private readonly pending: PendingSignUpsRepository,
    private readonly mails: AccountMails,
    private readonly activity: ActivityService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Writes the same rows for every address, known or not; what mail becomes of it is decided later, so that neither body
   * nor time tells whether the address is known (S-6). Gives the id that the account will have.
   */
  async wait(signUp: CheckedSignUp): Promise<string> {
    const id = newUserId();
    await this.transactions.run(async () => {
      await this.pending.insert({ id, ...signUp });
      await this.activity.record({ type: 'signup', userId: id });
      await this.mails.askForSignUp(signUp.email, id);
    });
    return id;
  }
}
