import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';

/** What the ledger says of an order of a bot. */
export interface LedgerOrder {
  readonly id: string;
  readonly botId: string;
  readonly orderId: string | null;
  readonly clientOrderId: string | null;
  readonly state: string;
  /** How much could still be executed, as far as is reserved; a decimal. */
  readonly open: string;
}

/** Orders by their names at an exchange. */
interface Names {
  readonly orderIds: readonly string[];
  readonly clientOrderIds: readonly string[];
}

/** Reads what is reserved for orders of bots. */
@Injectable()
export class ReservedOrders {
  constructor(private readonly transactions: Transactions) {}

  /** Of the user's bots at an exchange: what could still be executed, and what has one of these names. */
  list(userId: string, exchange: string, { orderIds, clientOrderIds }: Names): Promise<LedgerOrder[]> {
    return this.transactions.manager.query<LedgerOrder[]>(
      `SELECT id, placements.bot_id AS "botId", exchange_id AS "orderId", client_order_id AS "clientOrderId", state,
              COALESCE(trim_scale(open)::text, '0') AS open
         FROM placements LEFT JOIN reservations ON placement_id = id
        WHERE user_id = $1 AND placements.exchange = $2 AND kind = 'order' AND placements.bot_id IS NOT NULL
          AND (open > 0 OR exchange_id = ANY($3) OR client_order_id = ANY($4))`,
      [userId, exchange, orderIds, clientOrderIds],
    );
  }
}
