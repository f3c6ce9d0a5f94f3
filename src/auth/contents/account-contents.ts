import { Injectable } from '@nestjs/common';
import { type EndedBy, UserKeysService } from '../../bots/user-keys.service.js';
import { CredentialsService } from '../../credentials/credentials.service.js';
import { type Appearance, nameOf, type User, UsersService } from '../../users/users.service.js';
import { KnownDevicesRepository } from '../sessions/known-devices.repository.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { AccountTokens } from '../tokens/account-tokens.js';

/** What hangs on an account: API keys, its own and those of bots, exchange credentials, identities at providers, sessions, mailed links, devices. */
@Injectable()
export class AccountContents {
  constructor(
    private readonly keys: UserKeysService,
    private readonly credentials: CredentialsService,
    private readonly users: UsersService,
    private readonly sessions: SessionsRepository,
    private readonly devices: KnownDevicesRepository,
    private readonly tokens: AccountTokens,
  ) {}

  /**
   * Revokes all API keys, halts all bots, and removes credentials and identities (S-12, S-24), and puts `appearance` in the place of the name
   * and image. Needs a transaction.
   */
  async strip({ id, email }: User, appearance: Appearance = { name: nameOf(email), avatarUrl: null }): Promise<void> {
    await this.keys.revokeAll(id, 'owner');
    await this.credentials.removeAll(id);
    await this.users.unlinkAll(id);
    await this.users.setAppearance(id, appearance);
  }

  /**
   * Gives an account that was made without a proof of its address to the user who has now proved it: removes password, sessions,
   * devices and all that `strip` removes, and marks the address as verified (S-12). Needs a transaction.
   */
  async takeOver(user: User, appearance?: Appearance): Promise<void> {
    await this.users.setPassword(user.id, null);
    await this.strip(user, appearance);
    await this.endSessionsAndDevices(user);
    await this.users.markEmailVerified(user.id);
  }

  /** Ends sessions and mailed links; returns how many sessions. A new device is still new afterwards. Needs a transaction. */
  async endSessions({ id, email }: User): Promise<number> {
    const count = await this.sessions.revokeAll(id, null);
    await this.tokens.voidAll(email);
    return count;
  }

  /** As `endSessions`, for an account that may be in strange hands: forgets the devices too. Needs a transaction. */
  async endSessionsAndDevices(user: User): Promise<void> {
    await this.endSessions(user);
    await this.devices.forget(user.id);
  }

  /**
   * Ends the next sessions of all users, at most `limit`, in the order of their ids; returns them. Skips sessions that another
   * transaction has locked.
   */
  endNextSessions(afterId: string, limit: number): Promise<{ readonly id: string; readonly userId: string }[]> {
    return this.sessions.revokeNext(afterId, limit);
  }

  /** Whether any user has a session that has not ended. */
  hasSessions(): Promise<boolean> {
    return this.sessions.hasUnended();
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

  /** Returns the prefix of the live API key, in the form of the `details` of an event (S-24). */
  async keptKey(userId: string): Promise<{ kept_api_key?: string }> {
    const prefix = await this.keys.livingPrefix(userId);
    return prefix === null ? {} : { kept_api_key: prefix };
  }

  /**
   * Revokes all API keys and halts all bots; the main key as `details` of an event have it. Needs a transaction, and
   * `waitForKeyCacheExpiry` after it.
   */
  async revokeKeys(userId: string, by: EndedBy): Promise<{ revoked_api_key?: string }> {
    const prefix = await this.keys.revokeAll(userId, by);
    return prefix === null ? {} : { revoked_api_key: prefix };
  }

  /** Ends the keys of all bots and halts them, for the operator. Needs a transaction, and `waitForKeyCacheExpiry` after it. */
  endBots(userId: string): Promise<void> {
    return this.keys.endBots(userId, 'operator');
  }

  /** Lets the owner make as many keys today as anybody, whatever a thief made. Not part of a transaction. */
  forgetKeysMade(userId: string): Promise<void> {
    return this.keys.forgetMade(userId);
  }

  /** Ends when no instance accepts a key that was revoked before. Call it after the commit, before the answer (contract.md 6). */
  waitForKeyCacheExpiry(): Promise<void> {
    return this.keys.waitForKeyCacheExpiry();
  }

  /** Ends when no stream goes on for a session that was ended before. Call it after the commit (S-60). */
  waitForStreams(): Promise<void> {
    return this.keys.waitForStreams();
  }
}
