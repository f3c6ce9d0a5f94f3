import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';
import { BUSY, ENDED, EXPIRED, IS_RESERVED } from './ledger-conditions.js';

/** There is nothing in a position (`gone`), and nobody asks any more whether it was traded. */
const IS_EMPTY = `gone.held = 0 AND gone.pending_long + gone.pending_short + gone.live_long + gone.live_short = 0 AND gone.live_risk = 0
  AND COALESCE(gone.traded_at, '-infinity') < clock_timestamp() - interval '24 hours'
  AND NOT EXISTS (SELECT FROM reservations AS known
                   WHERE known.bot_id = gone.bot_id AND known.exchange = gone.exchange AND known.market_id = gone.market_id)`;

/** Takes out of the ledger what is over; every condition is looked at once more where the row is locked. */
@Injectable()
export class LedgerUpkeep {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Frees keys whose last attempt was over 24 h ago, at most so many, and returns how many. It waits for no lock
   * while it holds others.
   */
  async unbindOld(limit: number): Promise<number> {
    const { count } = await this.transactions.modify(
      `WITH ended AS (
         UPDATE placements SET ${ENDED} WHERE id IN (
           SELECT placements.id FROM idempotency_keys AS bound JOIN placements ON placements.id = bound.placement_id
            WHERE bound.created_at < clock_timestamp() - interval '24 hours' AND ${EXPIRED} AND NOT ${BUSY} AND NOT ${IS_RESERVED}
            LIMIT $1 FOR UPDATE OF placements, bound SKIP LOCKED)
         RETURNING id, user_id, bot_id, exchange, kind, key)
       DELETE FROM idempotency_keys AS bound USING ended
        WHERE bound.user_id = ended.user_id AND bound.sender = COALESCE(ended.bot_id, '') AND bound.exchange = ended.exchange
          AND bound.kind = ended.kind AND bound.key = ended.key AND bound.placement_id = ended.id`,
      [limit],
    );
    return count;
  }

  /** Of what was asked for without a key nobody looks any more 24 h after its sending; at most so many, and returns how many. */
  async leaveOld(limit: number): Promise<number> {
    const { count } = await this.transactions.modify(
      `UPDATE placements SET unbound_at = clock_timestamp() WHERE id IN (
         SELECT id FROM placements
          WHERE state IN ('begun', 'sending', 'unknown') AND unbound_at IS NULL AND key IS NULL AND ${EXPIRED} AND NOT ${BUSY}
            AND NOT ${IS_RESERVED}
          LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [limit],
    );
    return count;
  }

  /** Removes rows without a key, at most so many, and returns how many: refused ones after 30 days, others 90 days after their last change, unless of an order of a bot something is not proved. */
  async removeOld(limit: number): Promise<number> {
    const refused = await this.#remove(
      `SELECT id FROM placements
        WHERE state IN ('refused', 'abandoned') AND created_at < now() - interval '30 days' AND (key IS NULL OR unbound_at IS NOT NULL)
          AND NOT ${IS_RESERVED}
        LIMIT $1 FOR UPDATE SKIP LOCKED`,
      limit,
    );
    if (refused >= limit) return refused;
    const old = await this.#remove(
      `SELECT id FROM placements
        WHERE created_at < now() - interval '90 days' AND updated_at < now() - interval '90 days' AND (key IS NULL OR unbound_at IS NOT NULL)
          AND NOT ${IS_RESERVED}
        LIMIT $1 FOR UPDATE SKIP LOCKED`,
      limit - refused,
    );
    return refused + old;
  }

  /** Removes positions of bots in which there is nothing, at most so many, and returns how many; no order of the bot is reserved meanwhile. */
  async removeEmptyPositions(limit: number): Promise<number> {
    const { count } = await this.transactions.modify(
      `WITH empty AS MATERIALIZED (SELECT bot_id, exchange, market_id FROM bot_positions AS gone WHERE ${IS_EMPTY} LIMIT $1),
       held AS MATERIALIZED (SELECT bot_id FROM bot_sums WHERE bot_id IN (SELECT bot_id FROM empty) FOR UPDATE SKIP LOCKED)
       DELETE FROM bot_positions AS gone USING empty, held
        WHERE gone.bot_id = held.bot_id AND gone.bot_id = empty.bot_id AND gone.exchange = empty.exchange
          AND gone.market_id = empty.market_id AND ${IS_EMPTY}`,
      [limit],
    );
    return count;
  }

  async #remove(ids: string, limit: number): Promise<number> {
    const { count } = await this.transactions.modify(
      // eslint-disable-next-line own/constant-sql -- one of the two above
      `DELETE FROM placements WHERE id IN (${ids})`,
      [limit],
    );
    return count;
  }
}
