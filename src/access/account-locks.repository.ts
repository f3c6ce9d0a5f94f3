import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';
import type { SessionPrincipal } from './principal.js';

const IDLE_LIMIT = `interval '30 days'`;

/**
 * A session that may be used: not ended, not expired, not idle too long, of a user who is not disabled (S-17, S-21). For
 * queries over `sessions session` and `users account`.
 */
export const LIVE_SESSION = `session.revoked_at IS NULL AND session.expires_at > now()
  AND session.last_used_at > now() - ${IDLE_LIMIT} AND account.disabled_at IS NULL`;

/**
 * A session whose person has just proved who they are: at the sign-in within 30 minutes, or by a confirmation within 5 (S-59). For
 * queries over `sessions session`; true, or not.
 */
export const CONFIRMED_SESSION = `(session.created_at > now() - interval '30 minutes'
  OR session.confirmed_at IS NOT NULL AND session.confirmed_at > now() - interval '5 minutes')`;

/**
 * Locks an account for the transactions that decide about it or write into it. The lock of its address comes before every
 * other lock of the transaction, so that no two transactions deadlock. It is held until the transaction ends.
 */
@Injectable()
export class AccountLocksRepository {
  constructor(private readonly transactions: Transactions) {}

  /** By canonical address, as there may be no account yet. Needs a transaction. */
  async byAddress(email: string): Promise<void> {
    await this.transactions.manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [email]);
  }

  /**
   * Locks the account of a session, and the session, which then cannot end before the transaction does. Returns false
   * where the session has ended already. The row of the session is locked too because log-out and reuse detection lock
   * that row alone. Needs a transaction.
   */
  async bySession({ userId, sessionId }: Pick<SessionPrincipal, 'userId' | 'sessionId'>): Promise<boolean> {
    const { manager } = this.transactions;
    await manager.query('SELECT pg_advisory_xact_lock(hashtextextended(email, 0)) FROM users WHERE id = $1', [userId]);
    const rows = await manager.query<unknown[]>(
      `SELECT 1 FROM sessions session JOIN users account ON account.id = session.user_id
       WHERE session.id = $1 AND session.user_id = $2 AND ${LIVE_SESSION} FOR SHARE OF session`,
      [sessionId, userId],
    );
    return rows.length === 1;
  }
}
