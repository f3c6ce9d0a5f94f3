import { Injectable } from '@nestjs/common';
import { ulid } from 'ulid';
import { unauthorized } from '../../access/bearer.js';
import type { Secret } from '../../platform/secrets/secret.js';
import { currentRequest } from '../../platform/http/request-context.js';
import { type User, UsersService } from '../../users/users.service.js';
import { KnownDevices } from './known-devices.js';
import { SessionTokens } from './session-tokens.js';
import { SessionsRepository } from './sessions.repository.js';

const MAX_USER_AGENT = 512;

/** What a person gets who has just proved who he is. */
export interface SignedIn {
  readonly user: User;
  readonly accessToken: string;
  readonly refreshToken: Secret;
  readonly expiresAt: Date;
  /** Whether the account has others, but never signed in with this one before. */
  readonly isNewDevice: boolean;
}

/** Starts sessions and keeps them going: each log-in is one, with refresh tokens of its own (S-21, S-23). */
@Injectable()
export class SessionsService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly tokens: SessionTokens,
    private readonly users: UsersService,
    private readonly devices: KnownDevices,
  ) {}

  /** Starts a session for a user who has proved who he is. */
  async start(user: User): Promise<SignedIn> {
    const id = `ses_${ulid()}`;
    const refreshToken = this.tokens.refresh.create();
    const request = currentRequest();
    const expiresAt = await this.sessions.insert({
      id,
      userId: user.id,
      refreshHash: this.tokens.refresh.hash(refreshToken),
      ip: request?.ip ?? '',
      userAgent: request?.userAgent.slice(0, MAX_USER_AGENT) ?? '',
      lifeMs: this.tokens.lifeMs,
    });
    const isNewDevice = await this.devices.note(user.id);
    const accessToken = await this.tokens.access.issue(user.id, id);
    return { user, accessToken, refreshToken, expiresAt, isNewDevice };
  }

  /** As start, in a transaction; null where this is not the account's password any more. */
  async startByPassword(user: User, passwordHash: string): Promise<SignedIn | null> {
    return (await this.users.holdPassword(user.id, passwordHash)) ? this.start(user) : null;
  }

  /** A new access token for a session that goes on; throws `unauthorized` where its account was deleted meanwhile. */
  async resume(
    userId: string,
    sessionId: string,
    refresh: Pick<SignedIn, 'refreshToken' | 'expiresAt'>,
  ): Promise<SignedIn> {
    const user = await this.users.find(userId);
    if (user === null) throw unauthorized('invalid');
    return { user, accessToken: await this.tokens.access.issue(userId, sessionId), ...refresh, isNewDevice: false };
  }
}
