import { Injectable } from '@nestjs/common';
import type { User } from '../../users/users.service.js';
import { KnownDevicesRepository } from '../sessions/known-devices.repository.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { AccountTokens } from '../tokens/account-tokens.js';

/** Whatever signs somebody in to an account at this moment, or soon. */
@Injectable()
export class AccountLogIns {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly devices: KnownDevicesRepository,
    private readonly tokens: AccountTokens,
  ) {}

  /** Ends sessions and mailed links, and forgets the devices. Needs a transaction. */
  async endAll({ id, email }: User): Promise<void> {
    await this.sessions.revokeAll(id, null);
    await this.devices.forget(id);
    await this.tokens.voidAll(email);
  }

  /** Ends every session but the one named, and links that reset the password. Needs a transaction. */
  async endOthers({ id, email }: User, keptSessionId: string): Promise<void> {
    await this.sessions.revokeAll(id, keptSessionId);
    await this.tokens.voidAll(email, 'reset');
  }

  /**
   * Ends everything for whoever has proved the address. Their device is known from now on, so that no attack on the account
   * keeps them from signing in with it (S-25); those from before a first proof are not (S-24). Needs a transaction.
   */
  async startAnew({ id, email, emailVerifiedAt }: User): Promise<void> {
    await this.sessions.revokeAll(id, null);
    await this.tokens.voidAll(email);
    if (emailVerifiedAt === null) await this.devices.forget(id);
    await this.devices.note(id);
  }
}
