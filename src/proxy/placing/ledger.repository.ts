import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { SendingLook } from '../../credentials/credentials.service.js';
import { prepared } from '../../platform/database/prepared-statements.js';
import { Transactions } from '../../platform/database/transactions.js';
import { hasCode, isUnknown } from './outcomes.js';
import { ANSWERED, CORRECT, MADE, SETTLE } from './ledger-answers.js';
import {
  BUSY,
  COUNTED_REFUSAL,
  ENDED,
  EXPIRED,
  IS_KEPT_REFUSAL,
  IS_OPEN,
  IS_RESERVED,
  MOST_REQUEST_IDS,
  NOW,
  ON_ITS_WAY,
  requestId,
  SENDINGS,
} from './ledger-conditions.js';
import { isOfBot } from './limits.js';
import { MAY_SEND, mayReserve, reservedWith } from './may-send.js';
import {
  ALL_REFUSED,
  type Attempt,
  type Beginning,
  type Claim,
  columnsOf,
  type Doubt,
  EXISTS,
  type IdempotencyScope,
  type IdempotentOrder,
  newPlacementId,
  refusalOf,
  type Sending,
  type SendingHistory,
  type TakenOver,
} from './placement.js';

/** A row that was just made. */
const BEGUN = z.object({ id: z.string(), attempt: z.number(), nonce: z.string(), begunAt: z.date() });

/** The time that lies as many milliseconds ahead as the parameter of this number says. */
function inMs(parameter: number): string {
  return `clock_timestamp() + $${parameter} * interval '1 millisecond'`;
}

/** `$1` user, `$2` exchange, `$3` kind, `$4` key, `$5` id of the row, `$6` key prefix, `$7` fingerprint, `$8` ms, `$9` request, `$10` given up, `$11` bot. */
const BEGIN = prepared(`
  WITH ended AS (
   UPDATE placements SET ${ENDED}
    WHERE id = (SELECT placement_id FROM idempotency_keys
                 WHERE user_id = $1 AND sender = COALESCE($11, '') AND exchange = $2 AND kind = $3 AND key = $4)
      AND ${EXPIRED} AND NOT ${BUSY} AND NOT (state IN ('sending', 'unknown') AND ${IS_RESERVED})
   RETURNING id),
 bound AS (
   INSERT INTO idempotency_keys AS bound (user_id, sender, exchange, kind, key, placement_id)
   SELECT $1, COALESCE($11, ''), $2, $3, $4, $5 FROM (SELECT count(*) FROM ended) AS first
   ON CONFLICT (user_id, sender, exchange, kind, key) DO UPDATE
     SET placement_id = EXCLUDED.placement_id, created_at = clock_timestamp()
   WHERE bound.placement_id IN (SELECT id FROM ended)
   RETURNING placement_id)
 INSERT INTO placements (id, user_id, key_prefix, bot_id, exchange, kind, key, fingerprint, state, abandoned_at, busy_until, request_ids)
 SELECT placement_id, $1, NULLIF($6, ''), $11::text, $2, $3, $4, $7, CASE WHEN $10::boolean THEN 'abandoned' ELSE 'begun' END,
        CASE WHEN $10::boolean THEN clock_timestamp() END, ${inMs(8)}, array_remove(ARRAY[$9::text], NULL)
   FROM bound
 RETURNING id, attempt, nonce, created_at AS "begunAt"`);

