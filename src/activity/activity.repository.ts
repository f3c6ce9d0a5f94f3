import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';

/** An activity event as it is stored: one row of `security_events`. */
export interface StoredActivityEvent {
  readonly id: string;
  readonly type: string;
  readonly userId: string | null;
  readonly ip: string;
  readonly userAgent: string;
  readonly requestId: string | null;
  readonly keyPrefix: string | null;
  readonly sessionId: string | null;
  readonly botId: string | null;
  readonly exchange: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
}

/** Of which events; null each for any. */
export interface ActivityFilter {
  readonly botId: string | null;
  /** What was done to one order after it was made, by the exchange's id. */
  readonly orderId: string | null;
}

/** Which events a page holds. */
interface PageFilter extends ActivityFilter {
  readonly types: readonly string[];
  /** The last event of the page before; null for the first page. */
  readonly after: { readonly createdAt: string; readonly id: string } | null;
}

type EventToStore = Omit<StoredActivityEvent, 'createdAt'>;

/** Events as `note_activity` takes them. */
export function jsonOf(events: readonly EventToStore[]): string {
  const rows = events.map(({ userId, userAgent, requestId, keyPrefix, sessionId, botId, ...event }) => ({
    ...event,
    user_id: userId,
    user_agent: userAgent,
    request_id: requestId,
    key_prefix: keyPrefix,
    session_id: sessionId,
    bot_id: botId,
  }));
  return JSON.stringify(rows);
}

const COLUMNS = `id, type, user_id AS "userId", ip, user_agent AS "userAgent", request_id AS "requestId",
  key_prefix AS "keyPrefix", session_id AS "sessionId", bot_id AS "botId", exchange, details, created_at AS "createdAt"`;

/** Stores what happened; a trigger refuses every change (S-41). */
@Injectable()
export class ActivityRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Inserts in one statement, however many. */
  async insert(events: readonly EventToStore[]): Promise<void> {
    await this.transactions.manager.query('SELECT note_activity($1)', [jsonOf(events)]);
  }

  /** Whether an event of a user with this `reason` was recorded within an hour. */
  async isRecent(userId: string, type: string, reason: string): Promise<boolean> {
    const rows = await this.transactions.manager.query<unknown[]>(
      `SELECT 1 FROM security_events
        WHERE user_id = $1 AND type = $2 AND details ->> 'reason' = $3 AND created_at > now() - interval '1 hour' LIMIT 1`,
      [userId, type, reason],
    );
    return rows.length === 1;
  }

  /** Whether a refusal by a limit of a bot was recorded within a minute, by any instance. */
  async isLimitRecent(botId: string, limit: string): Promise<boolean> {
    const rows = await this.transactions.manager.query<unknown[]>(
      `SELECT 1 FROM security_events
        WHERE bot_id = $1 AND type = 'limit_refused' AND details ->> 'limit' = $2 AND created_at > now() - interval '1 minute' LIMIT 1`,
      [botId, limit],
    );
    return rows.length === 1;
  }

  /** Returns the ids of users with an event of one of the types since a time: for the operator. */
  async findUserIds(types: readonly string[], since: Date): Promise<string[]> {
    const rows = await this.transactions.manager.query<{ userId: string }[]>(
      `SELECT DISTINCT user_id AS "userId" FROM security_events
        WHERE created_at >= $2 AND type = ANY($1) AND user_id IS NOT NULL ORDER BY user_id`,
      [types, since],
    );
    return rows.map(({ userId }) => userId);
  }

  /** Notes the id of a sign-up whose address nobody has proved, for `removeUnproved`. */
  async noteUnproved(userId: string): Promise<void> {
    await this.transactions.manager.query('INSERT INTO unproved_signups (user_id) VALUES ($1)', [userId]);
  }

  /**
   * Forgets at most `limit` sign-ups of 31 days ago, and removes the event of each where nothing else happened to its user; returns
   * how many it forgot (S-41, R-22). In the database, where the service itself may not delete events.
   */
  async removeUnproved(limit: number): Promise<number> {
    const rows = await this.transactions.manager.query<{ count: number }[]>(
      'SELECT remove_unproved_signups($1) AS count',
      [limit],
    );
    return rows[0]?.count ?? 0;
  }

  /**
   * Removes events of more than 400 days ago, at most `limit`; returns how many (S-41, R-22). By a function: the role may not
   * delete.
   */
  async removeOld(limit: number): Promise<number> {
    const rows = await this.transactions.manager.query<{ count: number }[]>(
      'SELECT remove_old_security_events($1)::integer AS count',
      [limit],
    );
    return rows[0]?.count ?? 0;
  }

  /** The exchange's ids and the client's of orders that a request of this time is noted with, at most 200; of its owner's alone (S-32). */
  async findOrderIds(userId: string, requestId: string, at: Date): Promise<string[]> {
    const rows = await this.transactions.manager.query<{ id: string }[]>(
      `SELECT DISTINCT own.id FROM security_events, unnest(ARRAY[details ->> 'order_id', details ->> 'client_order_id']) AS own (id)
        WHERE user_id = $1 AND request_id = $2 AND own.id IS NOT NULL
          AND created_at > $3::timestamptz - interval '1 minute' AND created_at < $3::timestamptz + interval '5 minutes' LIMIT 200`,
      [userId, requestId, at],
    );
    return rows.map(({ id }) => id);
  }

  /** Newest first; the owner's rows only (S-32). */
  list(userId: string, limit: number, filter: PageFilter): Promise<StoredActivityEvent[]> {
    return this.transactions.manager.query<StoredActivityEvent[]>(
      `SELECT ${COLUMNS} FROM security_events
       WHERE user_id = $1 AND type = ANY($2) AND ($6::text IS NULL OR bot_id = $6)
         AND ($7::text IS NULL OR (details ->> 'order_id' = $7 AND type IN ('order_amended', 'order_cancelled', 'order_settled')))
         AND ($4::timestamptz IS NULL OR (created_at, id) < ($4::timestamptz, $5))
       ORDER BY created_at DESC, id DESC LIMIT $3`,
      [
        ...[userId, filter.types, limit, filter.after?.createdAt ?? null, filter.after?.id ?? null],
        ...[filter.botId, filter.orderId],
      ],
    );
  }
}
