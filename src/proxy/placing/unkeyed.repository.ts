import { Injectable } from '@nestjs/common';
import type { SendingLook } from '../../credentials/credentials.service.js';
import { prepared } from '../../platform/database/prepared-statements.js';
import { Transactions } from '../../platform/database/transactions.js';
import { requestId } from './ledger-conditions.js';
import { type Claim, newPlacementId, refusalOf, type Sending } from './placement.js';

/** A row without a key, which is written where its only sending begins, or ends unsent. */
export interface Unkeyed {
  readonly claim: Claim;
  readonly fingerprint: Buffer;
}

/** `$1` to `$5` the look, `$6` to `$13` what stays, `$14` reference, `$15` and `$16` ms, `$17` request, `$18` what is asked. */
const START_SENDING = prepared(`
  WITH look AS MATERIALIZED (SELECT sending_refusal($1, $2, $3, $4, $5) AS refusal)
 INSERT INTO placements (id, user_id, key_prefix, exchange, kind, fingerprint, nonce, account, reference, client_order_id, exchange_id,
     market_id, outcome_index, side, price, size, time_in_force, post_only, money, shares, cost, currency,
     state, reason, first_sent_at, refusal_holds_at, busy_until, request_ids)
 SELECT $6, $7, $8, $9, $10, $11, $12, $13, $14::jsonb,
        COALESCE($14::jsonb ->> 'client_order_id', $14::jsonb ->> 'client_transfer_id'), $14::jsonb ->> 'order_id',
        asked.market_id, asked.outcome_index, asked.side, asked.price, asked.size, asked.time_in_force, asked.post_only,
        asked.money, asked.shares, asked.cost, asked.currency,
        CASE WHEN refusal IS NULL THEN 'sending' ELSE 'refused' END, refusal,
        CASE WHEN refusal IS NULL THEN clock_timestamp() END,
        CASE WHEN refusal IS NULL THEN clock_timestamp() + $16 * interval '1 millisecond' END,
        clock_timestamp() + $15 * interval '1 millisecond', array_remove(ARRAY[$17::text], NULL)
   FROM look, jsonb_populate_record(NULL::placements, $18::jsonb) AS asked
 RETURNING reason AS refusal`);

/** Rows of the ledger for what is asked for without an `Idempotency-Key`; the rest of their life is that of the others (`Ledger`). */
@Injectable()
export class UnkeyedPlacements {
  constructor(private readonly transactions: Transactions) {}

  /** A row that is not written yet. */
  begin(scope: Pick<Claim, 'userId' | 'keyPrefix' | 'exchange' | 'kind'>, fingerprint: Buffer, nonce: string): Unkeyed {
    const { userId, keyPrefix, exchange, kind } = scope;
    const claim = { id: newPlacementId(), userId, keyPrefix, exchange, kind, key: null, attempt: 1, nonce };
    return { claim: { ...claim, createdAt: new Date() }, fingerprint };
  }

  /**
   * Writes the row just before the first byte, unless `sending_refusal` says that it may not be sent: returns why, and the row says so too.
   */
  async startSending(
    { claim, fingerprint }: Unkeyed,
    reference: object,
    { account, busyMs, refusalWaitMs, asked }: Sending,
    look: SendingLook,
  ): Promise<string | null> {
    const { id, userId, keyPrefix, exchange, kind, nonce } = claim;
    const rows = await this.transactions.manager.query<{ refusal: string | null }[]>(START_SENDING, [
      ...look,
      ...[id, userId, keyPrefix, exchange, kind, fingerprint, nonce, account],
      ...[JSON.stringify(reference), busyMs, refusalWaitMs, requestId(), JSON.stringify(asked)],
    ]);
    return rows[0]?.refusal ?? null;
  }

  /** Writes why nothing of it was sent. */
  async refuse({ claim, fingerprint }: Unkeyed, error: unknown): Promise<void> {
    const { id, userId, keyPrefix, exchange, kind } = claim;
    await this.transactions.manager.query(
      `INSERT INTO placements (id, user_id, key_prefix, exchange, kind, fingerprint, state, reason, words, busy_until, request_ids)
       VALUES ($1, $2, $3, $4, $5, $6, 'refused', $7, $8, clock_timestamp(), array_remove(ARRAY[$9::text], NULL))
       ON CONFLICT (id) DO UPDATE
         SET state = 'refused', reason = EXCLUDED.reason, words = EXCLUDED.words, first_sent_at = NULL, refusal_holds_at = NULL,
             updated_at = clock_timestamp()
       WHERE placements.state IN ('sending', 'unknown', 'refused')`,
      [id, userId, keyPrefix, exchange, kind, fingerprint, ...refusalOf(error), requestId()],
    );
  }
}
