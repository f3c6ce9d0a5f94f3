import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { StatementPart } from '../../platform/database/statement-part.js';
import { Transactions } from '../../platform/database/transactions.js';
import { currentRequest } from '../../platform/http/request-context.js';

/** A key and its scope: user and exchange (contract.md 5). */
export interface IdempotencyScope {
  readonly userId: string;
  readonly exchange: string;
  readonly key: string;
}

/** What a call adds to the record that it takes over. */
export interface Attempt {
  /** A digest of the exchange account that the order is for. */
  readonly account: Buffer;
  /** How long the call may be busy with the order, in ms, before another may take over. */
  readonly busyMs: number;
}

/** The right of one call to send the order: the newest attempt at this very record. */
export interface Claim extends IdempotencyScope {
  readonly attempt: number;
  /** The random part of the client order id; differs from record to record, also under the same key (contract.md 9). */
  readonly nonce: string;
  /** When the record was made. */
  readonly createdAt: Date;
}

/** A record that was just made, as a row of a statement of another feature. */
const BEGUN = z.object({ attempt: z.number(), nonce: z.string(), begunAt: z.date() });

/** What a call adds to its record just before it sends. */
export interface Sending extends Attempt {
  /** From now until a refusal is final at the earliest, in ms. */
  readonly refusalWaitMs: number;
}

/** How an order was sent so far, by its record. */
export interface SendingHistory {
  /** The `details` of the `OrderReference` of an order that was sent; null where nothing was sent. */
  readonly reference: unknown;
  /** A digest of the account it was sent for; null where that is not known. */
  readonly account: Buffer | null;
  /** How long ago it was first sent, in ms; null where nothing was sent. */
  readonly firstSentMsAgo: number | null;
  /**
   * From when on a refusal is final, as the database writes it: `-infinity` where every sending was refused, `infinity` where the
   * exchange has shown that the order exists; null where nothing was sent.
   */
  readonly refusalHoldsAt: string | null;
  /** Whether that time has come. */
  readonly refusalHolds: boolean;
  /** Whether nothing came of the sendings but refusals and at least one duplicate, which may be the exchange's mistake. */
  readonly isDuplicate: boolean;
  /** How long the order has been missing in the exchange's complete lists of open orders, in ms; null where it was not. */
  readonly absentMs: number | null;
}

/** What a call leaves in a record whose order may exist; what is left out stays. */
export interface Doubt {
  /** Restores the time that the last sending, which made no order, had moved; or `infinity`, `-infinity` (`SendingHistory`). */
  readonly refusalHoldsAt?: string | null;
  readonly isDuplicate?: boolean;
  /** Whether a complete list of open orders lacks it; false forgets since when. */
  readonly isAbsent?: boolean;
}

/** How a sending begins: refused, with the reason of the look; begun; or lost to another call. */
export interface Beginning {
  readonly refusal: string | null;
  readonly hasBegun: boolean;
}

/** What is known of an order under a key. `busy`: a call may still be working on it. */
export interface IdempotentOrder extends SendingHistory {
  readonly fingerprint: Buffer;
  readonly state: 'sending' | 'unknown' | 'done';
  readonly busy: boolean;
  readonly attempt: number;
  readonly nonce: string;
  readonly createdAt: Date;
  readonly answer: unknown;
}

/** An order of an earlier call, and what that call left in the record. */
export interface TakenOver {
  readonly claim: Claim;
  readonly sendings: SendingHistory;
}

/** As many ids of requests are kept of a record, the newest. */
const MOST_REQUEST_IDS = 20;

const KEPT_FOR = `interval '24 hours'`;
const BUSY = `(state = 'sending' AND busy_until > clock_timestamp())`;
const DONE = `state = 'done', attempt_at = clock_timestamp()`;
const EXPIRED = `attempt_at < clock_timestamp() - ${KEPT_FOR}`;

const SENDINGS = `reference, account, refusal_holds_at::text AS "refusalHoldsAt",
  COALESCE(refusal_holds_at <= clock_timestamp(), false) AS "refusalHolds",
  is_duplicate AS "isDuplicate", (EXTRACT(EPOCH FROM clock_timestamp() - absent_at) * 1000)::float8 AS "absentMs",
  (EXTRACT(EPOCH FROM clock_timestamp() - first_sent_at) * 1000)::float8 AS "firstSentMsAgo"`;

/** What every sending was refused by holds at once; that of an order that exists never does. */
export const ALL_REFUSED = '-infinity';
export const EXISTS = 'infinity';

