import { Injectable } from '@nestjs/common';
import type { SessionPrincipal } from '../../access/principal.js';
import { ActivityService } from '../../activity/activity.service.js';
import { PasswordHasher } from '../../platform/crypto/password-hasher.js';
import { AppError } from '../../platform/errors/app-error.js';
import { LogInLimits } from '../limits/login-limits.js';
import { type User, UsersService } from '../../users/users.service.js';

const MAX_ATTEMPTS = 3;

/** 401 `invalid_credentials` for a signed-in user. */
function wrongPassword(): AppError {
  return new AppError(
    'invalid_credentials',
    'The current password is wrong. If none is set, set one by a reset first.',
  );
}

/** A user who has just sent the right password once more. */
export interface ConfirmedUser {
  readonly user: User;
  /** The hash that the password was checked against; make a change only if this is still the hash of the account. */
  readonly passwordHash: string;
}

/** Checks the password of a signed-in user once more before a change that cannot be undone (contract.md 4, S-25). */
@Injectable()
export class PasswordCheck {
  constructor(
    private readonly users: UsersService,
    private readonly hasher: PasswordHasher,
    private readonly activity: ActivityService,
    private readonly limits: LogInLimits,
  ) {}

  /**
   * Checks the password and makes `change`, which returns false where the hash that the password was checked against has
   * changed meanwhile, as when a log-in has renewed it: then both are done again. Throws `invalid_credentials`, also where
   * no password is set, and `rate_limited`.
   */
  async before(
    caller: SessionPrincipal,
    password: string,
    change: (confirmed: ConfirmedUser) => Promise<boolean>,
  ): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      if (await change(await this.#confirm(caller, password))) return;
    }
    throw wrongPassword();
  }

  async #confirm(caller: SessionPrincipal, password: string): Promise<ConfirmedUser> {
    const { userId } = caller;
    const [user, passwordHash] = await Promise.all([this.users.get(userId), this.users.findPasswordHash(userId)]);
    return this.limits.countConfirmation(caller, async () => {
      const matches = await this.hasher.verify(password, passwordHash, { share: 'known', account: userId });
      if (matches && passwordHash !== null) return { user, passwordHash };
      await this.activity.record({ type: 'login_failed', userId, details: { confirmation: true } });
      throw wrongPassword();
    });
  }
}
