import { Injectable } from '@nestjs/common';
import { ulid } from 'ulid';
import { Settings } from '../../platform/config/settings.js';
import { currentRequest } from '../../platform/http/request-context.js';
import type { Secret } from '../../platform/secrets/secret.js';
import { type SignedInUser, type User, UsersService } from '../../users/users.service.js';
import { AccessTokens } from './access-tokens.js';
import { RefreshTokens } from './refresh-tokens.js';
import { SessionsRepository } from './sessions.repository.js';
import { SignInBounds } from './sign-in-bounds.js';

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
