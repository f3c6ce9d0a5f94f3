import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';

/** An order as the ledger has it, whoever owns it. */
export interface OrderRecord {
  readonly userId: string;
  readonly exchange: string;
  readonly key: string | null;
  readonly keyPrefix: string | null;
  readonly state: 'begun' | 'sending' | 'unknown' | 'made' | 'refused' | 'abandoned' | 'closed';
  readonly status: string | null;
  /** What is proved filled and cancelled, in contracts; null where nobody told. */
  readonly filledSize: string | null;
  readonly cancelledSize: string | null;
  readonly reason: string | null;
  readonly words: string | null;
  /** Whether an answer is kept, which repeats get. */
  readonly isKept: boolean;
  readonly attempts: number;
  readonly orderId: string | null;
  readonly clientOrderId: string | null;
  readonly requestIds: readonly string[];
  readonly createdAt: Date;
  readonly firstSentAt: Date | null;
  readonly attemptAt: Date;
  readonly cancelledAt: Date | null;
  /** From when on a refusal is final, as text: also `infinity`; null where nothing was sent. */
  readonly refusalHoldsAt: string | null;
  readonly busyUntil: Date;
}

const COLUMNS = `user_id AS "userId", exchange, key, key_prefix AS "keyPrefix", state, status, filled_size AS "filledSize",
  cancelled_size AS "cancelledSize", reason, words, answer IS NOT NULL AS "isKept",
  attempt AS attempts, exchange_id AS "orderId", client_order_id AS "clientOrderId", request_ids AS "requestIds",
  created_at AS "createdAt", first_sent_at AS "firstSentAt", attempt_at AS "attemptAt", cancelled_at AS "cancelledAt",
  refusal_holds_at::text AS "refusalHoldsAt", busy_until AS "busyUntil"`;

/** Reads the ledger for the operator. */
@Injectable()
export class LedgerHistory {
  constructor(private readonly transactions: Transactions) {}

  /** The orders with one of the ids, oldest first and at most 50. */
  find(ids: readonly string[]): Promise<OrderRecord[]> {
    return this.transactions.manager.query<OrderRecord[]>(
      `SELECT ${COLUMNS} FROM placements
        WHERE kind = 'order' AND (exchange_id = ANY($1) OR client_order_id = ANY($1)) ORDER BY created_at LIMIT 50`,
      [ids],
    );
  }

  /** Those that a request with one of the ids worked on, which left at this time: most are of a day before, those it cancelled of any. */
  async findAsked(ids: readonly string[], at: Date): Promise<OrderRecord[]> {
    const recent = await this.#findAsked(ids, at, '49 hours');
    return recent.length > 0 ? recent : this.#findAsked(ids, at, '100 days');
  }

  #findAsked(ids: readonly string[], at: Date, before: string): Promise<OrderRecord[]> {
    return this.transactions.manager.query<OrderRecord[]>(
      `SELECT ${COLUMNS} FROM placements
        WHERE kind = 'order' AND request_ids && $1 AND created_at > $2::timestamptz - $3::interval
          AND created_at < $2::timestamptz + interval '1 hour'
        ORDER BY created_at LIMIT 50`,
      [ids, at, before],
    );
  }
}