/** The time that lies as many milliseconds ahead as the parameter of this number says. */
function inMs(parameter: number): string {
  return `clock_timestamp() + $${parameter} * interval '1 millisecond'`;
}

/** The id of the request that is being answered, for the support of whoever asks about it; null outside of one. */
function requestId(): string | null {
  return currentRequest()?.id ?? null;
}

/** The claim of the call that made a record. */
export function claimOf(scope: IdempotencyScope, row: object): Claim {
  const { attempt, nonce, begunAt } = BEGUN.parse(row);
  return { ...scope, attempt, nonce, createdAt: begunAt };
}

/**
 * The records of orders under an `Idempotency-Key`, and by another table those of transfers; every change is one conditional statement, and all times are the
 * database's. docs/order-lifecycle.md draws the states.
 */
@Injectable()
export class IdempotencyRepository {
  protected readonly table: 'idempotent_orders' | 'idempotent_transfers' = 'idempotent_orders';

  constructor(protected readonly transactions: Transactions) {}

  /**
   * Records an order before it is sent; null where there is a record already. One whose last attempt was over 24 h ago is
   * replaced, unless a call is working on it.
   */
  async begin(scope: IdempotencyScope, fingerprint: Buffer, busyMs: number): Promise<Claim | null> {
    const { sql, values } = this.beginning(scope, fingerprint, busyMs);
    // eslint-disable-next-line own/constant-sql -- the statement that is made below, with its values apart
    const rows = await this.transactions.manager.query<object[]>(`WITH go_ahead AS (SELECT 1) ${sql}`, [...values]);
    return rows[0] === undefined ? null : claimOf(scope, rows[0]);
  }

  /** As `begin`, as part of a statement that has one row in `go_ahead`, or none, where nothing is recorded. `claimOf` reads its row. */
  beginning({ userId, exchange, key }: IdempotencyScope, fingerprint: Buffer, busyMs: number): StatementPart {
    const sql = `INSERT INTO ${this.table} AS o (user_id, exchange, key, fingerprint, state, busy_until, request_ids)
       SELECT $1::text, $2::text, $3::text, $4::bytea, 'sending', ${inMs(5)}, array_remove(ARRAY[$6::text], NULL)
         FROM go_ahead
       ON CONFLICT (user_id, exchange, key) DO UPDATE
         SET fingerprint = EXCLUDED.fingerprint, state = 'sending', answer = NULL, reference = NULL,
             attempt = o.attempt + 1, attempt_at = clock_timestamp(), created_at = clock_timestamp(),
             nonce = EXCLUDED.nonce, account = NULL, busy_until = EXCLUDED.busy_until,
             first_sent_at = NULL, refusal_holds_at = NULL, is_duplicate = false, absent_at = NULL, request_ids = EXCLUDED.request_ids
       WHERE o.${EXPIRED} AND NOT (o.state = 'sending' AND o.busy_until > clock_timestamp())
       RETURNING attempt, nonce, created_at AS "begunAt"`;
    return { sql, values: [userId, exchange, key, fingerprint, busyMs, requestId()] };
  }

  async find({ userId, exchange, key }: IdempotencyScope): Promise<IdempotentOrder | null> {
    const rows = await this.transactions.manager.query<IdempotentOrder[]>(
      `SELECT fingerprint, state, attempt, nonce, created_at AS "createdAt", answer, ${BUSY} AS busy, ${SENDINGS}
         FROM ${this.table} WHERE user_id = $1 AND exchange = $2 AND key = $3`,
      [userId, exchange, key],
    );
    return rows[0] ?? null;
  }

