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

/** The refresh token that a rotation puts in the place of another: its hash, and sealed for calls that race (S-22). */
interface NextToken {
  readonly hash: Buffer;
  readonly sealed: string;
}

/** Which rows of a user stay when there are too many, and how many others go at once. */
export interface Bound {
  readonly kept: number;
  readonly limit: number;
}

/** The session of a refresh token that was just rotated, and its user. */
export interface Rotation {
  readonly sessionId: string;
  readonly user: SignedInUser;
  readonly expiresAt: Date;
}

/** A living session, by its id and user. */
export interface HeldSession {
  readonly sessionId: string;
  readonly userId: string;
}

/** A refresh token that was used before. */
export interface SpentToken extends Rotation {
  /** The sealed successor while calls that race may still have it, else null (S-22). */
  readonly successor: string | null;
}

const USER = `json_build_object('id', account.id, 'email', account.email, 'name', account.name,
  'avatarUrl', account.avatar_url, 'role', account.role) AS "user"`;

const GRACE = `interval '10 seconds'`;

/** The window in which `MAX_ROTATIONS` rotations of a session are allowed. */
const WINDOW = `interval '1 minute'`;
const IN_WINDOW = `session.rotations_from > now() - ${WINDOW}`;

/** How many successors are dropped at once: as many as 500 rotations a second make in 20 s. */
const MAX_FORGOTTEN = 10_000;
/** The most sessions of a list; a user has fewer (`SignInBounds`). */
const MAX_LISTED = 100;

const UNENDED = 'revoked_at IS NULL AND expires_at > now()';

