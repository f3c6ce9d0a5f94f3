import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { type User, UsersService } from '../../users/users.service.js';
import { type SignedIn, SessionStarter } from '../sessions/session-starter.js';
import { AccountTokens, invalidToken } from '../tokens/account-tokens.js';
import type { TokenSubject } from '../tokens/account-tokens.repository.js';
import { NewAccounts } from './new-accounts.js';

/** `POST /auth/verify-email` (specification.md 4.3, S-9, S-10). */
@Injectable()
export class VerificationService {
  constructor(
    private readonly tokens: AccountTokens,
    private readonly accounts: NewAccounts,
    private readonly users: UsersService,
    private readonly sessions: SessionStarter,
    private readonly activity: ActivityService,
  ) {}

  /**
   * Activates the sign-up that the token was made for, or marks the address of an account as verified. Throws
   * `invalid_token`, also where neither is there any more, and `signup_not_allowed`.
   */
  verify(token: string): Promise<SignedIn> {
    return this.tokens.redeem('verify', token, async (subject) => {
      const user = (await this.accounts.activate(subject.subjectId)) ?? (await this.#markVerified(subject));
      if (user === null) throw invalidToken();
      await this.activity.record({ type: 'email_verified', userId: user.id });
      await this.tokens.voidAll(subject.email, 'verify');
      return this.sessions.start(user);
    });
  }

  async #markVerified({ subjectId, email }: TokenSubject): Promise<User | null> {
    const user = await this.users.lockByEmail(email);
    if (user?.id !== subjectId || user.disabledAt !== null) return null;
    await this.users.markEmailVerified(subjectId);
    return this.users.find(subjectId);
  }
}
