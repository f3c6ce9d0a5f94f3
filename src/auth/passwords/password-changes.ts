import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import { type User, UsersService } from '../../users/users.service.js';
import { SignedInDevices } from '../sessions/signed-in-devices.js';

/** Puts a new password in place. */
@Injectable()
export class PasswordChanges {
  constructor(
    private readonly users: UsersService,
    private readonly devices: SignedInDevices,
    private readonly activity: ActivityService,
    private readonly transactions: Transactions,
  ) {}

  /** Only while the old password stands; ends every session but the one named. */
  replace(user: User, hashes: { readonly from: string; readonly to: string }, keptSessionId: string): Promise<boolean> {
    return this.transactions.run(async () => {
      if (!(await this.users.renewPasswordHash(user.id, hashes.from, hashes.to))) return false;
      await this.#announce(user, keptSessionId);
      return true;
    });
  }

  /** Whatever the old password was; ends every session. The notice names the API key that goes on working (S-24). */
  async set(user: User, passwordHash: string, keptApiKey: string | null): Promise<void> {
    await this.transactions.run(async () => {
      await this.users.setPassword(user.id, passwordHash);
      await this.#announce(user, null, keptApiKey === null ? {} : { kept_api_key: keptApiKey });
    });
  }

  async #announce(user: User, keptSessionId: string | null, details: Record<string, string> = {}): Promise<void> {
    await this.devices.revokeAll(user.id, keptSessionId);
    await this.activity.record({ type: 'password_changed', userId: user.id, details });
  }
}