/** Stores sessions; each is read anew with every request (S-17). */
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
   * Replaces the presented refresh token by the next one, in one conditional statement: of several calls that present the same
   * token, one succeeds (S-21, S-22). Returns null where the token is not the current one of a usable session, or where the
   * session was rotated `mostPerMinute` times within a minute; `mostPerMinute` null is no limit.
   */
  async rotate(presented: Buffer, next: NextToken, mostPerMinute: number | null): Promise<Rotation | null> {
    const rows = await this.transactions.manager.query<Rotation[]>(
      `WITH moved AS (
         UPDATE sessions AS session SET refresh_hash = $2, last_used_at = now(),
           rotations = CASE WHEN ${IN_WINDOW} THEN session.rotations + 1 ELSE 1 END,
           rotations_from = CASE WHEN ${IN_WINDOW} THEN session.rotations_from ELSE now() END
         FROM users account
         WHERE session.refresh_hash = $1 AND account.id = session.user_id AND ${LIVE_SESSION}
           AND ($4::integer IS NULL OR session.rotations < $4 OR NOT ${IN_WINDOW})
         RETURNING session.id, session.expires_at, ${USER}),
       noted AS (
         INSERT INTO refresh_rotations (parent_hash, session_id, successor_hash, successor)
         SELECT $1, id, $2, $3 FROM moved)
       SELECT id AS "sessionId", "user", expires_at AS "expiresAt" FROM moved`,
      [presented, next.hash, next.sealed, mostPerMinute],
    );
    return rows[0] ?? null;
  }

  /** The session that this is the current token of; null where there is none that may be used. */
  async findCurrent(presented: Buffer): Promise<HeldSession | null> {
    const rows = await this.transactions.manager.query<HeldSession[]>(
      `SELECT session.id AS "sessionId", session.user_id AS "userId"
       FROM sessions session JOIN users account ON account.id = session.user_id
       WHERE session.refresh_hash = $1 AND ${LIVE_SESSION}`,
      [presented],
    );
    return rows[0] ?? null;
  }

  /** Returns in how many seconds the session of this current token may be rotated again; null where no limit forbids it now. */
  async findRotationWait(presented: Buffer, mostPerMinute: number): Promise<number | null> {
    const rows = await this.transactions.manager.query<{ seconds: number }[]>(
      `SELECT ceil(EXTRACT(EPOCH FROM session.rotations_from + ${WINDOW} - now()))::integer AS seconds
       FROM sessions session JOIN users account ON account.id = session.user_id
       WHERE session.refresh_hash = $1 AND ${LIVE_SESSION} AND ${IN_WINDOW} AND session.rotations >= $2`,
      [presented, mostPerMinute],
    );
    return rows[0]?.seconds ?? null;
  }

  /**
   * A token that was rotated before, within a day; its successor only for the direct parent of the current token, for 10 s
   * (S-22).
   */
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
          WHERE successor IS NOT NULL AND rotated_at <= clock_timestamp() - ${GRACE}
          LIMIT ${MAX_FORGOTTEN} FOR UPDATE SKIP LOCKED)`,
    );
  }

  /** Returns the sessions that may be used, newest first, at most 100. */
  list(userId: string): Promise<Session[]> {
    return this.transactions.manager.query<Session[]>(
      `SELECT session.id, session.user_id AS "userId", session.created_at AS "createdAt",
         session.last_used_at AS "lastUsedAt", session.expires_at AS "expiresAt", session.ip,
         session.user_agent AS "userAgent"
       FROM sessions session JOIN users account ON account.id = session.user_id
       WHERE session.user_id = $1 AND ${LIVE_SESSION} ORDER BY session.created_at DESC, session.id DESC
       LIMIT ${MAX_LISTED}`,
      [userId],
    );
  }

  /** Notes that the person of a session has just proved who they are (S-59). */
  async markConfirmed(id: string): Promise<void> {
    await this.transactions.manager.query('UPDATE sessions SET confirmed_at = now() WHERE id = $1', [id]);
  }

  /** Ends one session of this user; false where there is none to end (S-32). */
  async revoke(userId: string, id: string): Promise<boolean> {
    const { count } = await this.transactions.modify(
      `UPDATE sessions SET revoked_at = now()
       WHERE id = $2 AND user_id = $1 AND revoked_at IS NULL AND expires_at > now()`,
      [userId, id],
    );
    return count === 1;
  }

  /**
   * Ends the next sessions of all users, at most `limit`, in the order of their ids; returns them. Skips sessions that another
   * transaction has locked: one that ends all sessions of a user locks them in another order, and both would wait for each other.
   */
  revokeNext(afterId: string, limit: number): Promise<Pick<Session, 'id' | 'userId'>[]> {
    return this.transactions.manager.query<Pick<Session, 'id' | 'userId'>[]>(
      `WITH next AS (
         SELECT id FROM sessions WHERE id > $1 AND revoked_at IS NULL AND expires_at > now()
         ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED),
       ended AS (
         UPDATE sessions AS session SET revoked_at = now() FROM next WHERE session.id = next.id
         RETURNING session.id, session.user_id)
       SELECT id, user_id AS "userId" FROM ended ORDER BY id`,
      [afterId, limit],
    );
  }

  /** Whether any committed session of any user has not ended. */
  async hasUnended(): Promise<boolean> {
    const rows = await this.transactions.manager.query<unknown[]>(`SELECT 1 FROM sessions WHERE ${UNENDED} LIMIT 1`);
    return rows.length === 1;
  }

  /** Ends all sessions of a user but the one named; returns how many. */
  async revokeAll(userId: string, exceptId: string | null): Promise<number> {
    const { count } = await this.transactions.modify(
      `UPDATE sessions SET revoked_at = now()
       WHERE user_id = $1 AND id IS DISTINCT FROM $2 AND revoked_at IS NULL AND expires_at > now()`,
      [userId, exceptId],
    );
    return count;
  }

  /**
   * Ends the sessions of a user beyond the `kept` that were used last, but not the named one; returns their ids. Skips sessions
   * that another transaction has locked: they are in use, and end another time.
   */
  async endBeyond(userId: string, exceptId: string | null, { kept, limit }: Bound): Promise<string[]> {
    const { rows } = await this.transactions.modify<{ id: string }>(
      `UPDATE sessions SET revoked_at = now() WHERE id IN
         (SELECT id FROM sessions WHERE revoked_at IS NULL AND id IN
           (SELECT id FROM sessions WHERE user_id = $1 AND id IS DISTINCT FROM $2 AND ${UNENDED}
            ORDER BY last_used_at DESC, id DESC OFFSET $3 LIMIT $4)
          FOR UPDATE SKIP LOCKED)
       RETURNING id`,
      [userId, exceptId, kept, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Removes the ended sessions of a user beyond the `kept` that ended last. */
  async removeEndedBeyond(userId: string, { kept, limit }: Bound): Promise<void> {
    await this.transactions.manager.query(
      `DELETE FROM sessions WHERE id IN
         (SELECT id FROM sessions WHERE id IN
           (SELECT id FROM sessions WHERE user_id = $1 AND NOT (${UNENDED})
            ORDER BY COALESCE(revoked_at, expires_at) DESC, id DESC OFFSET $2 LIMIT $3)
          FOR UPDATE SKIP LOCKED)`,
      [userId, kept, limit],
    );
  }

  /** Users with more than `most` sessions that go on, ended ones or devices; at most `limit`. The indexes by user count them. */
  async findCrowded(most: number, limit: number): Promise<string[]> {
    const rows = await this.transactions.manager.query<{ userId: string }[]>(
      `SELECT user_id AS "userId" FROM (SELECT user_id FROM sessions GROUP BY user_id HAVING count(*) > $1) crowded
        WHERE (SELECT count(*) FROM sessions s WHERE s.user_id = crowded.user_id AND ${UNENDED}) > $1
           OR (SELECT count(*) FROM sessions s WHERE s.user_id = crowded.user_id AND NOT (${UNENDED})) > $1
        UNION SELECT user_id FROM known_devices GROUP BY user_id HAVING count(*) > $1
        LIMIT $2`,
      [most, limit],
    );
    return rows.map(({ userId }) => userId);
  }
}