  /**
   * Takes over an order whose fate is unknown; null where another call was faster. A call for another account is no attempt
   * at the order: it does not put off the end of the record.
   */
  async takeOver(
    { userId, exchange, key }: IdempotencyScope,
    { attempt, nonce, createdAt }: IdempotentOrder,
    { account, busyMs }: Attempt,
  ): Promise<TakenOver | null> {
    const rows = await this.#update<SendingHistory & Pick<Claim, 'attempt'>>(
      `UPDATE ${this.table}
          SET state = 'sending', attempt = attempt + 1, busy_until = ${inMs(7)},
              attempt_at = CASE WHEN reference IS NULL OR account IS NULL OR account = $6 THEN clock_timestamp()
                                ELSE attempt_at END,
              account = CASE WHEN reference IS NULL THEN $6 ELSE account END,
              request_ids = (array_remove(array_append(request_ids, $8::text), NULL))
                            [greatest(1, cardinality(request_ids) - ${MOST_REQUEST_IDS - 2}):]
        WHERE user_id = $1 AND exchange = $2 AND key = $3 AND attempt = $4 AND nonce = $5 AND state <> 'done'
          AND NOT ${BUSY}
      RETURNING attempt, ${SENDINGS}`,
      [userId, exchange, key, attempt, nonce, account, busyMs, requestId()],
    );
    const [row] = rows;
    if (row === undefined) return null;
    const { attempt: taken, ...sendings } = row;
    return { claim: { userId, exchange, key, nonce, createdAt, attempt: taken }, sendings };
  }

  /** Records that the call is still busy with the order; false where another call has taken over. */
  async extend(claim: Claim, busyMs: number): Promise<boolean> {
    return this.#change(claim, `busy_until = ${inMs(6)}`, [busyMs]);
  }

  /**
   * Records, just before the first byte of a sending, the reference of the order, the account that it is first sent for, and from
   * when on a refusal is final, unless `look` (one row, `refusal`, null for none) says that it may not begin.
   */
  async startSending(
    claim: Claim,
    reference: object,
    { account, busyMs, refusalWaitMs }: Sending,
    look: StatementPart,
  ): Promise<Beginning> {
    const at = look.values.length;
    const [row] = await this.transactions.manager.query<Beginning[]>(
      // eslint-disable-next-line own/constant-sql -- a part of a statement of another repository, with its values apart
      `WITH look AS MATERIALIZED (${look.sql}), begun AS (
         UPDATE ${this.table}
            SET attempt_at = clock_timestamp(), busy_until = ${inMs(at + 7)}, reference = $${at + 6},
                account = CASE WHEN reference IS NULL THEN $${at + 9} ELSE account END,
                first_sent_at = COALESCE(first_sent_at, clock_timestamp()),
                refusal_holds_at = GREATEST(refusal_holds_at, ${inMs(at + 8)}), is_duplicate = false
           FROM look
          WHERE look.refusal IS NULL AND user_id = $${at + 1} AND exchange = $${at + 2} AND key = $${at + 3}
            AND attempt = $${at + 4} AND nonce = $${at + 5} AND state = 'sending'
         RETURNING attempt)
       SELECT look.refusal, EXISTS (SELECT FROM begun) AS "hasBegun" FROM look`,
      [
        ...look.values,
        claim.userId,
        claim.exchange,
        claim.key,
        claim.attempt,
        claim.nonce,
        JSON.stringify(reference),
        busyMs,
        refusalWaitMs,
        account,
      ],
    );
    return row ?? { refusal: null, hasBegun: false };
  }

  /** As the look of `startSending`, for a sending that has no record. */
  async look({ sql, values }: StatementPart): Promise<string | null> {
    const rows = await this.transactions.manager.query<Pick<Beginning, 'refusal'>[]>(sql, [...values]);
    return rows[0]?.refusal ?? null;
  }

  /** Keeps the answer for the next 24 h; `isVerified` that a look-up has confirmed the refusal that it is. */
  async finish(claim: Claim, answer: object, isVerified = false): Promise<boolean> {
    const holds = isVerified ? `, refusal_holds_at = '${ALL_REFUSED}'` : '';
    return this.#change(claim, `${DONE}, answer = $6${holds}`, [JSON.stringify(answer)]);
  }

  /** Keeps, in the place of a refusal, what the exchange has made all the same; false where the record says something else by now. */
  async correct(claim: Claim, answer: object): Promise<boolean> {
    return this.#run(this.correcting(claim, answer));
  }

  /** As `correct`, as part of a statement; returns a row, or none for false. */
  correcting({ userId, exchange, key, nonce }: Claim, answer: object): StatementPart {
    const sql = `UPDATE ${this.table} SET ${DONE}, answer = $5
        WHERE user_id = $1 AND exchange = $2 AND key = $3 AND nonce = $4 AND state = 'done'
          AND (answer -> 'refusal') IS NOT NULL
      RETURNING attempt`;
    return { sql, values: [userId, exchange, key, nonce, JSON.stringify(answer)] };
  }

  /** Takes a kept refusal back where the exchange shows the order, but not its end: the next repeat looks again. */
  async reopen({ userId, exchange, key, nonce }: Claim, isAbsent: boolean): Promise<void> {
    await this.transactions.manager.query(
      `UPDATE ${this.table}
          SET state = 'unknown', answer = NULL, refusal_holds_at = '${EXISTS}', attempt_at = clock_timestamp(),
              absent_at = CASE WHEN $5::boolean THEN clock_timestamp() END
        WHERE user_id = $1 AND exchange = $2 AND key = $3 AND nonce = $4 AND state = 'done'
          AND (answer -> 'refusal') IS NOT NULL`,
      [userId, exchange, key, nonce, isAbsent],
    );
  }

  /** Records that a look-up has confirmed a refusal, so that none follows. */
  async confirmRefusal({ userId, exchange, key, nonce }: Claim): Promise<void> {
    await this.transactions.manager.query(
      `UPDATE ${this.table} SET refusal_holds_at = '${ALL_REFUSED}'
        WHERE user_id = $1 AND exchange = $2 AND key = $3 AND nonce = $4 AND state = 'done'`,
      [userId, exchange, key, nonce],
    );
  }

  /** Whether an order of the exchange is the answer of another record of the user. */
  async isAnswerOfAnother({ userId, exchange, key }: Claim, orderId: string): Promise<boolean> {
    const rows = await this.transactions.manager.query<unknown[]>(
      `SELECT 1 FROM ${this.table}
        WHERE user_id = $1 AND exchange = $2 AND key <> $3 AND answer -> 'order' ->> 'id' = $4 LIMIT 1`,
      [userId, exchange, key, orderId],
    );
    return rows.length > 0;
  }

  /**
   * Keeps the order of a record as its answer, whoever holds the claim: the exchange has it, so that no other answer can be right.
   * False where the record has an answer already, or is gone.
   */
  async settle(claim: Claim, answer: object): Promise<boolean> {
    return this.#run(this.settling(claim, answer));
  }

  /** As `settle`, as part of a statement; returns a row, or none for false. */
  settling({ userId, exchange, key, nonce }: Claim, answer: object): StatementPart {
    const sql = `UPDATE ${this.table} SET ${DONE}, answer = $5
        WHERE user_id = $1 AND exchange = $2 AND key = $3 AND nonce = $4 AND state <> 'done'
      RETURNING attempt`;
    return { sql, values: [userId, exchange, key, nonce, JSON.stringify(answer)] };
  }

  /** Records that the order may exist, or that nothing but refusals came of its sendings so far (`Doubt`). */
  async markUnknown(claim: Claim, { refusalHoldsAt = null, isDuplicate, isAbsent }: Doubt = {}): Promise<boolean> {
    return this.#change(
      claim,
      `state = 'unknown', refusal_holds_at = COALESCE($6::timestamptz, refusal_holds_at),
       is_duplicate = COALESCE($7::boolean, is_duplicate),
       absent_at = CASE $8::boolean WHEN true THEN COALESCE(absent_at, clock_timestamp()) WHEN false THEN NULL
                        ELSE absent_at END`,
      [refusalHoldsAt, isDuplicate ?? null, isAbsent ?? null],
    );
  }

  /** Deletes the record of an order of which nothing was sent, so that the key may be used again; false where another call has taken over. */
  async forget({ userId, exchange, key, attempt, nonce }: Claim): Promise<boolean> {
    const [, count] = await this.transactions.manager.query<[unknown[], number]>(
      `DELETE FROM ${this.table}
        WHERE user_id = $1 AND exchange = $2 AND key = $3 AND attempt = $4 AND nonce = $5 AND state = 'sending'`,
      [userId, exchange, key, attempt, nonce],
    );
    return count === 1;
  }

  /** Removes records whose last attempt was over 24 h ago, at most so many, and returns how many. */
  async removeOld(limit: number): Promise<number> {
    const [, count] = await this.transactions.manager.query<[unknown[], number]>(
      `DELETE FROM ${this.table} WHERE (user_id, exchange, key) IN
         (SELECT user_id, exchange, key FROM ${this.table} WHERE ${EXPIRED} AND NOT ${BUSY}
           LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [limit],
    );
    return count;
  }

  /** A change by the call whose claim still holds: its values are `$6` and on. */
  async #change(claim: Claim, change: string, values: readonly unknown[]): Promise<boolean> {
    const sql = `UPDATE ${this.table} SET ${change}
        WHERE user_id = $1 AND exchange = $2 AND key = $3 AND attempt = $4 AND nonce = $5 AND state = 'sending'
      RETURNING attempt`;
    return this.#run({ sql, values: [claim.userId, claim.exchange, claim.key, claim.attempt, claim.nonce, ...values] });
  }

  async #run({ sql, values }: StatementPart): Promise<boolean> {
    return (await this.#update(sql, [...values])).length === 1;
  }

  /** TypeORM returns the rows and the count of an UPDATE as a pair. */
  async #update<Row>(sql: string, parameters: unknown[]): Promise<Row[]> {
    const [rows] = await this.transactions.manager.query<[Row[], number]>(sql, parameters);
    return rows;
  }
}
