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
   * By one of its sessions, which cannot end before the transaction does; false where it has ended already. Log-out and
   * reuse detection lock the session alone: hence its own row. Needs a transaction.
   */
  async bySession({ userId, sessionId }: SessionPrincipal): Promise<boolean> {
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
