import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { User } from '../../users/users.service.js';
import { AccountMails } from '../mails/account-mails.js';
import { type SignedIn, SessionStarter } from '../sessions/session-starter.js';
import type { PendingSignUp } from '../tokens/pending-signups.repository.js';

/** What follows from a checked password. */
@Injectable()
export class LogInOutcomes {
  constructor(
    private readonly sessions: SessionStarter,
    private readonly mails: AccountMails,
    private readonly activity: ActivityService,
    private readonly transactions: Transactions,
  ) {}

  /** Null where this is not the account's stored password any more, or its account is no longer in use. */
  succeed(user: User, passwordHash: string): Promise<SignedIn | null> {
    return this.transactions.run(async () => {
      const started = await this.sessions.startByPassword(user, passwordHash);
      if (started === null) return null;
      await this.activity.record({
        type: 'login',
        userId: user.id,
        details: { provider: 'email', new_device: started.isNewDevice },
      });
      return started;
    });
  }

  /** The same for every reason (S-5); always throws `invalid_credentials`. */
  async fail(user: User | null): Promise<never> {
    await this.activity.record({ type: 'login_failed', userId: user?.id ?? null });
    throw new AppError('invalid_credentials', 'The e-mail address or the password is wrong.');
  }

  /** A right password of a pending sign-up: another mail (DESIGN 3); always throws `email_not_verified`. */
  async remind(signUp: PendingSignUp): Promise<never> {
    await this.mails.askForSignUp(signUp.email, signUp.id);
    throw new AppError(
      'email_not_verified',
      'Your address is not verified yet. Follow the link in your mail; a new one is on its way.',
    );
  }
}
