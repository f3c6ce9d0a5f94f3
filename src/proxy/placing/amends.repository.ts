import { Injectable } from '@nestjs/common';
import type { SendingLook } from '../../credentials/credentials.service.js';
import type { Decimal } from '../../exchanges/decimal.js';
import { Transactions } from '../../platform/database/transactions.js';
import { requestId } from './ledger-conditions.js';
import type { Beginning, LimitFacts } from './placement.js';

/** The right of one call to change an order. */
export interface AmendClaim {
  readonly userId: string;
  readonly exchange: string;
  readonly orderId: string;
  /** Random. */
  readonly claim: string;
}

/** An order as it is to be, and as it is; sizes are whole, risks those of a contract. */
export interface AskedAmend {
  readonly order_id: string;
  readonly client_order_id: string | null;
  /** Whether it buys outcome 0, or sells outcome 1; and its new price in terms of outcome 0. */
  readonly is_long: boolean;
  readonly long_price: Decimal;
  readonly size: Decimal;
  readonly risk: Decimal;
  readonly was_size: Decimal;
  readonly was_risk: Decimal;
  /** What has filled, as it was read. */
  readonly filled: Decimal;
  /** Whether it is asked to end at another time. */
  readonly has_new_end: boolean;
}

/** What a change of an order adds just before it is sent. */
export interface AmendSending {
  readonly asked: AskedAmend;
  /** What the limits of the bot that asks look at; null where no bot asks. */
  readonly facts: LimitFacts | null;
  /** Whether the same call has found no room before. */
  readonly isAgain: boolean;
  readonly busyMs: number;
  /** How long, in ms, a change of unknown fate may still arrive. */
  readonly arrivesMs: number;
}

/** Changes of orders that rest: one of an order at a time, and what is reserved for them (contract.md 5.16; docs/order-lifecycle.md). */
@Injectable()
export class Amends {
  constructor(private readonly transactions: Transactions) {}

  /** Takes the turn of a call to change an order, or keeps it for so many ms more; false where another call has it. */
  async take({ userId, exchange, orderId, claim }: AmendClaim, busyMs: number): Promise<boolean> {
    const rows = await this.transactions.manager.query<unknown[]>(
      `INSERT INTO order_amends AS held (user_id, exchange, order_id, claim, busy_until)
       VALUES ($1, $2, $3, $4, clock_timestamp() + $5 * interval '1 millisecond')
       ON CONFLICT (user_id, exchange, order_id) DO UPDATE
         SET claim = EXCLUDED.claim, busy_until = EXCLUDED.busy_until, placement_id = NULL, was = NULL
       WHERE held.busy_until <= clock_timestamp() OR held.claim = EXCLUDED.claim
       RETURNING claim`,
      [userId, exchange, orderId, claim, busyMs],
    );
    return rows.length > 0;
  }

  /** Begins to send, just before the first byte, unless the caller may not any more, or a limit of the bot refuses it. */
  async begin({ exchange, claim }: AmendClaim, sending: AmendSending, look: SendingLook): Promise<Beginning> {
    const [sender, keyPrefix, , stored, active, botId] = look;
    const { asked, facts, isAgain, busyMs, arrivesMs } = sending;
    const [row] = await this.transactions.manager.query<Beginning[]>(
      `SELECT refusal, broken, has_begun AS "hasBegun"
         FROM begin_amend($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9::jsonb, $10::boolean,
                          $11 * interval '1 millisecond', $12 * interval '1 millisecond')`,
      [
        ...[sender, keyPrefix, exchange, stored, active, botId, claim],
        ...[JSON.stringify({ ...asked, request_id: requestId() }), JSON.stringify(facts ?? {}), isAgain],
        ...[busyMs, arrivesMs],
      ],
    );
    return row ?? { refusal: null, broken: null, hasBegun: false };
  }

  /** Ends the turn: the change was made, and so much of the order has filled, null where nothing told; was not made, or not sent; or nobody knows. */
  async end(
    { userId, exchange, orderId, claim }: AmendClaim,
    how: 'made' | 'undone' | 'unknown',
    filled: Decimal | null = null,
  ): Promise<void> {
    await this.transactions.manager.query('SELECT end_amend($1, $2, $3, $4, $5, $6)', [
      ...[userId, exchange, orderId, claim, how, filled],
    ]);
  }

  /** Removes what calls have left that died, an hour later, at most so many, and returns how many. */
  async removeOld(limit: number): Promise<number> {
    const { count } = await this.transactions.modify(
      `DELETE FROM order_amends WHERE (user_id, exchange, order_id) IN (
         SELECT user_id, exchange, order_id FROM order_amends
          WHERE busy_until < clock_timestamp() - interval '1 hour' LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [limit],
    );
    return count;
  }
}
