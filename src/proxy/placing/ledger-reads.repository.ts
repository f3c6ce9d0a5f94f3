import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';
import { MOST_REQUEST_IDS, NOW, requestId } from './ledger-conditions.js';
import { newPlacementId } from './placement.js';

/** By what the ledger is asked for orders: the exchange's ids, and the client's, by which a row is known whose answer was lost. */
export interface OrderNames {
  readonly ids: readonly string[];
  readonly clientIds?: readonly string[];
}

/** What was asked of an order that the exchange has, and what became of it here. */
export interface KnownPlacement {
  /** Null where the exchange has not told the id. */
  readonly order_id: string | null;
  readonly client_order_id: string | null;
  readonly bot_id: string | null;
  /** Whether the exchange has shown the order, or a cancel of it was answered. */
  readonly isShown: boolean;
  /** Whether it was sent, and not refused; and whether it is known to have made the order. */
  readonly isSent: boolean;
  readonly isMade: boolean;
  readonly market_id: string | null;
  readonly outcome: string | null;
  readonly outcome_index: number | null;
  readonly side: string | null;
  readonly price: string | null;
  readonly size: string | null;
  readonly time_in_force: string | null;
  readonly post_only: boolean | null;
  /** How long ago it was sent; null where it was made elsewhere. */
  readonly msAgo: number | null;
  /** When it was sent, in µs by the database's clock; null where it was made elsewhere. */
  readonly sentAt: number | null;
  /** How long ago it was cancelled here; null where it was not. */
  readonly cancelledMsAgo: number | null;
}

const IS_SHOWN = `(state IN ('made', 'closed') OR refusal_holds_at = 'infinity' OR cancelled_at IS NOT NULL)`;
const IS_SENT = `(first_sent_at IS NOT NULL AND state <> 'refused')`;
const IS_MADE = `(first_sent_at IS NOT NULL AND state IN ('made', 'closed'))`;

/** What the activity says of an order or a transfer: nothing, that its fate is unknown, that it exists, which it is (S-41). */
export const NOTED = { unknown: 1, unnamed: 2, made: 3 } as const;

/** By what a row is found: the client's id of it, or the exchange's where it has none. */
export interface PlacementName {
  readonly userId: string;
  readonly exchange: string;
  readonly kind: 'order' | 'transfer';
  readonly clientId: string | null;
  readonly exchangeId: string | null;
}

const IS_NAMED = `user_id = $1 AND exchange = $2 AND kind = $3
  AND CASE WHEN $4::text IS NULL THEN exchange_id = $5 ELSE client_order_id = $4 END`;
/** So that an index finds it. */
const NAMED = `(client_order_id = $4 OR exchange_id = $5) AND ${IS_NAMED}`;

function valuesOf({ userId, exchange, kind, clientId, exchangeId }: PlacementName): (string | null)[] {
  return [userId, exchange, kind, clientId, clientId === null ? exchangeId : null];
}

/** An order that a cancel ended. */
export interface CancelledPlacement {
  readonly orderId: string;
  /** What was cancelled of it, in contracts; null where the exchange does not say. */
  readonly size: string | null;
}

/** What was asked for on a UTC day so far. */
interface TodaysRows {
  readonly count: number;
  readonly ofBot: number;
  readonly endsInMs: number;
}

/** What the ledger knows of orders by the exchange's ids, of one user alone (S-32). */
@Injectable()
export class LedgerReads {
  constructor(private readonly transactions: Transactions) {}

  /** Orders that the exchange has, by what it has said so far, or may have; and those of others that were cancelled here. */
  find(userId: string, exchange: string, { ids, clientIds = [] }: OrderNames): Promise<KnownPlacement[]> {
    return this.transactions.manager.query<KnownPlacement[]>(
      `SELECT exchange_id AS order_id, client_order_id, bot_id, ${IS_SHOWN} AS "isShown", ${IS_SENT} AS "isSent", ${IS_MADE} AS "isMade",
              market_id, status AS outcome, outcome_index, side, price, size, time_in_force, post_only,
              (EXTRACT(EPOCH FROM clock_timestamp() - first_sent_at) * 1000)::float8 AS "msAgo",
              (EXTRACT(EPOCH FROM first_sent_at) * 1000000)::float8 AS "sentAt",
              (EXTRACT(EPOCH FROM clock_timestamp() - cancelled_at) * 1000)::float8 AS "cancelledMsAgo"
         FROM placements
        WHERE (exchange_id = ANY($3) OR (exchange_id IS NULL AND client_order_id = ANY($4))) AND user_id = $1 AND exchange = $2
          AND kind = 'order' AND (${IS_SHOWN} OR ${IS_SENT})
        ORDER BY market_id IS NULL DESC, created_at`,
      [userId, exchange, ids, clientIds],
    );
  }

  /** Whether the bot, or (null) anybody of the user, has sent an order of which neither the end nor the exchange's id is known. */
  async hasUnnamed(userId: string, exchange: string, botId: string | null): Promise<boolean> {
    const rows = await this.transactions.manager.query<unknown[]>(
      `SELECT 1 FROM placements
        WHERE user_id = $1 AND state IN ('begun', 'sending', 'unknown') AND unbound_at IS NULL
          AND exchange = $2 AND ($3::text IS NULL OR bot_id = $3) AND kind = 'order' AND exchange_id IS NULL AND first_sent_at IS NOT NULL LIMIT 1`,
      [userId, exchange, botId],
    );
    return rows.length > 0;
  }

