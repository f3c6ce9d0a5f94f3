import { Injectable } from '@nestjs/common';
import { LIVE_SESSION } from '../../access/account-locks.repository.js';
import type { SignedInUser } from '../../users/users.service.js';
import { Transactions } from '../../platform/database/transactions.js';

/** One sign-in and what it was made from; `id` is the `sid` of its access tokens. */
export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
  readonly ip: string;
  readonly userAgent: string;
}

/** What a new session starts with. */
export interface NewSession {
  readonly id: string;
  readonly userId: string;
  readonly refreshHash: Buffer;
  readonly ip: string;
  readonly userAgent: string;
  readonly lifeMs: number;
}

/** The session of a refresh token that was just rotated, and its user. */
export interface Rotation {
  readonly sessionId: string;
  readonly user: SignedInUser;
  readonly expiresAt: Date;
}

/** A refresh token that was used before. */
export interface SpentToken extends Rotation {
  /** The sealed successor while calls that race may still have it, else null (S-22). */
  readonly successor: string | null;
}

const USER = `json_build_object('id', account.id, 'email', account.email, 'name', account.name,
  'avatarUrl', account.avatar_url, 'role', account.role) AS "user"`;

const GRACE = `interval '10 seconds'`;

/** Stores sessions. */
@Injectable()
export class SessionsRepository {
  constructor(private readonly transactions: Transactions) {}

  async insert(session: NewSession): Promise<Date> {
    const rows = await this.transactions.manager.query<{ expiresAt: Date }[]>(
      `INSERT INTO sessions (id, user_id, refresh_hash, ip, user_agent, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6)) RETURNING expires_at AS "expiresAt"`,
      [session.id, session.userId, session.refreshHash, session.ip, session.userAgent, session.lifeMs / 1_000],
    );
    return rows[0]?.expiresAt ?? new Date();
  }

  /**
   * Puts the next refresh token in the place of the presented one, in one conditional statement: of all who present it at
   * once one alone succeeds (S-21, S-22). Null where it is not the current token of a session that may be used.
   */
  async rotate(presented: Buffer, next: Buffer, sealedNext: string): Promise<Rotation | null> {
    const rows = await this.transactions.manager.query<Rotation[]>(
      `WITH moved AS (
         UPDATE sessions AS session SET refresh_hash = $2, last_used_at = now()
         FROM users account
         WHERE session.refresh_hash = $1 AND account.id = session.user_id AND ${LIVE_SESSION}
         RETURNING session.id, session.expires_at, ${USER}),
       noted AS (
         INSERT INTO refresh_rotations (parent_hash, session_id, successor_hash, successor)
         SELECT $1, id, $2, $3 FROM moved)
       SELECT id AS "sessionId", "user", expires_at AS "expiresAt" FROM moved`,
      [presented, next, sealedNext],
    );
    return rows[0] ?? null;
  }

  /** A token that was rotated before; its successor only for the direct parent of the current token, for 10 s (S-22). */
  async findSpent(presented: Buffer): Promise<SpentToken | null> {
    const rows = await this.transactions.manager.query<SpentToken[]>(
      `SELECT session.id AS "sessionId", ${USER}, session.expires_at AS "expiresAt",
         CASE WHEN ${LIVE_SESSION} AND rotation.successor_hash = session.refresh_hash
           AND rotation.rotated_at > clock_timestamp() - ${GRACE} THEN rotation.successor END AS successor
       FROM refresh_rotations rotation
       JOIN sessions session ON session.id = rotation.session_id
       JOIN users account ON account.id = session.user_id
       WHERE rotation.parent_hash = $1`,
      [presented],
    );
    return rows[0] ?? null;
  }

  /** Whether this is the current token of a session that nobody ended, but that has lasted or been idle too long. */
  async isExpired(presented: Buffer): Promise<boolean> {
    const rows = await this.transactions.manager.query<unknown[]>(
      `SELECT 1 FROM sessions session JOIN users account ON account.id = session.user_id
       WHERE session.refresh_hash = $1 AND session.revoked_at IS NULL AND account.disabled_at IS NULL
         AND NOT (${LIVE_SESSION})`,
      [presented],
    );
    return rows.length === 1;
  }

  /** Drops the sealed successors that nobody may have any more (S-22); skips locked rows, as they come next time. */
  async forgetSuccessors(): Promise<void> {
    await this.transactions.manager.query(
      `UPDATE refresh_rotations SET successor = NULL WHERE parent_hash IN
         (SELECT parent_hash FROM refresh_rotations
          WHERE successor IS NOT NULL AND rotated_at <= clock_timestamp() - ${GRACE} FOR UPDATE SKIP LOCKED)`,
    );
  }

  /** Newest first; only those that may be used. */
  list(userId: string): Promise<Session[]> {
    return this.transactions.manager.query<Session[]>(
      `SELECT session.id, session.user_id AS "userId", session.created_at AS "createdAt",
         session.last_used_at AS "lastUsedAt", session.expires_at AS "expiresAt", session.ip,
         session.user_agent AS "userAgent"
       FROM sessions session JOIN users account ON account.id = session.user_id
       WHERE session.user_id = $1 AND ${LIVE_SESSION} ORDER BY session.created_at DESC, session.id DESC`,
      [userId],
    );
  }

  /** Ends one session of this user; false where there is none to end (S-32). */
  async revoke(userId: string, id: string): Promise<boolean> {
    const [, count] = await this.transactions.manager.query<[unknown[], number]>(
      `UPDATE sessions SET revoked_at = now()
       WHERE id = $2 AND user_id = $1 AND revoked_at IS NULL AND expires_at > now()`,
      [userId, id],
    );
    return count === 1;
  }

  /** Ends all sessions of a user but the one named; returns how many. */
  async revokeAll(userId: string, exceptId: string | null): Promise<number> {
    const [, count] = await this.transactions.manager.query<[unknown[], number]>(
      `UPDATE sessions SET revoked_at = now()
       WHERE user_id = $1 AND id IS DISTINCT FROM $2 AND revoked_at IS NULL AND expires_at > now()`,
      [userId, exceptId],
    );
    return count;
  }
}
