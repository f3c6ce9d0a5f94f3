import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import { type User, UsersService } from '../../users/users.service.js';
import { AccountContents } from '../../auth/contents/account-contents.js';
import { AccountRemovalService } from '../../auth/account/account-removal.service.js';

/** Sessions that are ended in one transaction: few enough for the limit of a statement. */
const SESSIONS_AT_ONCE = 1_000;
/** How often those that others held meanwhile are tried again, and how far apart. */
const MAX_PASSES = 40;
const PAUSE_MS = 250;

/** What the operator may do with users and their accounts (`npm run users`). */
@Injectable()
export class UsersAdminService {
  constructor(
    private readonly users: UsersService,
    private readonly removal: AccountRemovalService,
    private readonly contents: AccountContents,
    private readonly activity: ActivityService,
    private readonly transactions: Transactions,
  ) {}

  list(): Promise<User[]> {
    return this.users.list();
  }

  /**
   * What a backup from before `since` does not know: accounts that were disabled, locked or deleted since. Their addresses, and
   * the ids of those that are gone.
   */
  async listEnded(since: Date): Promise<string[]> {
    const ids = await this.activity.findUserIds(['account_deleted', 'account_locked'], since);
    const users = await this.users.list();
    const gone = ids.filter((id) => !users.some((user) => user.id === id));
    const known = users.filter(
      ({ id, disabledAt }) => ids.includes(id) || (disabledAt !== null && disabledAt >= since),
    );
    return [...known.map(({ email }) => email), ...gone];
  }

  /** By id or address; null where there is none. */
  async find(idOrEmail: string): Promise<User | null> {
    return (await this.users.find(idOrEmail)) ?? this.users.findByEmail(idOrEmail.toLowerCase());
  }

  /**
   * Nothing of the account works any more; its API key and credentials stay for when it is enabled again. Ends all
   * sessions and the keys of all bots, which are halted; returns when no instance accepts the API key any more (contract.md 6).
   */
  async disable(user: User): Promise<void> {
    await this.transactions.run(async () => {
      await this.users.lockByEmail(user.email);
      await this.users.setDisabled(user.id, new Date());
      await this.contents.endBots(user.id);
      await this.contents.endSessionsAndDevices(user);
      await this.activity.record({ type: 'account_disabled', userId: user.id });
    });
    await this.contents.waitForKeyCacheExpiry();
  }

  /**
   * For an account that somebody else got into: ends all sessions and mailed links, revokes all API keys, halts all bots and drops the password.
   * It stays enabled, so that its owner sets a new password by a reset; credentials stay, and so do accounts at sign-in
   * providers. The owner makes new keys whatever number the thief made. Returns as disable does.
   */
  async lock(user: User): Promise<void> {
    await this.transactions.run(async () => {
      await this.users.lockByEmail(user.email);
      const details = await this.contents.revokeKeys(user.id, 'operator');
      await this.users.setPassword(user.id, null);
      await this.contents.endSessionsAndDevices(user);
      await this.activity.record({ type: 'account_locked', userId: user.id, details });
    });
    await this.contents.waitForKeyCacheExpiry();
    await this.contents.forgetKeysMade(user.id);
  }

  /**
   * Ends all sessions and mailed links of one account; returns how many sessions. Whoever knows the password signs in again, and
   * the owner hears of it where the device is new.
   */
  async endSessions(user: User): Promise<number> {
    return this.transactions.run(async () => {
      await this.users.lockByEmail(user.email);
      const count = await this.contents.endSessions(user);
      await this.activity.record({ type: 'sessions_ended', userId: user.id, details: { count } });
      return count;
    });
  }

  /**
   * Ends every session of everybody, in small transactions; returns how many. Nobody is mailed: the operator tells people. Throws
   * where others held some for 10 s.
   */
  async endAllSessions(): Promise<number> {
    let total = 0;
    for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
      total += await this.#endAllFree();
      if (!(await this.contents.hasSessions())) return total;
      await delay(PAUSE_MS);
    }
    throw new Error(`${total} sessions were ended, and others were in use all the while. Run this again.`);
  }

  async enable(user: User): Promise<void> {
    await this.transactions.run(async () => {
      await this.users.setDisabled(user.id, null);
      await this.activity.record({ type: 'account_enabled', userId: user.id });
    });
  }

  /** With everything that belongs to it, for good; returns as disable does. */
  async remove(user: User): Promise<void> {
    await this.transactions.run(() => this.removal.remove(user));
    await this.contents.waitForKeyCacheExpiry();
  }

  /** Ends those that nobody holds now; returns how many. */
  async #endAllFree(): Promise<number> {
    let [total, last] = [0, ''];
    for (;;) {
      const ended = await this.transactions.run(() => this.#endNext(last));
      const newest = ended.at(-1);
      if (newest === undefined) return total;
      total += ended.length;
      last = newest.id;
    }
  }

  async #endNext(afterId: string): Promise<readonly { readonly id: string }[]> {
    const ended = await this.contents.endNextSessions(afterId, SESSIONS_AT_ONCE);
    const owners = new Set(ended.map(({ userId }) => userId));
    await this.activity.recordAll(
      [...owners].map((userId) => ({ type: 'sessions_ended', userId, details: { everybody: true } })),
    );
    return ended;
  }
}
