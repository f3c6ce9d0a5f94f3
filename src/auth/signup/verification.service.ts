import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { AppError } from '../../platform/errors/app-error.js';
import { type User, UsersService } from '../../users/users.service.js';
import { AccountContents } from '../contents/account-contents.js';
import { type SignedIn, SessionStarter } from '../sessions/session-starter.js';
import type { Visitor } from '../sessions/visitors.js';
import { AccountTokens, invalidToken } from '../tokens/account-tokens.js';
import type { TokenSubject } from '../tokens/account-tokens.repository.js';
import { NewAccounts } from './new-accounts.js';

/** 403 `forbidden`, reason `another_account`: the link would sign the visitor in to another account without asking. */
function anotherAccount(): AppError {
  return new AppError(
    'forbidden',
    'Somebody else is signed in here than this link is for. Sign out first, or send replace_session.',
    { details: { reason: 'another_account' } },
  );
}

/** A user whose address is proved now. */
interface Proved {
  readonly user: User;
  readonly hasTakenOver: boolean;
}

/** `POST /auth/verify-email` (specification.md 4.3, S-9, S-10, S-12, S-20, S-55). */
@Injectable()
export class VerificationService {
  constructor(
    private readonly tokens: AccountTokens,
    private readonly accounts: NewAccounts,
    private readonly users: UsersService,
    private readonly contents: AccountContents,
    private readonly sessions: SessionStarter,
    private readonly activity: ActivityService,
  ) {}

  /**
   * Activates the sign-up that the token was made for, or marks the address of an account as verified. Throws
   * `invalid_token`, also where neither is there any more, `signup_not_allowed`, and `forbidden` where the visitor is
   * signed in to another account whose session may not be replaced; none of them uses the token up. After a take-over it
   * returns when no instance accepts the API key.
   */
  async verify(token: string, visitor: Visitor, mayReplaceSession: boolean): Promise<SignedIn> {
    const { signedIn, hasTakenOver } = await this.tokens.redeem('verify', token, async (subject) => {
      if (!mayReplaceSession && visitor.isSomebodyElse(subject.subjectId)) throw anotherAccount();
      const { user, hasTakenOver } = await this.#prove(subject, visitor);
      await this.activity.record({ type: 'email_verified', userId: user.id });
      await this.tokens.voidAll(subject.email, 'verify');
      return { signedIn: await this.sessions.start(user), hasTakenOver };
    });
    if (hasTakenOver) await this.contents.waitForKeyCacheExpiry();
    return signedIn;
  }

  async #prove(subject: TokenSubject, visitor: Visitor): Promise<Proved> {
    const activated = await this.accounts.activate(subject.subjectId);
    if (activated !== null) return { user: activated, hasTakenOver: false };
    const user = await this.users.lockByEmail(subject.email);
    if (user?.id !== subject.subjectId || user.disabledAt !== null) throw invalidToken();
    // The link shows who reads the mails, not who signed up: only a session of the account shows that both are one person.
    const hasTakenOver = user.emailVerifiedAt === null && !(await visitor.isSignedInAs(user.id));
    if (hasTakenOver) await this.#takeOver(user);
    else await this.users.markEmailVerified(user.id);
    return { user: await this.users.get(user.id), hasTakenOver };
  }

  async #takeOver(user: User): Promise<void> {
    await this.contents.takeOver(user);
    await this.activity.record({ type: 'account_taken_over', userId: user.id, details: { provider: 'email' } });
  }
}
