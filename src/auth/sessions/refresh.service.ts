import { Injectable } from '@nestjs/common';
import { unauthorized } from '../../access/bearer.js';
import type { Secret } from '../../platform/secrets/secret.js';
import { RefreshTokens } from './refresh-tokens.js';
import { ReuseDetection } from './reuse-detection.js';
import { type Rotation, SessionsRepository } from './sessions.repository.js';
import { type SignedIn, SessionsService } from './sessions.service.js';

/** `POST /auth/refresh`: rotation, and the end of a session whose spent token turns up again (S-21, S-22). */
@Injectable()
export class RefreshService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly tokens: RefreshTokens,
    private readonly service: SessionsService,
    private readonly reuse: ReuseDetection,
  ) {}

  /**
   * The next token for the current one. Whoever presents the direct parent within 10 s gets the same token again, so
   * that racing calls end alike. Throws `unauthorized`; a token spent earlier also ends its session.
   */
  async refresh(presented: Secret): Promise<SignedIn> {
    const hash = this.tokens.hash(presented);
    const next = this.tokens.create();
    const rotation = await this.sessions.rotate(hash, this.tokens.hash(next), this.tokens.seal(next, hash));
    if (rotation !== null) return this.#answer(rotation, next);
    const spent = await this.sessions.findSpent(hash);
    if (spent === null) throw unauthorized((await this.sessions.isExpired(hash)) ? 'token_expired' : 'invalid');
    if (spent.successor === null) return this.reuse.end(spent);
    return this.#answer(spent, this.tokens.open(spent.successor, hash));
  }

  #answer({ userId, sessionId, expiresAt }: Rotation, refreshToken: Secret): Promise<SignedIn> {
    return this.service.resume(userId, sessionId, { refreshToken, expiresAt });
  }
}
