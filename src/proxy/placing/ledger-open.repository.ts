import { Injectable } from '@nestjs/common';
import type { SentTerms } from '../../exchanges/orders.contract.js';
import { Transactions } from '../../platform/database/transactions.js';
import { IS_OPEN, NOW, ON_ITS_WAY, SENDINGS } from './ledger-conditions.js';
import type { Claim, SendingHistory } from './placement.js';
import { IS_UNPROVED } from './proofs.repository.js';

/** The row of an order whose end is not known, which this call now has the right to change. */
export interface OpenOrder {
  readonly claim: Claim;
  readonly sendings: SendingHistory;
  /** Whether its key is abandoned: then an order that shows is not wanted. */
  readonly isAbandoned: boolean;
  /** What it asked for; null where its record does not say, or nothing was sent. */
  readonly asked: SentTerms | null;
}

/** An order that lives under a key that was given up. */
export interface UnwantedOrder extends Pick<Claim, 'id' | 'userId' | 'keyPrefix' | 'botId' | 'exchange'> {
  /** As the exchange names it. */
  readonly orderId: string;
}

type Row = Claim &
  SendingHistory &
  Pick<OpenOrder, 'isAbandoned'> & { readonly [Name in keyof SentTerms]: SentTerms[Name] | null };

/** No call works on the placement now, and the client had time to repeat its call after an unknown outcome. */
const IS_LEFT = `busy_until < clock_timestamp()`;

/** As the index `placements_open` has it. */
const IS_OPEN_ROW = `state IN ('begun', 'sending', 'unknown') AND unbound_at IS NULL`;

/**
 * Soon after the last attempt it is looked at often, later once a minute, and no more once its key is free. Of what was begun and not
 * sent nothing has to be known: transfers, and what an earlier version has begun, end so too.
 */
const IS_DUE = `${IS_OPEN_ROW} AND ${IS_LEFT}
  AND (state = 'begun' AND reference IS NULL OR kind = 'order' AND reference IS NOT NULL AND key_prefix IS NOT NULL)
  AND (attempt_at > clock_timestamp() - interval '24 hours'
    OR bot_id IS NOT NULL AND EXISTS (SELECT FROM reservations WHERE placement_id = placements.id AND ${IS_UNPROVED}))
  AND (checked_at IS NULL OR checked_at < clock_timestamp() -
       CASE WHEN attempt_at > clock_timestamp() - interval '2 minutes' THEN interval '5 seconds' ELSE interval '1 minute' END)`;

/** An order that showed after its key was given up. No cancel of the order was tried within the last minute. */
const IS_UNWANTED = `abandoned_at < clock_timestamp() - interval '30 seconds' AND abandoned_at > clock_timestamp() - interval '24 hours'
  AND state = 'made' AND kind = 'order' AND exchange_id IS NOT NULL AND key_prefix IS NOT NULL
  AND (checked_at IS NULL OR checked_at < clock_timestamp() - interval '1 minute')`;

const WAITS_SINCE = 'COALESCE(checked_at, busy_until)';

const TAKEN = `attempt = attempt + 1, state = CASE WHEN reference IS NULL THEN 'begun' ELSE 'sending' END, checked_at = clock_timestamp()`;

const COLUMNS = `id, user_id AS "userId", key_prefix AS "keyPrefix", bot_id AS "botId", exchange, kind, key, attempt, nonce, created_at AS "createdAt",
  market_id, outcome_index, side, price, size, time_in_force, post_only, money,
  abandoned_at IS NOT NULL AS "isAbandoned", ${SENDINGS}`;

