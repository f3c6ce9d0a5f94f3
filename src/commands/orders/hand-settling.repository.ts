import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';

/** An order of a bot of which something is reserved. Sizes are decimals, in contracts or shares. */
export interface ReservedOrder {
  readonly id: string;
  readonly userId: string;
  readonly botId: string;
  readonly exchange: string;
  readonly marketId: string;
  readonly orderId: string | null;
  readonly clientOrderId: string | null;
  readonly state: string;
  /** The most that may have filled, and what is known to have. */
  readonly most: string;
  readonly filled: string;
  /** Whether a call works on the order now. */
  readonly isBusy: boolean;
  /** 24 h after the last sign of the order: its last sending, or what the exchange last showed of it. */
  readonly settleableAt: Date;
  readonly maySettle: boolean;
}

const SETTLEABLE_AT = `interval '24 hours' + CASE WHEN state IN ('sending', 'unknown') THEN GREATEST(first_sent_at, attempt_at)
    ELSE GREATEST(first_sent_at, placements.updated_at, shown_at) END`;

const RESERVED = `
  SELECT placements.id, user_id AS "userId", reservations.bot_id AS "botId", placements.exchange, placements.market_id AS "marketId",
         exchange_id AS "orderId", client_order_id AS "clientOrderId", state, trim_scale(most)::text AS most,
         trim_scale(confirmed + pending)::text AS filled, state = 'sending' AND busy_until > clock_timestamp() AS "isBusy",
         ${SETTLEABLE_AT} AS "settleableAt", ${SETTLEABLE_AT} <= clock_timestamp() AS "maySettle"
    FROM reservations JOIN placements ON placements.id = placement_id`;

/** Ends by hand what is reserved for an order of a bot (contract.md 5.12, 8.1). */
@Injectable()
export class HandSettling {
  constructor(private readonly transactions: Transactions) {}

  /** Orders with something reserved that have this id: of the ledger, of the exchange or of the client; at most 50. */
  find(id: string): Promise<ReservedOrder[]> {
    return this.transactions.manager.query<ReservedOrder[]>(
      `${RESERVED} WHERE placements.id = $1 OR exchange_id = $1 OR client_order_id = $1 ORDER BY created_at LIMIT 50`,
      [id],
    );
  }

  /**
   * The order as it is now, and held until the transaction ends, against every proof and every sending: first its row of the ledger, then its
   * name at the exchange, as a row that turns out to be the same order does, then the sums of its bot. Null where nothing is reserved for it any more.
   */
  async hold(id: string): Promise<ReservedOrder | null> {
    const { manager } = this.transactions;
    await manager.query('SELECT 1 FROM placements WHERE id = $1 FOR UPDATE', [id]);
    await manager.query(
      `SELECT pg_advisory_xact_lock(hashtextextended(user_id || ' ' || exchange_id, 5)) FROM placements WHERE id = $1`,
      [id],
    );
    await manager.query(
      'SELECT 1 FROM bot_sums WHERE bot_id = (SELECT bot_id FROM placements WHERE id = $1) FOR UPDATE',
      [id],
    );
    const rows = await manager.query<ReservedOrder[]>(`${RESERVED} WHERE placements.id = $1`, [id]);
    return rows[0] ?? null;
  }

  /**
   * Writes the end of an order that is held: what never showed and did not fill is refused, so that an order that shows all the same is
   * reserved anew; what else is over. No call that works on it changes it any more.
   */
  async settle(id: string, filled: string): Promise<void> {
    const { manager } = this.transactions;
    // They are no part of what the operator states, and are taken off what an exchange states.
    await manager.query(
      `UPDATE reservations
          SET trades = (SELECT COALESCE(jsonb_object_agg(id, trade), '{}') FROM jsonb_each(trades) AS known (id, trade)
                         WHERE trade ->> 'status' <> 'failed')
        WHERE placement_id = $1`,
      [id],
    );
    await manager.query(
      `UPDATE placements
          SET state = CASE WHEN exchange_id IS NULL AND $2::numeric = 0 THEN 'refused' ELSE 'closed' END,
              status = CASE WHEN exchange_id IS NULL AND $2::numeric = 0 THEN status
                            WHEN $2::numeric >= size::numeric THEN 'filled' ELSE 'cancelled' END,
              filled_size = $2, reason = 'settled_by_operator', attempt = attempt + 1, updated_at = clock_timestamp()
        WHERE id = $1`,
      [id, filled],
    );
    // What filled is proved by the operator: no trade is waited for.
    await manager.query('SELECT settle_by_hand($1, $2::numeric)', [id, filled]);
  }
}
