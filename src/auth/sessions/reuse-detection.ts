import { Injectable } from '@nestjs/common';
import { unauthorized } from '../../access/bearer.js';
import { ActivityService } from '../../activity/activity.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import { SessionsRepository, type SpentToken } from './sessions.repository.js';

/** What follows when a spent refresh token is used: somebody else may hold its successors. */
@Injectable()
export class ReuseDetection {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly activity: ActivityService,
    private readonly transactions: Transactions,
  ) {}

  /** Ends the session with all of its tokens, and tells of it once; always throws `unauthorized` (S-21). */
  async end({ userId, sessionId }: SpentToken): Promise<never> {
    await this.transactions.run(async () => {
      if (!(await this.sessions.revoke(userId, sessionId))) return;
      await this.activity.record({ type: 'refresh_reuse', userId, details: { session_id: sessionId } });
    });
    throw unauthorized('invalid');
  }
}
