import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { PasswordHasher } from '../../platform/crypto/password-hasher.js';
import { AppError } from '../../platform/errors/app-error.js';
import { LogInLimits } from '../limits/login-limits.js';
import { type User, UsersService } from '../../users/users.service.js';

const MAX_ATTEMPTS = 3;

/** 401 `invalid_credentials` for a signed-in person. */
function wrongPassword(): AppError {
  return new AppError(
    'invalid_credentials',
    'The current password is wrong. If none is set, set one by a reset first.',
  );
}

/** Somebody who has just given the password once more. */
export interface ConfirmedUser {
  readonly user: User;
  /** What the password was checked against; a change that follows holds only while it stands. */
  readonly passwordHash: string;
}

/** Asks a signed-in person for the password once more before a change that cannot be taken back (DESIGN 4). */
@Injectable()
export class PasswordCheck {
  constructor(
    private readonly users: UsersService,
    private readonly hasher: PasswordHasher,
    private readonly activity: ActivityService,
    private readonly limits: LogInLimits,
  ) {}

  /**
   * Asks for the password and makes a change that holds only while the stored form stands that it was checked against; where
   * `change` says that it does not, because a log-in has renewed it, both again. Throws `invalid_credentials`, also where no
   * password is set, and `rate_limited`.
   */
  async before(
    userId: string,
    password: string,
    change: (confirmed: ConfirmedUser) => Promise<boolean>,
  ): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      if (await change(await this.#confirm(userId, password))) return;
    }
    throw wrongPassword();
  }

  async #confirm(userId: string, password: string): Promise<ConfirmedUser> {
    const [user, passwordHash] = await Promise.all([this.users.get(userId), this.users.findPasswordHash(userId)]);
    return this.limits.count(user.email, async () => {
      const matches = await this.hasher.verify(password, passwordHash);
      if (matches && passwordHash !== null) return { user, passwordHash };
      await this.activity.record({ type: 'login_failed', userId, details: { confirmation: true } });
      throw wrongPassword();
    });
  }
}