/** `$1` to `$6` the look, `$7` id of the row, `$8` attempt, `$9` reference, `$10` and `$11` ms, `$12` account, `$13` what is asked. */
const startSending = (look: string): string => `
  WITH look AS MATERIALIZED (${look}), begun AS (
   UPDATE placements
      SET state = 'sending', attempt_at = clock_timestamp(), ${NOW}, busy_until = ${inMs(10)},
          reference = $9::jsonb, account = CASE WHEN reference IS NULL THEN $12 ELSE account END,
          client_order_id = COALESCE(client_order_id, $9::jsonb ->> 'client_order_id', $9::jsonb ->> 'client_transfer_id'),
          exchange_id = COALESCE(exchange_id, $9::jsonb ->> 'order_id'),
          (market_id, outcome_index, side, price, size, time_in_force, post_only, money, shares, cost, currency) =
            (SELECT asked.market_id, asked.outcome_index, asked.side, asked.price, asked.size, asked.time_in_force, asked.post_only,
                    asked.money, asked.shares, asked.cost, asked.currency
               FROM jsonb_populate_record(NULL::placements, $13::jsonb) AS asked),
          first_sent_at = COALESCE(first_sent_at, clock_timestamp()),
          refusal_holds_at = GREATEST(refusal_holds_at, ${inMs(11)}), is_duplicate = false
     FROM look
    WHERE look.refusal IS NULL AND look."mayBegin" AND id = $7 AND attempt = $8 AND unbound_at IS NULL AND abandoned_at IS NULL AND ${BUSY}
   RETURNING attempt)
 SELECT look.refusal, look.broken, EXISTS (SELECT FROM begun) AS "hasBegun" FROM look`;

const START_SENDING = prepared(startSending(MAY_SEND));
/** `$14` the row for its limits, `$15` what they look at beside it, `$16` whether it has found no room before. */
const START_SENDING_OF_BOT = prepared(startSending(mayReserve('$14', '$8', '$15', '$16')));

/**
 * The ledger: a row of `placements` for each order and transfer under an `Idempotency-Key`, which `idempotency_keys` binds to it for 24
 * h. Every change is one conditional statement, and all times are the database's (R-13, R-14, R-25, R-26, R-28, S-32). docs/order-lifecycle.md draws
 * the states. Whatever unbinds a key changes the row first: no claim holds any more.
 */
@Injectable()
export class Ledger {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Makes a row before anything is sent, and binds the key to it; null where the key is bound. It is free again 24 h after the last
   * attempt, unless a call is working on it, or it is an order of a bot whose fate is still to be proved. A row that `isAbandoned` only keeps the key from being used.
   */
  async begin(
    scope: IdempotencyScope,
    fingerprint: Buffer,
    busyMs: number,
    isAbandoned = false,
  ): Promise<Claim | null> {
    const { userId, exchange, kind, key, keyPrefix, botId } = scope;
    const rows = await this.transactions.manager.query<object[]>(BEGIN, [
      userId,
      exchange,
      kind,
      key,
      newPlacementId(),
      keyPrefix,
      fingerprint,
      busyMs,
      requestId(),
      isAbandoned,
      botId,
    ]);
    if (rows[0] === undefined) return null;
    const { begunAt, ...row } = BEGUN.parse(rows[0]);
    return { ...scope, ...row, createdAt: begunAt };
  }

  /** What a key is bound to. */
  async find({ userId, exchange, kind, key, botId }: IdempotencyScope): Promise<IdempotentOrder | null> {
    const rows = await this.transactions.manager.query<IdempotentOrder[]>(
      `SELECT id, fingerprint, CASE WHEN ${ON_ITS_WAY} THEN 'sending' WHEN ${IS_OPEN} THEN 'unknown' ELSE 'done' END AS state,
              attempt, nonce, placements.created_at AS "createdAt", answer, ${BUSY} AS busy,
              abandoned_at IS NOT NULL AS "isAbandoned", ${SENDINGS}
         FROM idempotency_keys AS bound JOIN placements ON id = placement_id
        WHERE bound.user_id = $1 AND sender = COALESCE($5, '') AND bound.exchange = $2 AND bound.kind = $3 AND bound.key = $4
          AND (${BUSY} OR NOT ${EXPIRED})`,
      [userId, exchange, kind, key, botId],
    );
    return rows[0] ?? null;
  }

