import { Injectable } from '@nestjs/common';
import type { StatementPart } from '../platform/database/statement-part.js';
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
  readonly exchange: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
}

/** Which events a page holds. */
interface PageFilter {
  readonly types: readonly string[];
  /** The last event of the page before; null for the first page. */
  readonly after: { readonly createdAt: string; readonly id: string } | null;
}

type EventToStore = Omit<StoredActivityEvent, 'createdAt'>;

/** Inserts the events in the value of this number. */
function insertOf(value: number): string {
  return `INSERT INTO security_events (id, type, user_id, ip, user_agent, request_id, key_prefix, exchange, details)
       SELECT id, type, user_id, ip, user_agent, request_id, key_prefix, exchange, details
         FROM jsonb_to_recordset($${value}::jsonb) AS event (id text, type text, user_id text, ip text, user_agent text,
           request_id text, key_prefix text, exchange text, details jsonb)`;
}

function jsonOf(events: readonly EventToStore[]): string {
  const rows = events.map(({ userId, userAgent, requestId, keyPrefix, ...event }) => ({
    ...event,
    user_id: userId,
    user_agent: userAgent,
    request_id: requestId,
    key_prefix: keyPrefix,
  }));
  return JSON.stringify(rows);
}

const COLUMNS = `id, type, user_id AS "userId", ip, user_agent AS "userAgent", request_id AS "requestId",
  key_prefix AS "keyPrefix", exchange, details, created_at AS "createdAt"`;

/** Whether an event is of an order with one of the ids in the first value. */
const NAMES_ORDER = `(details ->> 'order_id' = ANY($1) OR details ->> 'client_order_id' = ANY($1))`;

