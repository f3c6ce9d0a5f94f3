import { Injectable } from '@nestjs/common';
import { ulid } from 'ulid';
import { ActivityService } from '../../activity/activity.service.js';
import { Settings } from '../../platform/config/settings.js';
import { Transactions } from '../../platform/database/transactions.js';
import { currentRequest } from '../../platform/http/request-context.js';
import { Retention } from '../../platform/retention/retention.js';
import type { Secret } from '../../platform/secrets/secret.js';
import { type SignedInUser, type User, UsersService } from '../../users/users.service.js';
import { AccessTokens } from './access-tokens.js';
import { KnownDevicesRepository } from './known-devices.repository.js';
import { RefreshTokens } from './refresh-tokens.js';
import { SessionsRepository } from './sessions.repository.js';

const MAX_USER_AGENT = 512;

/** What every way to sign in returns: the user, and both tokens of the session. */
export interface SignedIn {
  readonly user: SignedInUser;
  readonly accessToken: string;
  readonly refreshToken: Secret;
  readonly expiresAt: Date;
  /** Whether the account has known devices, and this one or its network is new among them. */
  readonly isNewDevice: boolean;
}

/** The most living sessions of a user, and the most ended sessions and devices that are remembered. */
const MAX_PER_USER = 50;
/** How many rows of a table one sign-in removes, and one run of retention. */
const AT_SIGN_IN = 100;
const AT_ONCE = 3_000;

/**
 * Bounds what sign-ins leave of one user: ends the session that was used longest ago, and forgets the oldest device (R-22,
 * S-23).
 */
@Injectable()
export class SignInBounds {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly devices: KnownDevicesRepository,
    private readonly activity: ActivityService,
    private readonly transactions: Transactions,
    retention: Retention,
  ) {
    retention.register('sign_ins', (limit) => this.#trimAll(limit));
  }

  /** Stores the device of a sign-in that began this session, and makes room for both. As `note`. Needs a transaction. */
  async admit(userId: string, sessionId: string): Promise<boolean> {
    const isNew = await this.devices.note(userId);
    await this.#trim(userId, sessionId, AT_SIGN_IN);
    return isNew;
  }

  /** Trims users who had more before there was a bound. */
  async #trimAll(limit: number): Promise<number> {
    const users = await this.sessions.findCrowded(MAX_PER_USER, limit);
    for (const userId of users) await this.transactions.run(() => this.#trim(userId, null, AT_ONCE));
    return users.length;
  }

  async #trim(userId: string, newSessionId: string | null, limit: number): Promise<void> {
    const kept = newSessionId === null ? MAX_PER_USER : MAX_PER_USER - 1;
    const ended = await this.sessions.endBeyond(userId, newSessionId, { kept, limit });
    await this.sessions.removeEndedBeyond(userId, { kept: MAX_PER_USER, limit });
    await this.devices.forgetBeyond(userId, { kept: MAX_PER_USER, limit });
    if (ended.length === 0) return;
    const [sessionId = ''] = ended;
    const details = ended.length === 1 ? { session_id: sessionId } : { count: ended.length };
    await this.activity.recordHourly({ type: 'session_revoked', userId, details }, 'too_many');
  }
}

/** Starts sessions and resumes them: each sign-in is one, with refresh tokens of its own (S-21, S-23). */
@Injectable()
export class SessionStarter {
  readonly #lifeMs: number;

  constructor(
    private readonly sessions: SessionsRepository,
    private readonly accessTokens: AccessTokens,
    private readonly refreshTokens: RefreshTokens,
    private readonly users: UsersService,
    private readonly bounds: SignInBounds,
    settings: Settings,
  ) {
    this.#lifeMs = settings.refreshTokenTtlMs;
  }

  /** Starts a session for a user who has just proved who they are. Needs a transaction. */
  async start(user: User): Promise<SignedIn> {
    const id = `ses_${ulid()}`;
    const refreshToken = this.refreshTokens.create();
    const request = currentRequest();
    const expiresAt = await this.sessions.insert({
      id,
      userId: user.id,
      refreshHash: this.refreshTokens.hash(refreshToken),
      ip: request?.ip ?? '',
      userAgent: request?.userAgent.slice(0, MAX_USER_AGENT) ?? '',
      lifeMs: this.#lifeMs,
    });
    const isNewDevice = await this.bounds.admit(user.id, id);
    const accessToken = await this.accessTokens.issue(user.id, id);
    return { user, accessToken, refreshToken, expiresAt, isNewDevice };
  }

  /** As start, in a transaction; null where this is not the user's password any more. */
  async startByPassword(user: User, passwordHash: string): Promise<SignedIn | null> {
    return (await this.users.holdPassword(user.id, passwordHash)) ? this.start(user) : null;
  }

  /** Issues an access token for a session that goes on. */
  async resume(
    user: SignedInUser,
    sessionId: string,
    refresh: Pick<SignedIn, 'refreshToken' | 'expiresAt'>,
  ): Promise<SignedIn> {
    return { user, accessToken: await this.accessTokens.issue(user.id, sessionId), ...refresh, isNewDevice: false };
  }
}
