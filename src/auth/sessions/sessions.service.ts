import { Injectable } from '@nestjs/common';
import type { SessionPrincipal } from '../../access/principal.js';
import { SessionWrites } from '../../access/session-writes.js';
import { ActivityService } from '../../activity/activity.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import { ApiKeysService } from '../../api-keys/api-keys.service.js';
import { AppError } from '../../platform/errors/app-error.js';
import { type Session, SessionsRepository } from './sessions.repository.js';

/** A user's sessions, and how the user ends them: at once, on every instance (S-17). */
@Injectable()
export class SessionsService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly activity: ActivityService,
    private readonly transactions: Transactions,
    private readonly writes: SessionWrites,
    private readonly keys: ApiKeysService,
  ) {}

  /** Returns the sessions that may still be used, newest first. */
  list(userId: string): Promise<Session[]> {
    return this.sessions.list(userId);
  }

  /** Ends the session of the access token, whatever cookie came with it (S-23). */
  async logOut({ userId, sessionId }: SessionPrincipal): Promise<void> {
    await this.transactions.run(async () => {
      if (!(await this.sessions.revoke(userId, sessionId))) return;
      await this.activity.record({ type: 'logout', userId, details: { session_id: sessionId } });
    });
    await this.keys.waitForStreams();
  }

  /** Returns the id; throws `not_found`, also for another user's session (S-32). */
  async revoke(caller: SessionPrincipal, sessionId: string): Promise<string> {
    const { userId } = caller;
    await this.writes.run(caller, async () => {
      if (!(await this.sessions.revoke(userId, sessionId))) {
        throw new AppError('not_found', 'You have no session with this id.');
      }
      await this.activity.record({ type: 'session_revoked', userId, details: { session_id: sessionId } });
    });
    await this.keys.waitForStreams();
    return sessionId;
  }

  /** Ends all but the current session. */
  async revokeOthers(caller: SessionPrincipal): Promise<void> {
    const { userId, sessionId } = caller;
    await this.writes.run(caller, async () => {
      const count = await this.sessions.revokeAll(userId, sessionId);
      if (count > 0) await this.activity.record({ type: 'session_revoked', userId, details: { count } });
    });
    await this.keys.waitForStreams();
  }
}
