import { Injectable } from '@nestjs/common';
import type { SessionPrincipal } from '../../access/principal.js';
import { SessionWrites } from '../../access/session-writes.js';
import { ActivityService } from '../../activity/activity.service.js';
import { PasswordHasher } from '../../platform/crypto/password-hasher.js';
import { type User, UsersService } from '../../users/users.service.js';
import { AccountContents } from '../contents/account-contents.js';
import { assertStrongPassword } from '../password-policy/password-policy.js';
import { PasswordCheck } from './password-check.js';

/** What a user sends to change the password. */
export interface PasswordChange {
  readonly currentPassword: string;
  readonly newPassword: string;
}

/** `POST /account/password` (contract.md 4). */
@Injectable()
export class PasswordChangeService {
  constructor(
    private readonly check: PasswordCheck,
    private readonly hasher: PasswordHasher,
    private readonly users: UsersService,
    private readonly contents: AccountContents,
    private readonly activity: ActivityService,
    private readonly writes: SessionWrites,
  ) {}

  /** Ends the other sessions. Throws `invalid_credentials` and `weak_password`. */
  async change(caller: SessionPrincipal, change: PasswordChange): Promise<void> {
    await this.check.before(caller, change.currentPassword, async ({ user, passwordHash }) => {
      assertStrongPassword(change.newPassword, user.email);
      const hashes = {
        from: passwordHash,
        to: await this.hasher.hash(change.newPassword, { share: 'known', account: user.id }),
      };
      return this.writes.run(caller, () => this.#replace(user, hashes, caller.sessionId));
    });
    await this.contents.waitForStreams();
  }

  /**
   * Changes nothing where the old password is no longer set. Ends every session but the one named. The notice names the API key
   * that goes on working.
   */
  async #replace(
    user: User,
    hashes: { readonly from: string; readonly to: string },
    keptSessionId: string,
  ): Promise<boolean> {
    if (!(await this.users.renewPasswordHash(user.id, hashes.from, hashes.to))) return false;
    await this.contents.endOtherSessions(user, keptSessionId);
    const details = await this.contents.keptKey(user.id);
    await this.activity.record({ type: 'password_changed', userId: user.id, details });
    return true;
  }
}
