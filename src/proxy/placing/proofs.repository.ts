import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';

/** An order of a bot of which something is not proved yet: what could still be executed, or what has filled. */
export interface ReservedOrder {
  readonly placementId: string;
  readonly botId: string;
  /** As the exchange names it. */
  readonly orderId: string;
  /** Digest of the account that it was sent for; null where its record does not say. */
  readonly account: Buffer | null;
  /** Whether it could still be executed, was cancelled here and nobody has proved how much of it had filled, or is over. */
  readonly fate: 'open' | 'cancelled' | 'over';
  /**
   * What is reserved for it: the whole size, and what a contract risks, by its price alone where that is as it was asked, null where it rests at
   * another price; decimals.
   */
  readonly isLong: boolean;
  readonly size: string;
  readonly unitRisk: string | null;
  /** Proved, and what may fail yet; decimals. */
  readonly confirmed: string;
  readonly pending: string;
}

/** Whose orders at one exchange are due to be looked at. */
export interface DueOrders {
  readonly userId: string;
  readonly exchange: string;
}

/** What the exchange shows of an order. */
export interface OrderProof {
  /** The database's time, as text, before anything of it was read. */
  readonly began: string;
  readonly status: string | null;
  /** What has filled, as the order states it; null where nothing states it. */
  readonly filledSize: string | null;
  /** Whether the order has ended, before its trades were read. */
  readonly isOver: boolean;
  /** Whether the exchange has forgotten it: what was stated before counts no more. */
  readonly isGone: boolean;
  /** Size, what has filled included, and risk of a contract of an order that is listed as open; null where neither is stated plainly. */
  readonly terms: { readonly size: string; readonly unitRisk: string } | null;
  /** All its trades by id. */
  readonly trades: Readonly<Record<string, { readonly size: string; readonly status: string }>>;
}

/** Something of it is not proved: the row of an order of unknown fate stays, when all is. */
export const IS_UNPROVED = `NOT (fate = 'over' AND pending = 0)`;

/** An order that ended, or whose fills are not proved: looked at every 5 s for two minutes, then each minute, as what rests. */
const IS_DUE = `read_at < clock_timestamp() -
  CASE WHEN placements.updated_at > clock_timestamp() - interval '2 minutes' AND (unproved > 0 OR pending > 0)
       THEN interval '5 seconds' ELSE interval '1 minute' END`;

/**
 * What the exchange has, by a name of its own: also what it only calls a duplicate, which the settler of orders of unknown fate may never
 * find.
 */
const IS_KNOWN = `placements.exchange_id IS NOT NULL AND ${IS_UNPROVED}
  AND (placements.state IN ('made', 'closed') OR placements.state IN ('sending', 'unknown') AND refusal_holds_at = 'infinity')`;

/** The exchange may take so long, in its lists, to show an order that rests. */
const ABSENT_AFTER = `interval '30 seconds'`;

/**
 * A list that was read from $2 on has to show the order where the order rests: it began after the exchange has last shown the order; or,
 * of one that it never showed, after `refusal_holds_at`; or so long after the last sending of unknown fate that it has arrived.
 */
const WOULD_SHOW = `CASE WHEN state IN ('made', 'closed')
  THEN COALESCE(shown_at, refusal_holds_at) < $2::timestamptz
  ELSE GREATEST(shown_at, attempt_at + interval '2 minutes') < $2::timestamptz END`;

/** What gives back what is reserved for orders of bots: proof alone (contract.md 5.12; docs/order-lifecycle.md). */
@Injectable()
export class Proofs {
  constructor(private readonly transactions: Transactions) {}

  /** At most `limit` pairs of user and exchange of which orders are due: who has waited longest first. */
  listDue(limit: number): Promise<DueOrders[]> {
    return this.transactions.manager.query<DueOrders[]>(
      `SELECT user_id AS "userId", placements.exchange FROM reservations JOIN placements ON placements.id = placement_id
        WHERE ${IS_KNOWN} AND ${IS_DUE} GROUP BY 1, 2 ORDER BY min(read_at) LIMIT $1`,
      [limit],
    );
  }

