import { Injectable } from '@nestjs/common';
import type { SessionPrincipal } from '../../access/principal.js';
import { PasswordHasher } from '../../platform/crypto/password-hasher.js';
import { PasswordChanges } from './password-changes.js';
import { PasswordCheck, wrongPassword } from './password-check.js';
import { assertStrongPassword } from './password-policy.js';

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
  ) {}

  /** Ends the other sessions. Throws `invalid_credentials` and `weak_password`. */
  async change({ userId, sessionId }: SessionPrincipal, change: PasswordChange): Promise<void> {
    const { user, passwordHash } = await this.check.confirm(userId, change.currentPassword);
    assertStrongPassword(change.newPassword, user.email);
    const newHash = await this.hasher.hash(change.newPassword);
    if (!(await this.changes.replace(user, { from: passwordHash, to: newHash }, sessionId))) throw wrongPassword();
  }
}