  /**
   * Takes over an order whose fate is unknown; null where another call was faster. A call for another account is no attempt
   * at the order: it does not put off the end of the key.
   */
  async takeOver(
    scope: IdempotencyScope,
    { id, attempt, nonce, createdAt }: IdempotentOrder,
    { account, busyMs }: Attempt,
  ): Promise<TakenOver | null> {
    const { rows } = await this.transactions.modify<SendingHistory & Pick<Claim, 'attempt'>>(
      `UPDATE placements
          SET state = CASE WHEN reference IS NULL THEN 'begun' ELSE 'sending' END, attempt = attempt + 1, ${NOW},
              busy_until = ${inMs(4)},
              attempt_at = CASE WHEN reference IS NULL OR account IS NULL OR account = $3 THEN clock_timestamp()
                                ELSE attempt_at END,
              account = CASE WHEN reference IS NULL THEN $3 ELSE account END,
              request_ids = (array_remove(array_append(request_ids, $5::text), NULL))
                            [greatest(1, cardinality(request_ids) - ${MOST_REQUEST_IDS - 2}):]
        WHERE id = $1 AND attempt = $2 AND unbound_at IS NULL AND abandoned_at IS NULL AND ${IS_OPEN} AND NOT ${BUSY}
      RETURNING attempt, ${SENDINGS}`,
      [id, attempt, account, busyMs, requestId()],
    );
    const [row] = rows;
    if (row === undefined) return null;
    const { attempt: taken, ...sendings } = row;
    return { claim: { ...scope, id, nonce, createdAt, attempt: taken }, sendings };
  }

  /** Records that the call is still busy with the order; false where another call has taken over. */
  async extend(claim: Claim, busyMs: number): Promise<boolean> {
    return this.#change(claim, `busy_until = ${inMs(3)}`, [busyMs]);
  }

  /**
   * Records, just before the first byte of a sending, the reference of the order, what is asked, the account that it is first sent for,
   * and from when on a refusal is final, unless `sending_refusal` says that it may not begin, or a limit of its bot. A call that was frozen until its
   * claim lapsed does not begin either: others were told that nothing was sent.
   */
  async startSending(claim: Claim, reference: object, sending: Sending, look: SendingLook): Promise<Beginning> {
    const { account, busyMs, refusalWaitMs, asked, reservation } = sending;
    const { id, attempt } = claim;
    const values = [
      ...look,
      id,
      attempt,
      JSON.stringify(reference),
      busyMs,
      refusalWaitMs,
      account,
      JSON.stringify(asked),
    ];
    const [row] = await (reservation === null
      ? this.transactions.manager.query<Beginning[]>(START_SENDING, values)
      : this.transactions.manager.query<Beginning[]>(START_SENDING_OF_BOT, [
          ...values,
          ...reservedWith(claim, asked, reservation),
        ]));
    return row ?? { refusal: null, broken: null, hasBegun: false };
  }

  /** Keeps the answer for the next 24 h; `isVerified` that a look-up has confirmed the refusal that it is. */
  async finish(claim: Claim, answer: object, isVerified = false): Promise<boolean> {
    const { count } = await this.transactions.modify(
      `UPDATE placements SET ${ANSWERED}, refusal_holds_at = CASE WHEN $5::boolean THEN '${ALL_REFUSED}' ELSE placements.refusal_holds_at END
         FROM ${MADE}
        WHERE placements.id = $1 AND placements.attempt = $4 AND placements.unbound_at IS NULL
          AND placements.state IN ('begun', 'sending')
      RETURNING placements.attempt`,
      [claim.id, JSON.stringify(answer), JSON.stringify(columnsOf(answer)), claim.attempt, isVerified],
    );
    return count === 1;
  }

  /**
   * Keeps, in the place of a refusal, what the exchange has made all the same, and records its note (`ActivityService.prepare`); false
   * where the row says something else by now.
   */
  async correct(claim: Claim, answer: object, note: string | null = null): Promise<boolean> {
    return this.#made(CORRECT, claim, answer, note);
  }

