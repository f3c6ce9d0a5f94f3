import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { AppError } from '../../platform/errors/app-error.js';
import { nameOf, newUserId, type NewUser, type User, UsersService } from '../../users/users.service.js';
import { AccountTokens } from '../tokens/account-tokens.js';
import type { TokenSubject } from '../tokens/account-tokens.repository.js';
import { type PendingSignUp, PendingSignUpsRepository } from '../tokens/pending-signups.repository.js';
import { WhitelistService } from './whitelist.service.js';

/** 403 `signup_not_allowed`, the same for an address that is not approved and one that is taken (S-7). */
export function signUpNotAllowed(): AppError {
  return new AppError(
    'signup_not_allowed',
    'This address cannot sign up here. Ask the operator to approve it, or sign in if you have an account.',
  );
}

/**
 * The one place where accounts begin, so that every way in obeys the access mode (S-13). Every method needs a
 * transaction.
 */
@Injectable()
export class NewAccounts {
  constructor(
    private readonly whitelist: WhitelistService,
    private readonly users: UsersService,
    private readonly pending: PendingSignUpsRepository,
    private readonly tokens: AccountTokens,
    private readonly activity: ActivityService,
  ) {}

  /** Stores a sign-up until its address is proved; returns the id that its user will have. */
  async addPending(signUp: Omit<PendingSignUp, 'id' | 'createdAt'>): Promise<string> {
    const id = newUserId();
    await this.pending.insert({ id, ...signUp });
    await this.activity.recordSignUp(id);
    return id;
  }

  /** Removes what is pending for an address: sign-ups and mailed links. */
  async dropPending(email: string): Promise<void> {
    await this.pending.removeAll(email);
    await this.tokens.voidAll(email);
  }

  /**
   * Makes the account of the pending sign-up with this id, as its address is proved. Null where there is none, or the
   * address is taken. Throws `signup_not_allowed`.
   */
  async activate(id: string): Promise<User | null> {
    return this.#activate(await this.pending.find(id), null);
  }

  /** As activate, with a password of a reset link; for the sign-up that the link names, else for the newest (contract.md 4). */
  async activateByReset({ subjectId, email }: TokenSubject, passwordHash: string): Promise<User | null> {
    return this.#activate((await this.pending.find(subjectId)) ?? (await this.pending.findNewest(email)), passwordHash);
  }

  /**
   * Makes an account and removes every pending sign-up of its address (S-10); null where the address is taken. Records the
   * sign-up, unless the account has an id, as then it was recorded before. Holds the address first, as every change of an
   * account does. Throws `signup_not_allowed`.
   */
  async create(account: NewUser): Promise<User | null> {
    if (!(await this.whitelist.admits(account.email))) throw signUpNotAllowed();
    if ((await this.users.lockByEmail(account.email)) !== null) return null;
    const user = await this.users.create(account);
    if (user === null) return null;
    await this.pending.removeAll(user.email);
    if (account.id === undefined) await this.activity.record({ type: 'signup', userId: user.id });
    return user;
  }

  /**
   * With the new password where there is one, else the sign-up's own. Where several sign-ups are pending for the address,
   * nobody can tell whose name and password is whose: the account begins without any of them (S-55).
   */
  async #activate(signUp: PendingSignUp | null, newPasswordHash: string | null): Promise<User | null> {
    if (signUp === null) return null;
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
}
