import { Injectable } from '@nestjs/common';
import type { User } from '../../users/users.service.js';
import { KnownDevices } from '../sessions/known-devices.js';
import { SignedInDevices } from '../sessions/signed-in-devices.js';
import { AccountTokens } from '../tokens/account-tokens.js';

/** Whatever signs somebody in to an account at this moment, or soon. */
@Injectable()
export class AccountLogIns {
  constructor(
    private readonly devices: SignedInDevices,
    private readonly known: KnownDevices,
    private readonly tokens: AccountTokens,
  ) {}

  /** Ends sessions and mailed links, and forgets the devices. Needs a transaction. */
  async endAll({ id, email }: User): Promise<void> {
    await this.devices.revokeAll(id);
    await this.known.forget(id);
    await this.tokens.voidAll(email);
  }
}
