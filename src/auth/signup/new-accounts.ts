import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { AppError } from '../../platform/errors/app-error.js';
import { nameOf, type NewUser, type User, UsersService } from '../../users/users.service.js';
import { AccessMode } from './access-mode.js';
import { type PendingSignUp, PendingSignUpsRepository } from '../tokens/pending-signups.repository.js';

/** 403 `signup_not_allowed`, the same for an address that is not approved and one that is taken (S-7). */
export function signUpNotAllowed(): AppError {
  return new AppError(
    'signup_not_allowed',
    'This address cannot sign up here. Ask the operator to approve it, or sign in if you have an account.',
  );
}

/** The one place where accounts begin, so that every way in obeys the access mode (S-13). */
@Injectable()
export class NewAccounts {
  constructor(
    private readonly mode: AccessMode,
    private readonly users: UsersService,
    private readonly pending: PendingSignUpsRepository,
    private readonly activity: ActivityService,
  ) {}

  /**
   * Makes the account of a sign-up whose address is proved, with the password given or else its own. Where others wait for
   * the same address nobody can tell whose name and password is whose: none of theirs is taken over (S-55). Null and throws
   * as `create`. Needs a transaction.
   */
  async activate(signUp: PendingSignUp, newPasswordHash: string | null = null): Promise<User | null> {
    const { id, email } = signUp;
    const { name, passwordHash } = (await this.pending.isAlone(signUp))
      ? signUp
      : { name: nameOf(email), passwordHash: null };
    return this.create({
      id,
      email,
      name,
      passwordHash: newPasswordHash ?? passwordHash,
      emailVerifiedAt: new Date(),
    });
  }

  /**
   * Makes an account and removes every sign-up that waits for its address (S-10); null where the address is taken. An id
   * is given where the sign-up was recorded before. Holds the address first, as every change of an account does. Throws
   * `signup_not_allowed`. Needs a transaction.
   */
  async create(account: NewUser): Promise<User | null> {
    if (!(await this.mode.admits(account.email))) throw signUpNotAllowed();
    if ((await this.users.lockByEmail(account.email)) !== null) return null;
    const user = await this.users.create(account);
    if (user === null) return null;
    await this.pending.removeAll(user.email);
    if (account.id === undefined) await this.activity.record({ type: 'signup', userId: user.id });
    return user;
  }
}