  /** Takes a kept refusal back where the exchange shows the order, but not its end: the next repeat looks again. */
  async reopen({ id }: Claim, isAbsent: boolean): Promise<void> {
    await this.transactions.manager.query(
      `UPDATE placements
          SET state = 'unknown', answer = NULL, reason = NULL, words = NULL, refusal_holds_at = '${EXISTS}',
              attempt_at = clock_timestamp(), ${NOW}, absent_at = CASE WHEN $2::boolean THEN clock_timestamp() END
        WHERE id = $1 AND state = 'refused' AND answer IS NOT NULL`,
      [id, isAbsent],
    );
  }

  /** Records that a look-up has confirmed a refusal, so that none follows. */
  async confirmRefusal({ id }: Claim): Promise<void> {
    await this.transactions.manager.query(
      `UPDATE placements SET refusal_holds_at = '${ALL_REFUSED}', ${NOW} WHERE id = $1 AND state = 'refused'`,
      [id],
    );
  }

  /**
   * Whether an order that was found, under a name that others can use too, is that of another sender of the user: who is known to have
   * made it; else, where the own sending `mayHaveMade` it, who sent it first, and where not, whoever sent it.
   */
  async isOfAnotherSender(
    { id, userId, botId, exchange }: Pick<Claim, 'id' | 'userId' | 'botId' | 'exchange'>,
    found: { readonly id: string; readonly client_order_id: string | null },
    mayHaveMade: boolean,
  ): Promise<boolean> {
    const rows = await this.transactions.manager.query<unknown[]>(
      `SELECT 1 FROM placements AS other
        WHERE (exchange_id = $5 OR (exchange_id IS NULL AND client_order_id = $6)) AND user_id = $2 AND exchange = $4 AND kind = 'order'
          AND id <> $1 AND bot_id IS DISTINCT FROM $3::text AND first_sent_at IS NOT NULL AND state <> 'refused'
          AND (state IN ('made', 'closed') OR NOT $7
            OR (first_sent_at, id) < (SELECT own.first_sent_at, own.id FROM placements AS own WHERE own.id = $1)) LIMIT 1`,
      [id, userId, botId, exchange, found.id, found.client_order_id, mayHaveMade],
    );
    return rows.length > 0;
  }

  /** Whether an order of the exchange is what another row of the user made: under a key that is bound, or without one. */
  async isAnswerOfAnother({ id, userId, exchange }: Claim, orderId: string): Promise<boolean> {
    const rows = await this.transactions.manager.query<unknown[]>(
      `SELECT 1 FROM placements
        WHERE exchange_id = $4 AND user_id = $2 AND exchange = $3 AND id <> $1 AND kind = 'order'
          AND state IN ('made', 'closed') AND first_sent_at IS NOT NULL
          AND (key IS NULL OR unbound_at IS NULL AND NOT ${EXPIRED}) LIMIT 1`,
      [id, userId, exchange, orderId],
    );
    return rows.length > 0;
  }

  /**
   * Keeps the order as the answer of its row, also where another call holds the claim, and records the note: the exchange has the order,
   * so that no other answer can be right. Returns false and records nothing where the row has an answer already, or is gone.
   */
  async settle(claim: Claim, answer: object, note: string | null = null): Promise<boolean> {
    return this.#made(SETTLE, claim, answer, note);
  }

