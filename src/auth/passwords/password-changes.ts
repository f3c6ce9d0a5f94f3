import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { type User, UsersService } from '../../users/users.service.js';
import { KnownDevices } from '../sessions/known-devices.js';
import { SignedInDevices } from '../sessions/signed-in-devices.js';

/** Puts a new password in place. */
@Injectable()
export class PasswordChanges {
  constructor(
    private readonly users: UsersService,
    private readonly devices: SignedInDevices,
    private readonly known: KnownDevices,
    private readonly activity: ActivityService,
  ) {}

  /** Only while the old password stands; ends every session but the one named. Needs a transaction. */
  async replace(
    user: User,
    hashes: { readonly from: string; readonly to: string },
    keptSessionId: string,
  ): Promise<boolean> {
    if (!(await this.users.renewPasswordHash(user.id, hashes.from, hashes.to))) return false;
    await this.#announce(user, keptSessionId);
    return true;
  }

  /**
   * Whatever the old password was, by whoever has proved the address; ends every session. His device is known from now on,
   * so that no attack on the account keeps him from signing in with it (S-25); those from before a first proof are not. The
   * notice names the API key that goes on working (S-24). Needs a transaction.
   */
  async set(user: User, passwordHash: string, keptApiKey: string | null): Promise<void> {
    await this.users.setPassword(user.id, passwordHash);
    if (user.emailVerifiedAt === null) await this.known.forget(user.id);
    await this.known.note(user.id);
    await this.#announce(user, null, keptApiKey === null ? {} : { kept_api_key: keptApiKey });
  }

  async #announce(user: User, keptSessionId: string | null, details: Record<string, string> = {}): Promise<void> {
    await this.devices.revokeAll(user.id, keptSessionId);
    await this.activity.record({ type: 'password_changed', userId: user.id, details });
  }
}
