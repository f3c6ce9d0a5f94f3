import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { ErrorReason } from '../../platform/errors/error-codes.js';
import { type Appearance, type Identity, nameOf, type User, UsersService } from '../../users/users.service.js';
import { AccountContents } from '../contents/account-contents.js';
import { type SignedIn, SessionStarter } from '../sessions/session-starter.js';
import { NewAccounts } from '../signup/new-accounts.js';
import type { ProviderAccount } from './oauth-provider.js';

/** The name and image of a user who comes through a provider. */
function appearanceOf({ name, avatarUrl }: ProviderAccount, email: string): Appearance {
  return { name: name ?? nameOf(email), avatarUrl };
}

/** 403 `oauth_failed`. */
function refused(reason: ErrorReason, message: string): AppError {
  return new AppError('oauth_failed', message, { status: 403, details: { reason } });
}

/** Signs in a person whom a provider has identified: finds, makes or takes over the user here (S-11, S-12, S-13). */
@Injectable()
export class OAuthSignIn {
  constructor(
    private readonly users: UsersService,
    private readonly accounts: NewAccounts,
    private readonly contents: AccountContents,
    private readonly sessions: SessionStarter,
    private readonly activity: ActivityService,
    private readonly transactions: Transactions,
  ) {}

  /** Throws `oauth_failed` and `signup_not_allowed`. After a take-over it returns when no instance accepts the API key. */
  async enter(provider: string, account: ProviderAccount): Promise<SignedIn> {
    const { signedIn, hasTakenOver } = await this.transactions.run(async () => {
      const identity = { provider, subject: account.subject };
      const known = await this.#findAndLock(identity);
      if (known !== null) return { signedIn: await this.#start(known, provider), hasTakenOver: false };
      const email = account.verifiedEmail;
      if (email === null) {
        throw refused('email_unverified', 'The provider has not verified your e-mail address. Verify it there first.');
      }
      return this.#enterByEmail(identity, email, appearanceOf(account, email));
    });
    if (hasTakenOver) await this.contents.waitForKeyCacheExpiry();
    return signedIn;
  }

  /** Links the identity to the account of a verified address, which is made, or taken over, where that is needed. */
  async #enterByEmail(
    identity: Identity,
    email: string,
    appearance: Appearance,
  ): Promise<{ signedIn: SignedIn; hasTakenOver: boolean }> {
    const { provider } = identity;
    const { user, isNew } = await this.#createOrLock(email, appearance);
    const hasTakenOver = !isNew && user.emailVerifiedAt === null;
    const own = hasTakenOver ? await this.#takeOver(user, provider, appearance) : user;
    const isLinkedNow = await this.#link(own, identity);
    if (isLinkedNow && !isNew && !hasTakenOver) {
      await this.activity.record({ type: 'oauth_linked', userId: own.id, details: { provider } });
    }
    return { signedIn: await this.#start(own, provider), hasTakenOver };
  }

  /**
   * Finds the user by the provider's own subject, whatever address the person has there today (S-11); locks the user until the
   * transaction ends.
   */
  async #findAndLock(identity: Identity): Promise<User | null> {
    const user = await this.users.findByIdentity(identity);
    if (user === null) return null;
    await this.users.lockByEmail(user.email);
    return this.users.findByIdentity(identity);
  }

  /**
   * Returns the user of an address that the provider vouches for. Where there is no such user, makes one, if the access mode
   * admits the address (S-13). Of several calls at once, one makes the user and the others find it. The row of an existing
   * user is locked until the transaction ends.
   */
  async #createOrLock(email: string, appearance: Appearance): Promise<{ user: User; isNew: boolean }> {
    const existing = await this.users.lockByEmail(email);
    if (existing !== null) return { user: existing, isNew: false };
    const created = await this.accounts.create({ email, ...appearance, emailVerifiedAt: new Date() });
    if (created !== null) return { user: created, isNew: true };
    const winner = await this.users.lockByEmail(email);
    if (winner === null) throw new Error('the account came and went meanwhile');
    return { user: winner, isNew: false };
  }

  /** Hands the account that somebody made for an address without proof to its proved owner, emptied, the name too (S-12). */
  async #takeOver(user: User, provider: string, appearance: Appearance): Promise<User> {
    await this.contents.takeOver(user, appearance);
    await this.activity.record({ type: 'account_taken_over', userId: user.id, details: { provider } });
    return this.users.get(user.id);
  }

  /** False where the identity is this user's already; throws where it is another's. */
  async #link(user: User, identity: Identity): Promise<boolean> {
    if (await this.users.link(user.id, identity)) return true;
    const owner = await this.users.findByIdentity(identity);
    if (owner?.id === user.id) return false;
    throw new AppError('oauth_failed', 'This provider account belongs to another account here.', {
      details: { reason: 'identity_taken' },
    });
  }

  async #start(user: User, provider: string): Promise<SignedIn> {
    if (user.disabledAt !== null) {
      throw refused('account_disabled', 'This account cannot sign in. Ask the operator.');
    }
    const signedIn = await this.sessions.start(user);
    const details = { provider, new_device: signedIn.isNewDevice };
    await this.activity.record({ type: 'login', userId: user.id, details });
    return signedIn;
  }
}