  /** Records that the order may exist, or that nothing but refusals came of its sendings so far (`Doubt`). */
  async markUnknown(
    claim: Claim,
    { refusalHoldsAt = null, isDuplicate, isAbsent, answer }: Doubt = {},
  ): Promise<boolean> {
    const isRefused = `COALESCE($3::timestamptz, refusal_holds_at) = '${ALL_REFUSED}'`;
    return this.#change(
      claim,
      `state = CASE WHEN ${isRefused} THEN 'refused' ELSE 'unknown' END,
       refusal_holds_at = COALESCE($3::timestamptz, refusal_holds_at),
       is_duplicate = COALESCE($4::boolean, is_duplicate),
       absent_at = CASE $5::boolean WHEN true THEN COALESCE(absent_at, clock_timestamp()) WHEN false THEN NULL
                        ELSE absent_at END,
       reason = CASE WHEN ${isRefused} THEN COALESCE($6::text, reason) END,
       words = CASE WHEN ${isRefused} THEN COALESCE($7::text, words) END`,
      // What is no refusal leaves the one before.
      [
        refusalHoldsAt,
        isDuplicate ?? null,
        isAbsent ?? null,
        ...(isUnknown(answer) ? [null, null] : refusalOf(answer)),
      ],
    );
  }

  /**
   * Frees the key of an order of which nothing was sent, unless it was given up, and keeps the row with what kept it from being sent;
   * false where another call has taken over.
   */
  async forget({ id, attempt, userId, exchange, kind, key, botId }: Claim, error: unknown): Promise<boolean> {
    const ended = await this.transactions.manager.query<unknown[]>(
      `WITH ended AS (
         UPDATE placements
            SET unbound_at = CASE WHEN abandoned_at IS NULL THEN clock_timestamp() END, answer = NULL, ${NOW},
                state = CASE WHEN abandoned_at IS NULL THEN 'refused' ELSE 'abandoned' END, reason = $3, words = $4,
                first_sent_at = NULL, refusal_holds_at = NULL
          WHERE id = $1 AND attempt = $2 AND unbound_at IS NULL AND ${ON_ITS_WAY}
         RETURNING id, unbound_at),
       freed AS (
         DELETE FROM idempotency_keys AS bound USING ended
          WHERE bound.user_id = $5 AND bound.sender = COALESCE($9, '') AND bound.exchange = $6 AND bound.kind = $7 AND bound.key = $8
            AND bound.placement_id = ended.id AND ended.unbound_at IS NOT NULL)
       SELECT FROM ended`,
      [id, attempt, ...refusalOf(error), userId, exchange, kind, key, botId],
    );
    const isOurs = ended.length === 1;
    if (isOurs) await this.#forgetWhole(id, botId, error);
    return isOurs;
  }

  /** Who has no credentials stored fills nothing, nor does a bot that is refused all day. */
  async #forgetWhole(id: string, botId: string | null, error: unknown): Promise<void> {
    const { manager } = this.transactions;
    if (hasCode(error, 'credentials_not_configured'))
      await manager.query('DELETE FROM placements WHERE id = $1 AND unbound_at IS NOT NULL', [id]);
    else if (botId !== null && isOfBot(error))
      await manager.query(
        `WITH ${COUNTED_REFUSAL('$2', 'true')} DELETE FROM placements WHERE id = $1 AND unbound_at IS NOT NULL AND NOT ${IS_KEPT_REFUSAL}`,
        [id, botId],
      );
  }

  async #made(sql: string, { id }: Claim, answer: object, note: string | null): Promise<boolean> {
    const { count } = await this.transactions.modify(sql, [
      id,
      JSON.stringify(answer),
      JSON.stringify(columnsOf(answer)),
      note,
    ]);
    return count === 1;
  }

  /** A change by the call whose claim still holds: its values are `$3` and on. */
  async #change({ id, attempt }: Claim, change: string, values: readonly unknown[]): Promise<boolean> {
    const { count } = await this.transactions.modify(
      // eslint-disable-next-line own/constant-sql -- the texts of this class
      `UPDATE placements SET ${change}, ${NOW}
        WHERE id = $1 AND attempt = $2 AND unbound_at IS NULL AND ${ON_ITS_WAY} RETURNING attempt`,
      [id, attempt, ...values],
    );
    return count === 1;
  }
}
