import { Injectable } from '@nestjs/common';
import type { OrderReference } from '../exchanges/exchange.js';
import { Transactions } from '../platform/database/transactions.js';

/** Whose order under which key; the scope of a key is user and exchange (DESIGN 5). */
export interface IdempotencyScope {
  readonly userId: string;
  readonly exchange: string;
  readonly key: string;
}

/** The one call that may send the order now: whoever has the newest attempt. */
export interface Claim extends IdempotencyScope {
  readonly attempt: number;
}

/** What is known of an order under a key. `stale`: its call cannot be running any more. */
export interface IdempotentOrder {
  readonly fingerprint: Buffer;
  readonly state: 'sending' | 'unknown' | 'done';
  readonly stale: boolean;
  readonly attempt: number;
  readonly answer: unknown;
  /** The `OrderReference` of an order that was sent or looked up; null before. */
  readonly reference: unknown;
}

const KEPT_FOR = `interval '24 hours'`;

/** The records of orders under an `Idempotency-Key`; every change is one conditional statement. */
@Injectable()
export class IdempotencyRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Records an order before it is sent; null where there is a record already. One over 24 h old is replaced. */
  async begin({ userId, exchange, key }: IdempotencyScope, fingerprint: Buffer): Promise<Claim | null> {
    const rows = await this.transactions.manager.query<{ attempt: number }[]>(
      `INSERT INTO idempotent_orders AS o (user_id, exchange, key, fingerprint, state)
       VALUES ($1, $2, $3, $4, 'sending')
       ON CONFLICT (user_id, exchange, key) DO UPDATE
         SET fingerprint = EXCLUDED.fingerprint, state = 'sending', answer = NULL, reference = NULL,
             attempt = o.attempt + 1, attempt_at = clock_timestamp(), created_at = clock_timestamp()
       WHERE o.created_at < clock_timestamp() - ${KEPT_FOR}
       RETURNING attempt`,
      [userId, exchange, key, fingerprint],
    );
    const [row] = rows;
    return row === undefined ? null : { userId, exchange, key, attempt: row.attempt };
  }

  async find(scope: IdempotencyScope, staleAfterMs: number): Promise<IdempotentOrder | null> {
    const rows = await this.transactions.manager.query<IdempotentOrder[]>(
      `SELECT fingerprint, state, attempt, answer, reference,
              attempt_at < clock_timestamp() - $4 * interval '1 millisecond' AS stale
         FROM idempotent_orders WHERE user_id = $1 AND exchange = $2 AND key = $3`,
      [scope.userId, scope.exchange, scope.key, staleAfterMs],
    );
    return rows[0] ?? null;
  }

  /** Takes over an order whose fate is unknown; null where another call was faster. */
  async takeOver(scope: IdempotencyScope, { attempt }: IdempotentOrder): Promise<Claim | null> {
    const { userId, exchange, key } = scope;
    const rows = await this.#update<{ attempt: number }>(
      `UPDATE idempotent_orders SET state = 'sending', attempt = attempt + 1, attempt_at = clock_timestamp()
        WHERE user_id = $1 AND exchange = $2 AND key = $3 AND attempt = $4 AND state <> 'done' RETURNING attempt`,
      [userId, exchange, key, attempt],
    );
    const [row] = rows;
    return row === undefined ? null : { userId, exchange, key, attempt: row.attempt };
  }

  /**
   * Starts the time of an attempt afresh just before it sends, and keeps by what its order is found; false where another
   * call has taken over.
   */
  async renew(claim: Claim, reference: OrderReference): Promise<boolean> {
    return this.#settle(claim, `attempt_at = clock_timestamp(), reference = $5`, [JSON.stringify(reference)]);
  }

  /** Keeps the answer for the next 24 h. */
  async finish(claim: Claim, answer: object): Promise<boolean> {
    return this.#settle(claim, `state = 'done', answer = $5`, [JSON.stringify(answer)]);
  }

  /** Notes that the order may exist. */
  async markUnknown(claim: Claim, reference: OrderReference | null): Promise<boolean> {
    const known = reference && JSON.stringify(reference);
    return this.#settle(claim, `state = 'unknown', reference = COALESCE($5, reference)`, [known]);
  }

  /** Forgets an order of which it is certain that it does not exist, so that the key may be used again. */
  async forget({ userId, exchange, key, attempt }: Claim): Promise<void> {
    await this.transactions.manager.query(
      `DELETE FROM idempotent_orders
        WHERE user_id = $1 AND exchange = $2 AND key = $3 AND attempt = $4 AND state = 'sending'`,
      [userId, exchange, key, attempt],
    );
  }

  /** Removes records over 24 h old, at most so many; says how many. */
  async removeOld(limit: number): Promise<number> {
    const [, count] = await this.transactions.manager.query<[unknown[], number]>(
      `DELETE FROM idempotent_orders WHERE (user_id, exchange, key) IN
         (SELECT user_id, exchange, key FROM idempotent_orders WHERE created_at < clock_timestamp() - ${KEPT_FOR}
           LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [limit],
    );
    return count;
  }

  async #settle(claim: Claim, change: string, values: readonly unknown[]): Promise<boolean> {
    const rows = await this.#update(
      `UPDATE idempotent_orders SET ${change}
        WHERE user_id = $1 AND exchange = $2 AND key = $3 AND attempt = $4 AND state = 'sending' RETURNING attempt`,
      [claim.userId, claim.exchange, claim.key, claim.attempt, ...values],
    );
    return rows.length === 1;
  }

  /** TypeORM gives the rows and the count of an UPDATE as a pair. */
  async #update<Row>(sql: string, parameters: unknown[]): Promise<Row[]> {
    const [rows] = await this.transactions.manager.query<[Row[], number]>(sql, parameters);
    return rows;
  }
}