  /**
   * Takes at most `limit` orders of the user's bots that the exchange has, those that were looked at longest ago: no other instance takes
   * one that is due too. Without `isDue` also those that are not due; of one `orderId` this order alone.
   */
  async take(
    { userId, exchange }: DueOrders,
    limit: number,
    isDue: boolean,
    orderId: string | null = null,
  ): Promise<ReservedOrder[]> {
    const { rows } = await this.transactions.modify<ReservedOrder>(
      `WITH oldest AS (
         SELECT placement_id AS id, exchange_id, account, CASE WHEN COALESCE(rests_at[1], known_risk) = known_risk THEN known_risk END AS risk
           FROM reservations JOIN placements ON placements.id = placement_id
             CROSS JOIN LATERAL (SELECT CASE unit_risk WHEN unit_risk_of(placements) THEN asked_risk_of(placements) ELSE unit_risk END) AS known (known_risk)
          WHERE user_id = $1 AND placements.exchange = $2 AND ${IS_KNOWN} AND (NOT $4::boolean OR ${IS_DUE})
            AND ($5::text IS NULL OR exchange_id = $5)
          ORDER BY read_at LIMIT $3 FOR UPDATE OF reservations SKIP LOCKED)
       UPDATE reservations SET read_at = clock_timestamp() FROM oldest WHERE placement_id = oldest.id
       RETURNING placement_id AS "placementId", bot_id AS "botId", exchange_id AS "orderId", oldest.account, fate,
                 is_long AS "isLong", trim_scale(size)::text AS size, trim_scale(oldest.risk)::text AS "unitRisk",
                 trim_scale(confirmed)::text AS confirmed, trim_scale(pending)::text AS pending`,
      [userId, exchange, limit, isDue, orderId],
    );
    return rows;
  }

  /** The database's time, as text: before a list is read. */
  async now(): Promise<string> {
    const rows = await this.transactions.manager.query<{ now: string }[]>('SELECT clock_timestamp()::text AS now');
    return rows[0]?.now ?? '';
  }

  /** Keeps that the exchange has just shown these as open. It takes the locks of several bots in the order of their ids. */
  async markShown(placementIds: readonly string[]): Promise<void> {
    if (placementIds.length === 0) return;
    await this.transactions.manager.query(
      `WITH held AS MATERIALIZED (
         SELECT bot_id FROM bot_sums WHERE bot_id IN (SELECT bot_id FROM reservations WHERE placement_id = ANY($1)) ORDER BY bot_id FOR UPDATE)
       UPDATE reservations SET shown_at = clock_timestamp(), missing_at = NULL
        WHERE placement_id = ANY($1) AND bot_id IN (SELECT bot_id FROM held)`,
      [placementIds],
    );
  }

  /**
   * Keeps that a complete list of open orders, read from `began` on, lacks an order; true where another one, 30 s before, lacked it too,
   * and the exchange has not shown it since. One that would not have to show an order that rests proves nothing.
   */
  async markMissing(placementId: string, began: string): Promise<boolean> {
    const { rows } = await this.transactions.modify<{ isAbsent: boolean }>(
      `UPDATE reservations SET missing_at = COALESCE(missing_at, $2::timestamptz) FROM placements
        WHERE placement_id = $1 AND placements.id = placement_id AND ${WOULD_SHOW}
       RETURNING missing_at <= $2::timestamptz - ${ABSENT_AFTER} AS "isAbsent"`,
      [placementId, began],
    );
    return rows[0]?.isAbsent ?? false;
  }

  /** Writes what the exchange shows of an order: totals, so that the same proof seen twice changes nothing the second time. */
  async prove(placementId: string, proof: OrderProof): Promise<void> {
    const { began, status, filledSize, isOver, isGone, terms, trades } = proof;
    const shown = [began, status, filledSize, isOver, isGone, JSON.stringify(trades), terms?.size, terms?.unitRisk];
    await this.transactions.manager.query('SELECT prove_order($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9)', [
      placementId,
      ...shown,
    ]);
  }
}
