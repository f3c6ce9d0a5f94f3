import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';
import { BUSY, EXPIRED } from './ledger-conditions.js';

/** One statement looks at no more rows than these; the next page goes on behind them. */
const MOST_ROWS = 2_000;

/** What an id names. */
export interface LedgerNames {
  /** Ids that a row itself may have: its own, the exchange's, the client's. */
  readonly ids: readonly string[];
  /** Of a request: its id, and before which time that was asked for which it worked on. */
  readonly request: { readonly id: string; readonly before: Date } | null;
}

/** Which rows a page holds. */
interface LedgerFilter {
  readonly named?: LedgerNames | undefined;
  readonly state?: string | undefined;
  readonly exchange?: string | undefined;
  readonly bot_id?: string | undefined;
  readonly market_id?: string | undefined;
  readonly order_id?: string | undefined;
  readonly client_order_id?: string | undefined;
  readonly request_id?: string | undefined;
}

/** A place in a user's rows, newest first; `at` is as exact as the database has it. */
interface LedgerPlace {
  readonly at: string;
  readonly id: string;
}

/** Which part of them. */
interface LedgerSpan {
  readonly start: Date | undefined;
  readonly end: Date | undefined;
  readonly limit: number;
  readonly after: LedgerPlace | null;
}

/** A row as its owner sees it (contract.md 4). */
export interface LedgerRow {
  readonly id: string;
  readonly exchange: string;
  readonly kind: string;
  readonly state: string;
  readonly reason: string | null;
  readonly words: string | null;
  readonly order_id: string | null;
  readonly client_order_id: string | null;
  readonly market_id: string | null;
  readonly outcome_index: number | null;
  readonly side: string | null;
  readonly price: string | null;
  readonly size: string | null;
  readonly time_in_force: string | null;
  readonly post_only: boolean | null;
  readonly cost: string | null;
  readonly currency: string | null;
  readonly filled_size: string | null;
  readonly key_prefix: string | null;
  readonly bot_id: string | null;
  readonly request_ids: readonly string[];
  readonly created_at: Date;
  readonly first_sent_at: Date | null;
  readonly refusal_holds_at: Date | null;
  readonly updated_at: Date;
  /** The key of its sender that is bound to it now; null for what a bot sent. */
  readonly idempotency_key: string | null;
}

interface SeenRow extends LedgerRow {
  readonly at: string;
  readonly fits: boolean;
  readonly isLast: boolean;
}

const COLUMNS = `id, exchange, kind, state, reason, words, exchange_id AS order_id, client_order_id, market_id, outcome_index, side, price,
  size, time_in_force, post_only, cost, currency, filled_size, key_prefix, bot_id, request_ids, created_at, first_sent_at, updated_at,
  CASE WHEN state IN ('sending', 'unknown') AND isfinite(refusal_holds_at) THEN refusal_holds_at END AS refusal_holds_at,
  CASE WHEN bot_id IS NULL AND unbound_at IS NULL AND (${BUSY} OR NOT ${EXPIRED}) THEN key END AS idempotency_key`;

/** What only notes the cancel of an order that was made elsewhere was never asked for here, nor was what only keeps a key from being used. */
const FITS = `(first_sent_at IS NOT NULL OR cancelled_at IS NULL) AND (state <> 'abandoned' OR fingerprint <> '')
  AND ($5::text IS NULL OR state = $5) AND ($6::text IS NULL OR exchange = $6) AND ($7::text IS NULL OR market_id = $7)
  AND ($8::text IS NULL OR $8 = ANY(request_ids)) AND ($13::text IS NULL OR bot_id = $13)`;

/** By indexes alone, but for what a request worked on: for that it looks at the rows that were asked for just before. */
const NAMED = `
  SELECT id FROM placements WHERE user_id = $1 AND (id = ANY($14) OR exchange_id = ANY($14) OR client_order_id = ANY($14))
  UNION ALL
  SELECT id FROM (SELECT id, request_ids FROM placements WHERE user_id = $1 AND created_at < $16::timestamptz
                   ORDER BY created_at DESC LIMIT ${MOST_ROWS}) AS before
   WHERE $15::text = ANY(request_ids)`;

/** `$14` to `$16`; undefined for any row. */
function valuesOf(named: LedgerNames | undefined): unknown[] {
  return [named?.ids, named?.request?.id, named?.request?.before];
}

/** Reads the ledger for the owner of its rows, page by page, of one user alone (S-32). */
@Injectable()
export class LedgerPages {
  constructor(private readonly transactions: Transactions) {}

  /**
   * The rows after a place, newest first and at most `limit`, and where the list goes on; null at its end. A page may be short, even
   * empty, where few of the newest rows fit: no more than `MOST_ROWS` are looked at. Those of unknown fate, and what an id names, are
   * found by indexes, however many others are newer.
   */
  async read(
    userId: string,
    filter: LedgerFilter,
    { start, end, limit, after }: LedgerSpan,
  ): Promise<{ rows: LedgerRow[]; next: LedgerPlace | null }> {
    const { named, state, exchange, bot_id, market_id, order_id, client_order_id, request_id } = filter;
    const seen = await this.transactions.manager.query<SeenRow[]>(
      `SELECT * FROM (
         SELECT ${COLUMNS}, created_at::text AS at, ${FITS} AS fits,
                row_number() OVER (ORDER BY created_at DESC, id DESC) = ${MOST_ROWS} AS "isLast"
           FROM placements
          WHERE user_id = $1 AND ($3::timestamptz IS NULL OR (created_at, id) < ($3::timestamptz, $4))
            AND (COALESCE($5, '') <> 'unknown' OR state = 'unknown')
            AND ($14::text[] IS NULL OR id = ANY(ARRAY(${NAMED})))
            AND ($9::text IS NULL OR exchange_id = $9) AND ($10::text IS NULL OR client_order_id = $10)
            AND ($11::timestamptz IS NULL OR created_at >= $11) AND ($12::timestamptz IS NULL OR created_at < $12)
          ORDER BY created_at DESC, id DESC LIMIT ${MOST_ROWS}) AS newest
        WHERE fits OR "isLast" ORDER BY created_at DESC, id DESC LIMIT $2`,
      [
        ...[userId, limit + 1, after?.at ?? null, after?.id ?? null],
        ...[state, exchange, market_id, request_id, order_id, client_order_id, start, end, bot_id],
        ...valuesOf(named),
      ],
    );
    const page = seen.slice(0, limit);
    const isEnd = seen.length <= limit && page.at(-1)?.isLast !== true;
    const last = isEnd ? undefined : page.at(-1);
    const rows = page.filter(({ fits }) => fits);
    return { rows, next: last === undefined ? null : { at: last.at, id: last.id } };
  }
}
