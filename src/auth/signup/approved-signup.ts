import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';
import { AccountMails } from '../mails/account-mails.js';
import { type SignedIn, SessionStarter } from '../sessions/session-starter.js';
import { NewAccounts, signUpNotAllowed } from './new-accounts.js';
import type { CheckedSignUp } from './signup.js';

/** Whitelist-mode sign-ups: an account and a session at once, the address still to be proved (specification 3, S-13). */
@Injectable()
export class ApprovedSignUp {
  constructor(
    private readonly accounts: NewAccounts,
    private readonly sessions: SessionStarter,
    private readonly mails: AccountMails,
    private readonly transactions: Transactions,
  ) {}

  /** Throws `signup_not_allowed`, alike for an address that is not approved and one that is taken (S-7). */
  enter(signUp: CheckedSignUp): Promise<SignedIn> {
    return this.transactions.run(async () => {
      const user = await this.accounts.create(signUp);
      if (user === null) throw signUpNotAllowed();
      await this.mails.askForVerification(user);
      return this.sessions.start(user);
    });
  }
}
