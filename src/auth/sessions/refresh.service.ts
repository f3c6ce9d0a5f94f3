import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { unauthorized } from '../../access/bearer.js';
import { ActivityService } from '../../activity/activity.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Secret } from '../../platform/secrets/secret.js';
import { RefreshTokens } from './refresh-tokens.js';
import { type SignedIn, SessionStarter } from './session-starter.js';
import { type Rotation, SessionsRepository, type SpentToken } from './sessions.repository.js';

const SWEEP_EVERY_MS = 10_000;

/** `POST /auth/refresh`: rotation, and the end of a session whose spent token is used again (S-21, S-22). */
@Injectable()
export class RefreshService implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #logger = new Logger('Sessions');
  #timer: NodeJS.Timeout | undefined;
  #sweep: Promise<void> | undefined;

  constructor(
    private readonly sessions: SessionsRepository,
    private readonly tokens: RefreshTokens,
    private readonly starter: SessionStarter,
    private readonly activity: ActivityService,
    private readonly transactions: Transactions,
  ) {}

  /** Sealed successors are kept for the grace window only: drops them soon after it (S-22). */
  onApplicationBootstrap(): void {
    this.#timer = setInterval(() => {
      this.#sweep = this.sessions.forgetSuccessors().catch((error: unknown) => {
        this.#logger.warn({ err: error, message: 'Sealed refresh tokens are dropped later' });
      });
    }, SWEEP_EVERY_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sweep;
  }

  /**
   * Returns the next token for the current one. Whoever presents the direct parent within 10 s receives the same token
   * again, so that racing calls end alike. Throws `unauthorized`; a token spent earlier also ends its session.
   */
  async refresh(presented: Secret): Promise<SignedIn> {
    const hash = this.tokens.hash(presented);
    const next = this.tokens.create();
    const rotation = await this.sessions.rotate(hash, this.tokens.hash(next), this.tokens.seal(next, hash));
    if (rotation !== null) return this.#resume(rotation, next);
    const spent = await this.sessions.findSpent(hash);
    if (spent === null) throw unauthorized((await this.sessions.isExpired(hash)) ? 'token_expired' : 'invalid');
    if (spent.successor === null) return this.#endReused(spent);
    return this.#resume(spent, this.tokens.open(spent.successor, hash));
  }

  #resume({ user, sessionId, expiresAt }: Rotation, refreshToken: Secret): Promise<SignedIn> {
    return this.starter.resume(user, sessionId, { refreshToken, expiresAt });
  }

  /** Ends the session with all of its tokens, as somebody else may hold them, and records it once (S-21). */
  async #endReused({ user, sessionId }: SpentToken): Promise<never> {
    const userId = user.id;
    await this.transactions.run(async () => {
      if (!(await this.sessions.revoke(userId, sessionId))) return;
      await this.activity.record({ type: 'refresh_reuse', userId, details: { session_id: sessionId } });
    });
    throw unauthorized('invalid');
  }
}
