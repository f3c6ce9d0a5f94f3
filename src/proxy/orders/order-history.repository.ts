import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';

/** An order under an `Idempotency-Key` as its record has it, whoever owns it. */
export interface OrderRecord {
  readonly userId: string;
  readonly exchange: string;
  readonly key: string;
  readonly state: 'sending' | 'unknown' | 'done';
  readonly attempts: number;
  readonly orderId: string | null;
  readonly clientOrderId: string | null;
  readonly requestIds: readonly string[];
  readonly createdAt: Date;
  readonly firstSentAt: Date | null;
  readonly attemptAt: Date;
  /** From when on a refusal is final, as text: also `infinity`; null where nothing was sent. */
  readonly refusalHoldsAt: string | null;
  readonly busyUntil: Date;
  readonly answer: unknown;
}

const ORDER_ID = `COALESCE(reference ->> 'order_id', answer -> 'order' ->> 'id')`;
const CLIENT_ORDER_ID = `COALESCE(reference ->> 'client_order_id', answer -> 'order' ->> 'client_order_id')`;

/** Reads the records of orders for the operator; the records of a day, which no index of ids is worth. */
@Injectable()
export class OrderHistoryRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Those of an order, client order or request with one of the ids, oldest first and at most 50. */
  find(ids: readonly string[]): Promise<OrderRecord[]> {
    return this.transactions.manager.query<OrderRecord[]>(
      `SELECT user_id AS "userId", exchange, key, state, attempt AS attempts, ${ORDER_ID} AS "orderId",
              ${CLIENT_ORDER_ID} AS "clientOrderId", request_ids AS "requestIds", created_at AS "createdAt",
              first_sent_at AS "firstSentAt", attempt_at AS "attemptAt", refusal_holds_at::text AS "refusalHoldsAt",
              busy_until AS "busyUntil", answer
         FROM idempotent_orders
        WHERE ${ORDER_ID} = ANY($1) OR ${CLIENT_ORDER_ID} = ANY($1) OR request_ids && $1
        ORDER BY created_at LIMIT 50`,
      [ids],
    );
  }
}
