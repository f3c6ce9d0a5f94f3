import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AccountLocksRepository } from '../../access/account-locks.repository.js';
import { bearerToken } from '../../access/bearer.js';
import { CredentialStrategies } from '../../access/credential-strategies.js';
import type { SessionPrincipal } from '../../access/principal.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { Secret } from '../../platform/secrets/secret.js';
import { RefreshTokens } from './refresh-tokens.js';
import { type HeldSession, SessionsRepository } from './sessions.repository.js';

/** Who sends a request to a public route, by the living sessions that its credentials name. */
export class Visitor {
  readonly #sessions: readonly HeldSession[];
  readonly #locks: AccountLocksRepository;

  constructor(sessions: readonly HeldSession[], locks: AccountLocksRepository) {
    this.#sessions = sessions;
    this.#locks = locks;
  }

  /** Whether somebody other than this user is signed in where the request comes from. */
  isSomebodyElse(userId: string): boolean {
    return this.#sessions.some((session) => session.userId !== userId);
  }

  /**
   * Whether the request has a living session of this user, which then cannot end before the transaction does. Needs a
   * transaction that holds the user's address.
   */
  async isSignedInAs(userId: string): Promise<boolean> {
    for (const session of this.#sessions) {
      if (session.userId === userId && (await this.#locks.bySession(session))) return true;
    }
    return false;
  }
}

/**
 * Finds out who visits a public route, by access token and refresh token; a token that names no living session counts as none
 * (S-12, S-20).
 */
@Injectable()
export class Visitors {
  constructor(
    private readonly strategies: CredentialStrategies,
    private readonly sessions: SessionsRepository,
    private readonly tokens: RefreshTokens,
    private readonly locks: AccountLocksRepository,
  ) {}

  /** `cookie` is the refresh token of the request; it is not used up. */
  async of(request: Request, cookie: Secret | null): Promise<Visitor> {
    const found = await Promise.all([this.#byAccessToken(request), cookie === null ? null : this.#byCookie(cookie)]);
    return new Visitor(
      found.filter((session) => session !== null),
      this.locks,
    );
  }

  async #byAccessToken(request: Request): Promise<HeldSession | null> {
    if (bearerToken(request) === null) return null;
    try {
      return await this.strategies.identify<SessionPrincipal>('jwt', request);
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthorized') return null;
      throw error;
    }
  }

  /** Also by the direct parent of the current token, as a refresh may be under way beside this request (S-22). */
  async #byCookie(cookie: Secret): Promise<HeldSession | null> {
    const hash = this.tokens.hash(cookie);
    const current = await this.sessions.findCurrent(hash);
    if (current !== null) return current;
    const spent = await this.sessions.findSpent(hash);
    return typeof spent?.successor === 'string' ? { userId: spent.user.id, sessionId: spent.sessionId } : null;
  }
}