/** Takes orders whose end is not known, so that it is learned although nobody repeats their call. It puts off the end of no key. */
@Injectable()
export class OpenPlacements {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Takes at most `limit` placements that no call works on, and at most `ofOneUser` of one user, for `busyMs`. The placement that has
   * waited longest comes first for each user, before the second one of any user: a user with many placements delays no other user. The
   * query reads the index user by user, so that many rows of one user cost no more than a few.
   */
  async takeDue(limit: number, ofOneUser: number, busyMs: number): Promise<OpenOrder[]> {
    const { rows } = await this.transactions.modify<Row>(
      `WITH RECURSIVE owners AS (
         (SELECT user_id FROM placements WHERE ${IS_OPEN_ROW} ORDER BY user_id LIMIT 1)
         UNION ALL
         SELECT (SELECT next.user_id FROM placements AS next
                  WHERE next.user_id > owners.user_id AND ${IS_OPEN_ROW} ORDER BY next.user_id LIMIT 1)
           FROM owners WHERE owners.user_id IS NOT NULL),
       due AS (
         SELECT own.id, own.since, row_number() OVER (PARTITION BY owners.user_id ORDER BY own.since, own.id) AS turn
           FROM owners CROSS JOIN LATERAL (
             SELECT id, ${WAITS_SINCE} AS since FROM placements
              WHERE placements.user_id = owners.user_id AND ${IS_DUE} ORDER BY ${WAITS_SINCE} LIMIT $2) AS own),
       free AS (
         SELECT id FROM placements
          WHERE id IN (SELECT id FROM due ORDER BY turn, since LIMIT $1) AND ${IS_DUE}
          FOR UPDATE SKIP LOCKED)
       UPDATE placements SET ${TAKEN}, busy_until = clock_timestamp() + $3 * interval '1 millisecond'
        WHERE id IN (SELECT id FROM free)
       RETURNING ${COLUMNS}`,
      [limit, ofOneUser, busyMs],
    );
    return rows.map(toOpen);
  }

  /** Takes at most `limit` orders that may live although their keys were given up, one of each user. */
  async takeUnwanted(limit: number): Promise<UnwantedOrder[]> {
    const { rows } = await this.transactions.modify<UnwantedOrder>(
      `WITH first AS (
         SELECT DISTINCT ON (user_id) id, checked_at FROM placements WHERE ${IS_UNWANTED} ORDER BY user_id, checked_at NULLS FIRST),
       free AS (
         SELECT id FROM placements
          WHERE id IN (SELECT id FROM first ORDER BY checked_at NULLS FIRST LIMIT $1) AND ${IS_UNWANTED}
          FOR UPDATE SKIP LOCKED)
       UPDATE placements SET checked_at = clock_timestamp() WHERE id IN (SELECT id FROM free)
       RETURNING id, user_id AS "userId", key_prefix AS "keyPrefix", bot_id AS "botId", exchange, exchange_id AS "orderId"`,
      [limit],
    );
    return rows;
  }

  /** Keeps that an order is over, as the exchange has stated. */
  async close(id: string): Promise<void> {
    await this.transactions.manager.query(
      `UPDATE placements SET state = 'closed', ${NOW} WHERE id = $1 AND state = 'made'`,
      [id],
    );
  }

  /** What was refused, to be looked at once more; null where it was not, or nothing was sent. It needs no claim: nobody sends it. */
  async findRefused(id: string): Promise<OpenOrder | null> {
    const rows = await this.transactions.manager.query<Row[]>(
      `SELECT ${COLUMNS} FROM placements WHERE id = $1 AND state = 'refused' AND answer IS NOT NULL AND reference IS NOT NULL`,
      [id],
    );
    return rows[0] === undefined ? null : toOpen(rows[0]);
  }

  /** Takes one; null where it has an end, or a call works on it. */
  async take(id: string, busyMs: number): Promise<OpenOrder | null> {
    const { rows } = await this.transactions.modify<Row>(
      `UPDATE placements SET ${TAKEN}, busy_until = clock_timestamp() + $2 * interval '1 millisecond'
        WHERE id = $1 AND ${IS_OPEN} AND NOT (${ON_ITS_WAY} AND busy_until > clock_timestamp())
       RETURNING ${COLUMNS}`,
      [id, busyMs],
    );
    return rows[0] === undefined ? null : toOpen(rows[0]);
  }
}

function toOpen(row: Row): OpenOrder {
  const { id, userId, keyPrefix, botId, exchange, kind, key, attempt, nonce, createdAt, isAbandoned, ...rest } = row;
  const { market_id, outcome_index, side, price, size, time_in_force, post_only, money, ...sendings } = rest;
  const claim = { id, userId, keyPrefix, botId, exchange, kind, key, attempt, nonce, createdAt };
  const isKnown = market_id !== null && side !== null && price !== null && size !== null;
  const asked = isKnown ? { market_id, outcome_index, side, price, size, time_in_force, post_only, money } : null;
  return { claim, sendings, isAbandoned, asked };
}
