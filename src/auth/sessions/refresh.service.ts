import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { unauthorized } from '../../access/bearer.js';
import { ActivityService } from '../../activity/activity.service.js';
import { Settings } from '../../platform/config/settings.js';
import { Transactions } from '../../platform/database/transactions.js';
import { rateLimited } from '../../platform/limits/rate.js';
import { Periodic } from '../../platform/time/periodic.js';
import type { Secret } from '../../platform/secrets/secret.js';
import { RefreshTokens } from './refresh-tokens.js';
import { type SignedIn, SessionStarter } from './session-starter.js';
import { type Rotation, SessionsRepository, type SpentToken } from './sessions.repository.js';

const SWEEP_EVERY_MS = 10_000;
/** The most rotations of a session a minute: each leaves a row. */
const MAX_ROTATIONS = 20;

/** `POST /auth/refresh`: rotation, and the end of a session whose spent token is used again (S-21, S-22). */
@Injectable()
export class RefreshService implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #logger = new Logger('Sessions');
  readonly #mostPerMinute: number | null;
  /** Sealed successors are kept for the grace window only: drops them soon after it (S-22). */
  readonly #sweeps = new Periodic(
    SWEEP_EVERY_MS,
    () => this.sessions.forgetSuccessors(),
    (error) => {
      this.#logger.warn({ err: error, message: 'Sealed refresh tokens are dropped later' });
    },
  );

  constructor(
    private readonly sessions: SessionsRepository,
    private readonly tokens: RefreshTokens,
    private readonly starter: SessionStarter,
    private readonly activity: ActivityService,
    private readonly transactions: Transactions,
    settings: Settings,
  ) {
    this.#mostPerMinute = settings.rateLimitEnabled ? MAX_ROTATIONS : null;
  }

  onApplicationBootstrap(): void {
    this.#sweeps.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.#sweeps.stop();
  }

  /**
   * Returns the next token for the current one. A call that presents the direct parent within 10 s receives the same
   * token again, so that racing calls end alike. Throws `unauthorized`; a token spent within a day also ends its session. Throws
   * `rate_limited` for a session that was rotated 20 times within a minute; it goes on.
   */
  async refresh(presented: Secret): Promise<SignedIn> {
    const hash = this.tokens.hash(presented);
    const signedIn = await this.#tryRefresh(hash);
    if (signedIn !== null) return signedIn;
    await this.#refuseLimited(hash);
    // The minute of a session may have ended since it was over the limit.
    return (await this.#tryRefresh(hash)) ?? this.#refuse(hash);
  }

  /** Null where the token is neither the current one of a session that may be rotated now, nor a spent one. */
  async #tryRefresh(hash: Buffer): Promise<SignedIn | null> {
    const next = this.tokens.create();
    const sealed = this.tokens.seal(next, hash);
    const rotation = await this.sessions.rotate(hash, { hash: this.tokens.hash(next), sealed }, this.#mostPerMinute);
    if (rotation !== null) return this.#resume(rotation, next);
    const spent = await this.sessions.findSpent(hash);
    if (spent === null) return null;
    if (spent.successor === null) return this.#endReused(spent);
    return this.#resume(spent, this.tokens.open(spent.successor, hash));
  }

  #resume({ user, sessionId, expiresAt }: Rotation, refreshToken: Secret): Promise<SignedIn> {
    return this.starter.resume(user, sessionId, { refreshToken, expiresAt });
  }

  async #refuseLimited(hash: Buffer): Promise<void> {
    if (this.#mostPerMinute === null) return;
    const wait = await this.sessions.findRotationWait(hash, this.#mostPerMinute);
    if (wait !== null) throw rateLimited({ resetMs: wait * 1_000 });
  }

  async #refuse(hash: Buffer): Promise<never> {
    throw unauthorized((await this.sessions.isExpired(hash)) ? 'token_expired' : 'invalid');
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
