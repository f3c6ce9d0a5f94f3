import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../../api-keys/api-keys.service.js';
import { CredentialsService } from '../../credentials/credentials.service.js';
import { type Appearance, nameOf, type User, UsersService } from '../../users/users.service.js';
import { KnownDevicesRepository } from '../sessions/known-devices.repository.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { AccountTokens } from '../tokens/account-tokens.js';

/** What hangs on an account: API key, exchange credentials, identities at providers, sessions, mailed links, devices. */
@Injectable()
export class AccountContents {
  constructor(
    private readonly apiKeys: ApiKeysService,
    private readonly credentials: CredentialsService,
    private readonly users: UsersService,
    private readonly sessions: SessionsRepository,
    private readonly devices: KnownDevicesRepository,
    private readonly tokens: AccountTokens,
  ) {}

  /**
   * Revokes the API key and removes credentials and identities (S-12, S-24), and puts `appearance` in the place of the name
   * and image. Needs a transaction.
   */
  async strip({ id, email }: User, appearance: Appearance = { name: nameOf(email), avatarUrl: null }): Promise<void> {
    await this.apiKeys.revokeAny(id);
    await this.credentials.removeAll(id);
    await this.users.unlinkAll(id);
    await this.users.setAppearance(id, appearance);
  }

  /** Ends sessions and mailed links, and forgets the devices. Needs a transaction. */
  async endSessions({ id, email }: User): Promise<void> {
    await this.sessions.revokeAll(id, null);
    await this.devices.forget(id);
    await this.tokens.voidAll(email);
  }

  /** Ends every session but the one named, and links that reset the password. Needs a transaction. */
  async endOtherSessions({ id, email }: User, keptSessionId: string): Promise<void> {
    await this.sessions.revokeAll(id, keptSessionId);
    await this.tokens.voidAll(email, 'reset');
  }

  /**
   * Ends sessions and mailed links for the user who has proved the address. Their device is known from now on, so that no
   * attack on the account keeps them from signing in with it (S-25); devices from before a first proof are not (S-24).
   * Needs a transaction.
   */
  async startAnew({ id, email, emailVerifiedAt }: User): Promise<void> {
    await this.sessions.revokeAll(id, null);
    await this.tokens.voidAll(email);
    if (emailVerifiedAt === null) await this.devices.forget(id);
    await this.devices.note(id);
  }

  /** Prefixes of the API keys that work. */
  async keyPrefixes(userId: string): Promise<string[]> {
    return (await this.apiKeys.list(userId)).map(({ prefix }) => prefix);
  }

  /** Ends when no instance accepts a key that was revoked before. Call it after the commit, before the answer (contract.md 6). */
  waitForKeyCacheExpiry(): Promise<void> {
    return this.apiKeys.waitForKeyCacheExpiry();
  }
}
