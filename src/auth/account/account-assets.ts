import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../../api-keys/api-keys.service.js';
import { CredentialsService } from '../../credentials/credentials.service.js';
import { type Appearance, nameOf, type User, UsersService } from '../../users/users.service.js';

/** What hangs on an account and was put there by whoever held it. */
@Injectable()
export class AccountAssets {
  constructor(
    private readonly apiKeys: ApiKeysService,
    private readonly credentials: CredentialsService,
    private readonly users: UsersService,
  ) {}

  /**
   * Ends the API key and removes credentials and provider accounts (S-12, S-24), and puts `appearance` in the place of the
   * name and image. Needs a transaction.
   */
  async strip({ id, email }: User, appearance: Appearance = { name: nameOf(email), avatarUrl: null }): Promise<void> {
    await this.apiKeys.revokeAny(id);
    await this.credentials.removeAll(id);
    await this.users.unlinkAll(id);
    await this.users.setAppearance(id, appearance);
  }

  /** Prefixes of the API keys that work. */
  async keyPrefixes(userId: string): Promise<string[]> {
    return (await this.apiKeys.list(userId)).map(({ prefix }) => prefix);
  }

  /** Ends when no instance accepts a key that was ended before. Call it after the commit, before the answer (DESIGN 6). */
  waitForKeyCacheExpiry(): Promise<void> {
    return this.apiKeys.waitForKeyCacheExpiry();
  }
}
