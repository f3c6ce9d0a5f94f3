import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { PasswordHasher } from '../../platform/crypto/password-hasher.js';
import { type User, UsersService } from '../../users/users.service.js';
import { AccountContents } from '../contents/account-contents.js';
import { assertStrongPassword } from '../password-policy/password-policy.js';
import { NewAccounts } from '../signup/new-accounts.js';
import { AccountTokens, invalidToken } from '../tokens/account-tokens.js';
import type { TokenSubject } from '../tokens/account-tokens.repository.js';

/** What a user sends with the token of a reset. */
export interface PasswordReset {
  readonly newPassword: string;
  /** Whether the API keys, those of bots too, end with the sessions. */
  readonly revokesKey: boolean;
}

/** What a reset did with the API key, in the form of the `details` of its event. */
interface KeyFacts {
  readonly kept_api_key?: string;
  readonly revoked_api_key?: string;
}

/** `POST /auth/reset-password` (specification.md 4.5, contract.md 4, S-9, S-24). */
@Injectable()
export class PasswordResetService {
  constructor(
    private readonly tokens: AccountTokens,
    private readonly hasher: PasswordHasher,
    private readonly users: UsersService,
    private readonly accounts: NewAccounts,
    private readonly contents: AccountContents,
    private readonly activity: ActivityService,
  ) {}

  /**
   * Sets the password of an account, or makes the account of a pending sign-up. Throws `invalid_token` before it looks at
   * the password, and `weak_password` without using the token up.
   */
  async reset(token: string, { newPassword, revokesKey }: PasswordReset): Promise<void> {
    const { email, subjectId } = await this.tokens.check('reset', token);
    assertStrongPassword(newPassword, email);
    const passwordHash = await this.hasher.hash(newPassword, { share: 'reset', account: subjectId });
    await this.tokens.redeem('reset', token, async (subject) => {
      const user = await this.users.lockByEmail(subject.email);
      if (user === null) await this.#activate(subject, passwordHash);
      else if (user.id === subject.subjectId && user.disabledAt === null)
        await this.#reset(user, passwordHash, revokesKey);
      else throw invalidToken();
    });
    await this.contents.waitForKeyCacheExpiry();
  }

  async #activate(subject: TokenSubject, passwordHash: string): Promise<void> {
    const user = await this.accounts.activateByReset(subject, passwordHash);
    if (user === null) throw invalidToken();
    await this.activity.record({ type: 'email_verified', userId: user.id });
    await this.#setPassword(user, passwordHash, {});
  }

  /** Removes everything from an account whose address was not proved, since another person may have made it (S-24). */
  async #reset(user: User, passwordHash: string, revokesKey: boolean): Promise<void> {
    if (user.emailVerifiedAt === null) await this.contents.strip(user);
    await this.users.markEmailVerified(user.id);
    const key = revokesKey ? await this.contents.revokeKeys(user.id, 'owner') : await this.contents.keptKey(user.id);
    await this.#setPassword(user, passwordHash, key);
  }

  /** Ends every session. The notice names the API key that goes on working, or that was revoked (S-24). */
  async #setPassword(user: User, passwordHash: string, key: KeyFacts): Promise<void> {
    await this.users.setPassword(user.id, passwordHash);
    await this.contents.startAnew(user);
    await this.activity.record({ type: 'password_changed', userId: user.id, details: { ...key } });
  }
}
