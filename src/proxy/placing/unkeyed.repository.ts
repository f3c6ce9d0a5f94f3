import { Injectable } from '@nestjs/common';
import type { SendingLook } from '../../credentials/credentials.service.js';
import { prepared } from '../../platform/database/prepared-statements.js';
import { Transactions } from '../../platform/database/transactions.js';
import { COUNTED_REFUSAL, IS_KEPT_REFUSAL, requestId } from './ledger-conditions.js';
import { isOfBot } from './limits.js';
import { MAY_SEND, mayReserve, reservedWith } from './may-send.js';
import {
  type Beginning,
  type Claim,
  type IdempotencyScope,
  newPlacementId,
  refusalOf,
  type Sending,
} from './placement.js';

/** For so many ms from its beginning on, one reading of the database's clock serves all who ask: their rows are made up to so much later than they say. */
const CLOCK_SHARED_MS = 250;

const CLOCK = prepared('SELECT clock_timestamp() AS now');

/** A row without a key, which is written where its only sending begins, or ends unsent. */
export interface Unkeyed {
  readonly claim: Claim;
  readonly fingerprint: Buffer;
}

/** `$1` to `$6` the look, `$7` to `$14` what stays, `$15` reference, `$16` and `$17` ms, `$18` request, `$19` what is asked. */
const startSending = (look: string): string => `
  WITH look AS MATERIALIZED (${look}), begun AS (
 INSERT INTO placements (id, user_id, key_prefix, bot_id, exchange, kind, fingerprint, nonce, account, reference, client_order_id, exchange_id,
     market_id, outcome_index, side, price, size, time_in_force, post_only, money, shares, cost, currency,
     state, reason, first_sent_at, refusal_holds_at, busy_until, request_ids)
 SELECT $7, $8, $9, $6, $10, $11, $12, $13, $14, $15::jsonb,
        COALESCE($15::jsonb ->> 'client_order_id', $15::jsonb ->> 'client_transfer_id'), $15::jsonb ->> 'order_id',
        asked.market_id, asked.outcome_index, asked.side, asked.price, asked.size, asked.time_in_force, asked.post_only,
        asked.money, asked.shares, asked.cost, asked.currency,
        CASE WHEN refusal IS NULL THEN 'sending' ELSE 'refused' END, refusal,
        CASE WHEN refusal IS NULL THEN clock_timestamp() END,
        CASE WHEN refusal IS NULL THEN clock_timestamp() + $17 * interval '1 millisecond' END,
        clock_timestamp() + $16 * interval '1 millisecond', array_remove(ARRAY[$18::text], NULL)
   FROM look, jsonb_populate_record(NULL::placements, $19::jsonb) AS asked WHERE look.broken IS NULL)
 SELECT refusal, broken FROM look`;

const START_SENDING = prepared(startSending(MAY_SEND));
/** `$20` the row for its limits, `$21` what they look at beside it, `$22` whether it has found no room before. */
const START_SENDING_OF_BOT = prepared(startSending(mayReserve('$20', '0', '$21', '$22')));

/** Rows of the ledger for what is asked for without an `Idempotency-Key`; the rest of their life is that of the others (`Ledger`). */
@Injectable()
export class UnkeyedPlacements {
  /** When its reading began, by `performance.now()`. */
  #clock: { readonly at: number; readonly read: Promise<Date> } | null = null;

  constructor(private readonly transactions: Transactions) {}

  /** A row that is not written yet; one that `isTimed` was made at a time of the database, a moment ago at most. */
  async begin(
    scope: Omit<IdempotencyScope, 'key'>,
    fingerprint: Buffer,
    nonce: string,
    isTimed = false,
  ): Promise<Unkeyed> {
    const createdAt = isTimed ? await this.#now() : new Date();
    return { claim: { ...scope, id: newPlacementId(), key: null, attempt: 1, nonce, createdAt }, fingerprint };
  }

  /**
   * Writes the row just before the first byte. Where `sending_refusal` says that it may not be sent, it returns why, and the row says so
   * too; where a limit of a bot does, nothing is written yet.
   */
  async startSending(
    { claim, fingerprint }: Unkeyed,
    reference: object,
    { account, busyMs, refusalWaitMs, asked, reservation }: Sending,
    look: SendingLook,
  ): Promise<Omit<Beginning, 'hasBegun'>> {
    const { id, userId, keyPrefix, exchange, kind, nonce } = claim;
    const values = [
      ...look,
      ...[id, userId, keyPrefix, exchange, kind, fingerprint, nonce, account],
      ...[JSON.stringify(reference), busyMs, refusalWaitMs, requestId(), JSON.stringify(asked)],
    ];
    const { manager } = this.transactions;
    const rows = await (reservation === null
      ? manager.query<Omit<Beginning, 'hasBegun'>[]>(START_SENDING, values)
      : manager.query<Omit<Beginning, 'hasBegun'>[]>(START_SENDING_OF_BOT, [
          ...values,
          ...reservedWith(claim, asked, reservation),
        ]));
    return rows[0] ?? { refusal: null, broken: null };
  }

  /** Writes why nothing of it was sent. */
  async refuse({ claim, fingerprint }: Unkeyed, error: unknown): Promise<void> {
    const { id, userId, keyPrefix, botId, exchange, kind } = claim;
    await this.transactions.manager.query(
      `WITH ${COUNTED_REFUSAL('$10', '$11')}
       INSERT INTO placements (id, user_id, key_prefix, bot_id, exchange, kind, fingerprint, state, reason, words, busy_until, request_ids)
       SELECT $1, $2, $3, $10, $4, $5, $6, 'refused', $7, $8, clock_timestamp(), array_remove(ARRAY[$9::text], NULL) WHERE ${IS_KEPT_REFUSAL}
       ON CONFLICT (id) DO UPDATE
         SET state = 'refused', reason = EXCLUDED.reason, words = EXCLUDED.words, first_sent_at = NULL, refusal_holds_at = NULL,
             updated_at = clock_timestamp()
       WHERE placements.state IN ('sending', 'unknown', 'refused')`,
      [id, userId, keyPrefix, exchange, kind, fingerprint, ...refusalOf(error), requestId(), botId, isOfBot(error)],
    );
  }

  #now(): Promise<Date> {
    const at = performance.now();
    if (this.#clock !== null && at - this.#clock.at < CLOCK_SHARED_MS) return this.#clock.read;
    const read = this.#readClock();
    this.#clock = { at, read };
    return read;
  }

  /** What fails serves only those who wait for it. */
  async #readClock(): Promise<Date> {
    try {
      const [row] = await this.transactions.manager.query<[{ now: Date }]>(CLOCK);
      return row.now;
    } catch (error) {
      this.#clock = null;
      throw error;
    }
  }
}