  /** How many rows of a user were made on this UTC day, and by one bot of these, at most `most` each, and when that ends, in ms. */
  async countToday(userId: string, botId: string | null, most: number): Promise<TodaysRows> {
    const [row] = await this.transactions.manager.query<TodaysRows[]>(
      `SELECT (SELECT count(*)::int FROM (SELECT FROM placements WHERE user_id = $1 AND created_at >= today.began LIMIT $3) AS made) AS count,
              (SELECT count(*)::int FROM (SELECT FROM placements WHERE bot_id = $2 AND created_at >= today.began LIMIT $3) AS made) AS "ofBot",
              (EXTRACT(EPOCH FROM today.began + interval '24 hours' - clock_timestamp()) * 1000)::float8 AS "endsInMs"
         FROM (SELECT date_trunc('day', clock_timestamp(), 'UTC') AS began) AS today`,
      [userId, botId, most],
    );
    return row ?? { count: 0, ofBot: 0, endsInMs: 0 };
  }

  /** What the activity says of it (`NOTED`); 0 for nothing. */
  async findNoted(name: PlacementName): Promise<number> {
    const rows = await this.transactions.manager.query<{ noted: number | null }[]>(
      `SELECT max(noted) AS noted FROM placements WHERE ${NAMED}`,
      valuesOf(name),
    );
    return rows[0]?.noted ?? 0;
  }

  /** Notes it, unless as much is noted already, in one statement; also what has no row any more. */
  async note(name: PlacementName, noted: number, note: string): Promise<void> {
    await this.transactions.manager.query(
      `WITH marked AS (
         UPDATE placements SET noted = $6
          WHERE ${NAMED} AND noted < $6 AND NOT EXISTS (SELECT FROM placements WHERE ${NAMED} AND noted >= $6)
         RETURNING id)
       SELECT note_activity($7)
        WHERE EXISTS (SELECT FROM marked) OR NOT EXISTS (SELECT FROM placements WHERE ${NAMED})`,
      [...valuesOf(name), noted, note],
    );
  }

  /** Whether an order was cancelled here. */
  async wasCancelled(userId: string, exchange: string, orderId: string): Promise<boolean> {
    const rows = await this.transactions.manager.query<unknown[]>(
      `SELECT 1 FROM placements
        WHERE exchange_id = $3 AND user_id = $1 AND exchange = $2 AND kind = 'order' AND cancelled_at IS NOT NULL LIMIT 1`,
      [userId, exchange, orderId],
    );
    return rows.length > 0;
  }

  /**
   * Keeps that orders were cancelled, with the notes of that, in one statement; of an order that was made elsewhere it is all that is
   * known. It takes the rows, then the sums of their bots, each in the order of their ids, so that two such statements never wait for each
   * other in a circle.
   */
  async noteCancelled(
    userId: string,
    exchange: string,
    cancelled: readonly CancelledPlacement[],
    notes: string,
  ): Promise<void> {
    if (cancelled.length === 0) return;
    await this.transactions.manager.query(
      `WITH own AS (SELECT * FROM unnest($3::text[], $7::text[]) AS given (id, cancelled_size)), held AS MATERIALIZED (
         SELECT id, bot_id FROM placements
          WHERE exchange_id = ANY($3) AND user_id = $1 AND exchange = $2 AND kind = 'order' ORDER BY id FOR UPDATE),
       sums AS MATERIALIZED (
         SELECT bot_id FROM bot_sums WHERE bot_id IN (SELECT bot_id FROM held) ORDER BY bot_id FOR UPDATE),
       cancelled AS (
         UPDATE placements
            SET cancelled_at = COALESCE(cancelled_at, clock_timestamp()), cancelled_size = COALESCE(own.cancelled_size, placements.cancelled_size), ${NOW},
                state = CASE state WHEN 'made' THEN 'closed' ELSE state END, request_ids = (array_append(request_ids, $5::text))[greatest(1, cardinality(request_ids) - ${MOST_REQUEST_IDS - 2}):]
           FROM own, (SELECT count(*) FROM sums) AS locked
          WHERE exchange_id = own.id AND placements.id IN (SELECT id FROM held)
         RETURNING exchange_id),
       elsewhere AS (
         INSERT INTO placements (id, user_id, exchange, kind, fingerprint, state, exchange_id, cancelled_size, cancelled_at, busy_until, request_ids)
         SELECT new.id, $1, $2, 'order', '', 'closed', new.exchange_id, new.cancelled_size, clock_timestamp(), clock_timestamp(), ARRAY[$5::text]
           FROM unnest($4::text[], $3::text[], $7::text[]) AS new (id, exchange_id, cancelled_size)
          WHERE new.exchange_id NOT IN (SELECT exchange_id FROM cancelled))
       SELECT note_activity($6)`,
      [
        ...[userId, exchange, cancelled.map(({ orderId }) => orderId), cancelled.map(() => newPlacementId())],
        ...[requestId() ?? '', notes, cancelled.map(({ size }) => size)],
      ],
    );
  }
}
