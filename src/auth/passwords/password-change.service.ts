import { Injectable } from '@nestjs/common';
import type { SessionPrincipal } from '../../access/principal.js';
import { SessionWrites } from '../../access/session-writes.js';
import { PasswordHasher } from '../../platform/crypto/password-hasher.js';
import { PasswordChanges } from './password-changes.js';
import { PasswordCheck } from './password-check.js';
import { assertStrongPassword } from '../password-policy/password-policy.js';

/** What a person sends to change the password. */
export interface PasswordChange {
  readonly currentPassword: string;
  readonly newPassword: string;
}

/** `POST /account/password` (DESIGN 4). */
@Injectable()
export class PasswordChangeService {
  constructor(
    private readonly check: PasswordCheck,
    private readonly hasher: PasswordHasher,
    private readonly changes: PasswordChanges,
    private readonly writes: SessionWrites,
  ) {}

  /** Ends the other sessions. Throws `invalid_credentials` and `weak_password`. */
  async change(caller: SessionPrincipal, change: PasswordChange): Promise<void> {
    await this.check.before(caller.userId, change.currentPassword, async ({ user, passwordHash }) => {
      assertStrongPassword(change.newPassword, user.email);
      const hashes = { from: passwordHash, to: await this.hasher.hash(change.newPassword) };
      return this.writes.run(caller, () => this.changes.replace(user, hashes, caller.sessionId));
    });
  }
}
