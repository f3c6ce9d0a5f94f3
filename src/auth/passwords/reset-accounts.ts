import { Injectable } from '@nestjs/common';
import { type User, UsersService } from '../../users/users.service.js';
import { AccountContents } from '../contents/account-contents.js';
import { WaitingAccounts } from '../signup/waiting-accounts.js';
import { subjectGone } from '../tokens/account-tokens.js';
import type { TokenSubject } from '../tokens/account-tokens.repository.js';
import { PasswordChanges } from './password-changes.js';

/** What becomes of an account, or of sign-ups that wait, whose owner has followed a reset link (DESIGN 4, S-24). */
@Injectable()
export class ResetAccounts {
  constructor(
    private readonly users: UsersService,
    private readonly waiting: WaitingAccounts,
    private readonly changes: PasswordChanges,
    private readonly contents: AccountContents,
  ) {}

  /** Throws `invalid_token` where nothing of the subject is left. Needs a transaction. */
  async settle(subject: TokenSubject, passwordHash: string): Promise<void> {
    const user = await this.users.lockByEmail(subject.email);
    if (user === null) {
      await this.changes.set(await this.waiting.activate(subject, passwordHash), passwordHash, null);
      return;
    }
    if (user.id !== subject.subjectId || user.disabledAt !== null) throw subjectGone();
    await this.#reset(user, passwordHash);
  }

  /** Ends when no instance accepts an API key that was ended. */
  waitForKeyCacheExpiry(): Promise<void> {
    return this.contents.waitForKeyCacheExpiry();
  }

  /** Whoever held an account whose address was not proved may have been somebody else: nothing of his stays (S-24). */
  async #reset(user: User, passwordHash: string): Promise<void> {
    if (user.emailVerifiedAt === null) await this.contents.strip(user);
    await this.users.markEmailVerified(user.id);
    const [keptApiKey = null] = await this.contents.keyPrefixes(user.id);
    await this.changes.set(user, passwordHash, keptApiKey);
  }
}