/** Stores what happened; a trigger refuses every change (S-41). */
@Injectable()
export class ActivityRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Inserts in one statement, however many. */
  async insert(events: readonly EventToStore[]): Promise<void> {
    await this.transactions.manager.query(insertOf(1), [jsonOf(events)]);
  }

  /** Does the part, and inserts the event where that returns a row, in one statement; returns whether it does. */
  async insertWith({ sql, values }: StatementPart, event: EventToStore): Promise<boolean> {
    const rows = await this.transactions.manager.query<{ isDone: boolean }[]>(
      // eslint-disable-next-line own/constant-sql -- a part of a statement of another repository, with its values apart
      `WITH part AS (${sql}),
         noted AS (${insertOf(values.length + 1)} WHERE EXISTS (SELECT FROM part))
       SELECT EXISTS (SELECT FROM part) AS "isDone"`,
      [...values, jsonOf([event])],
    );
    return rows[0]?.isDone === true;
  }

  /**
   * The details of the notes that an order was made with, by an id of it, oldest first; the owner's rows only (S-32). An index finds
   * each: the planner takes it only where the type is written out.
   */
  async findOrderNotes(
    userId: string,
    exchange: string,
    named: 'order_id' | 'client_order_id',
    id: string,
  ): Promise<StoredActivityEvent['details'][]> {
    const rows = await this.transactions.manager.query<Pick<StoredActivityEvent, 'details'>[]>(
      `SELECT details FROM security_events
        WHERE user_id = $1 AND exchange = $2 AND type = 'order_created' AND details ->> '${named}' = $3
        ORDER BY created_at, id`,
      [userId, exchange, id],
    );
    return rows.map(({ details }) => details);
  }

  /**
   * The details of the notes of transfers with this client transfer id, oldest first; the owner's rows only (S-32). Of the owner's
   * events only transfers are read, by `security_events_transfer_idx`.
   */
  async findTransferNotes(
    userId: string,
    exchange: string,
    clientTransferId: string,
  ): Promise<StoredActivityEvent['details'][]> {
    const rows = await this.transactions.manager.query<Pick<StoredActivityEvent, 'details'>[]>(
      `SELECT details FROM security_events
        WHERE user_id = $1 AND exchange = $2 AND type = 'transfer_created' AND details ->> 'client_transfer_id' = $3
        ORDER BY created_at, id`,
      [userId, exchange, clientTransferId],
    );
    return rows.map(({ details }) => details);
  }

  /**
   * The market of an order that is noted with one; null where there is no such note. The index `security_events_order_idx`
   * finds it: the planner takes it only where the type is written out, and not for the newest note, of the few that there are.
   */
  async findOrderMarket(userId: string, exchange: string, orderId: string): Promise<string | null> {
    const rows = await this.transactions.manager.query<{ market: string }[]>(
      `SELECT details ->> 'market_id' AS market FROM security_events
        WHERE user_id = $1 AND exchange = $2 AND type = 'order_created' AND details ->> 'order_id' = $3
          AND details ->> 'market_id' IS NOT NULL`,
      [userId, exchange, orderId],
    );
    return rows[0]?.market ?? null;
  }

  /** Whether a cancel of this order is noted; the index `security_events_cancel_idx` finds it. */
  async wasOrderCancelled(userId: string, exchange: string, orderId: string): Promise<boolean> {
    const rows = await this.transactions.manager.query<unknown[]>(
      `SELECT 1 FROM security_events
        WHERE user_id = $1 AND exchange = $2 AND type = 'order_cancelled' AND details ->> 'order_id' = $3 LIMIT 1`,
      [userId, exchange, orderId],
    );
    return rows.length > 0;
  }

  /** The details of the transfers with these ids; `security_events_transfer_idx` finds them as above. */
  async findTransfers(
    userId: string,
    exchange: string,
    transferIds: readonly string[],
  ): Promise<StoredActivityEvent['details'][]> {
    const rows = await this.transactions.manager.query<Pick<StoredActivityEvent, 'details'>[]>(
      `SELECT details FROM security_events
        WHERE user_id = $1 AND exchange = $2 AND type = 'transfer_created' AND details ->> 'transfer_id' = ANY($3)`,
      [userId, exchange, transferIds],
    );
    return rows.map(({ details }) => details);
  }

  /**
   * Events of orders that anybody's order, client order or request with one of the ids left between two times, oldest first and at
   * most 200: for the operator. The times bound what is read, since no index knows these ids.
   */
  findOrderEvents(ids: readonly string[], from: Date, until: Date): Promise<StoredActivityEvent[]> {
    return this.transactions.manager.query<StoredActivityEvent[]>(
      `SELECT ${COLUMNS} FROM security_events
       WHERE created_at >= $2 AND created_at < $3 AND type IN ('order_created', 'order_cancelled')
         AND (${NAMES_ORDER} OR request_id = ANY($1))
       ORDER BY created_at, id LIMIT 200`,
      [ids, from, until],
    );
  }

  /** The events of a user's orders with one of the ids, oldest first and at most 500; an index finds each sort of them. */
  listOfOrder(userId: string, exchange: string, ids: readonly string[]): Promise<StoredActivityEvent[]> {
    return this.transactions.manager.query<StoredActivityEvent[]>(
      `SELECT ${COLUMNS} FROM security_events
        WHERE user_id = $2 AND exchange = $3 AND type = 'order_created' AND details ->> 'order_id' = ANY($1)
       UNION
       SELECT ${COLUMNS} FROM security_events
        WHERE user_id = $2 AND exchange = $3 AND type = 'order_created' AND details ->> 'client_order_id' = ANY($1)
       UNION
       SELECT ${COLUMNS} FROM security_events
        WHERE user_id = $2 AND exchange = $3 AND type = 'order_cancelled' AND details ->> 'order_id' = ANY($1)
       ORDER BY "createdAt", id LIMIT 500`,
      [ids, userId, exchange],
    );
  }

  /** Removes events of more than 400 days ago, at most `limit`; returns how many (S-41, R-22). */
  async removeOld(limit: number): Promise<number> {
    const [, count] = await this.transactions.manager.query<[unknown[], number]>(
      `DELETE FROM security_events WHERE id IN
         (SELECT id FROM security_events WHERE created_at < now() - interval '401 days' LIMIT $1)`,
      [limit],
    );
    return count;
  }

  /** Newest first; the owner's rows only (S-32). */
  list(userId: string, limit: number, filter: PageFilter): Promise<StoredActivityEvent[]> {
    return this.transactions.manager.query<StoredActivityEvent[]>(
      `SELECT ${COLUMNS} FROM security_events
       WHERE user_id = $1 AND type = ANY($2)
         AND ($4::timestamptz IS NULL OR (created_at, id) < ($4::timestamptz, $5))
       ORDER BY created_at DESC, id DESC LIMIT $3`,
      [userId, filter.types, limit, filter.after?.createdAt ?? null, filter.after?.id ?? null],
    );
  }
}
