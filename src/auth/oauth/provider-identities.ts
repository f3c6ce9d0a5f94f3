import { Injectable } from '@nestjs/common';
import { type Identity, type User, UsersService } from '../../users/users.service.js';
import { AppError } from '../../platform/errors/app-error.js';
import { NewAccounts } from '../signup/new-accounts.js';
import type { ProviderAccount } from './oauth-provider.js';
import { appearanceOf } from './provider-account.js';

/** Finds, makes and links the account of a person at a provider. */
@Injectable()
export class ProviderIdentities {
  constructor(
    private readonly users: UsersService,
    private readonly accounts: NewAccounts,
  ) {}

  /** By the provider's own subject, whatever address he has there today (S-11). Holds the account until the end. */
  async find(identity: Identity): Promise<User | null> {
    const user = await this.users.findByIdentity(identity);
    if (user === null) return null;
    await this.users.lockByEmail(user.email);
    return this.users.findByIdentity(identity);
  }

  /**
   * The account of an address that the provider vouches for; a new one where there is none, as far as the access mode lets
   * (S-13). Of many who try at once one makes it and the others get it. An old one is held until the end.
   */
  async createOrLock(account: ProviderAccount, email: string): Promise<{ user: User; isNew: boolean }> {
    const existing = await this.users.lockByEmail(email);
    if (existing !== null) return { user: existing, isNew: false };
    const appearance = appearanceOf(account, email);
    const created = await this.accounts.create({ email, ...appearance, emailVerifiedAt: new Date() });
    if (created !== null) return { user: created, isNew: true };
    const winner = await this.users.lockByEmail(email);
    if (winner === null) throw new Error('the account came and went meanwhile');
    return { user: winner, isNew: false };
  }

  /** Joins the provider account to this account; false where it is so already. One that signs in another is refused. */
  async link(user: User, identity: Identity): Promise<boolean> {
    if (await this.users.link(user.id, identity)) return true;
    const owner = await this.users.findByIdentity(identity);
    if (owner?.id === user.id) return false;
    throw new AppError('oauth_failed', 'This provider account belongs to another account here.', {
      details: { reason: 'identity_taken' },
    });
  }
}
