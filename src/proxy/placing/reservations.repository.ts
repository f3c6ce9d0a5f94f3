import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';

/** An order of a bot of which something is not proved yet: what could still be executed, or what has filled. */
export interface ReservedOrder {
  readonly placementId: string;
  readonly botId: string;
  /** As the exchange names it. */
  readonly orderId: string;
  /** Whether it could still be executed, as far as is known. */
  readonly isOpen: boolean;
  /** Whether it ended, and nobody has said how much of it had filled. */
  readonly isUnproved: boolean;
  /** Proved, and what may fail yet; decimals. */
  readonly confirmed: string;
  readonly pending: string;
}

/** Whose orders at one exchange are due to be looked at. */
export interface DueOrders {
  readonly userId: string;
  readonly exchange: string;
}

/** What the exchange shows of an order. */
export interface OrderProof {
  readonly status: string | null;
  /** What has filled, as the order states it; null where nothing states it. */
  readonly filledSize: string | null;
  /** Whether the order has ended, before its trades were read. */
  readonly isOver: boolean;
  /** All its trades by id. */
  readonly trades: Readonly<Record<string, { readonly size: string; readonly status: string }>>;
}

/** An order of a bot that rests, in terms of outcome 0. */
export interface OwnQuote {
  /** Whether it buys outcome 0, or sells outcome 1. */
  readonly isLong: boolean;
  readonly longPrice: string;
  readonly size: string;
}

/** An order of a bot that could still be executed, as far as is known. */
export interface UnsettledOrder {
  readonly placementId: string;
  readonly botId: string;
  readonly exchange: string;
  readonly orderId: string | null;
  readonly clientOrderId: string | null;
  /** Whether a call works on it. */
  readonly isBusy: boolean;
}

/** How much of its limits a bot uses: risks by currency, decimals. */
export interface BotUsage {
  readonly open_risk: Readonly<Record<string, string>>;
  readonly daily_risk: Readonly<Record<string, string>>;
  readonly total_risk: Readonly<Record<string, string>>;
  readonly open_orders: number;
  readonly orders_last_minute: number;
  /** Orders on their way or of unknown fate, and those of which fills are not proved yet. */
  readonly unsettled_orders: number;
  readonly as_of: string;
}

/** An order that ended, or whose fills are not proved: looked at every 5 s for two minutes, then each minute, as what rests. */
const IS_DUE = `read_at < clock_timestamp() -
  CASE WHEN placements.updated_at > clock_timestamp() - interval '2 minutes' AND (unproved > 0 OR pending > 0)
       THEN interval '5 seconds' ELSE interval '1 minute' END`;

/** What the settler of orders of unknown fate does not look at: the exchange has it. */
const IS_MADE = `placements.state IN ('made', 'closed') AND placements.exchange_id IS NOT NULL`;

/** The exchange may take so long, in its lists, to show an order that rests. */
const ABSENT_AFTER = `interval '30 seconds'`;

const NUMBERS = `jsonb_object_agg(currency, trim_scale(%)::text) FILTER (WHERE % <> 0)`;
const riskBy = (risk: string): string => `COALESCE((SELECT ${NUMBERS.replaceAll('%', risk)} FROM risks), '{}')`;

/** What is reserved for orders of bots, and what gives it back: proof alone (contract.md 5.12; docs/order-lifecycle.md). */
@Injectable()
export class Reservations {
  constructor(private readonly transactions: Transactions) {}

  /** Takes at most `limit` pairs of user and exchange of which orders are due, so that no other instance looks at them for 5 s. */
  takeDue(limit: number): Promise<DueOrders[]> {
    return this.transactions.manager.query<DueOrders[]>(
      `WITH due AS (
         SELECT placements.user_id, placements.exchange
           FROM reservations JOIN placements ON placements.id = placement_id WHERE ${IS_MADE} AND ${IS_DUE}
          GROUP BY 1, 2 ORDER BY min(read_at) LIMIT $1),
       taken AS (
         UPDATE reservations SET read_at = clock_timestamp()
          WHERE placement_id IN (
            SELECT placement_id FROM reservations JOIN placements ON placements.id = placement_id
              JOIN due USING (user_id) WHERE due.exchange = placements.exchange AND ${IS_MADE} AND ${IS_DUE}
               FOR UPDATE OF reservations SKIP LOCKED)
         RETURNING placement_id)
       SELECT DISTINCT user_id AS "userId", placements.exchange FROM taken JOIN placements ON placements.id = placement_id`,
      [limit],
    );
  }

  /** At most `limit` orders of the user's bots at an exchange, or of one bot, that the exchange has: those that ended first. */
  list(userId: string, exchange: string, limit: number, botId: string | null = null): Promise<ReservedOrder[]> {
    return this.transactions.manager.query<ReservedOrder[]>(
      `SELECT placement_id AS "placementId", reservations.bot_id AS "botId", exchange_id AS "orderId", open > 0 AS "isOpen",
              unproved > 0 AS "isUnproved", trim_scale(confirmed)::text AS confirmed, trim_scale(pending)::text AS pending
         FROM reservations JOIN placements ON placements.id = placement_id
        WHERE user_id = $1 AND placements.exchange = $2 AND ${IS_MADE} AND ($4::text IS NULL OR reservations.bot_id = $4)
        ORDER BY open > 0, read_at LIMIT $3`,
      [userId, exchange, limit, botId],
    );
  }

  /** The database's time, as text: before a list is read. */
  async now(): Promise<string> {
    const rows = await this.transactions.manager.query<{ now: string }[]>('SELECT clock_timestamp()::text AS now');
    return rows[0]?.now ?? '';
  }

  /** Keeps that the exchange has just shown these as open. */
  async markShown(placementIds: readonly string[]): Promise<void> {
    if (placementIds.length === 0) return;
    await this.transactions.manager.query(
      `UPDATE reservations SET shown_at = clock_timestamp(), missing_at = NULL WHERE placement_id = ANY($1)`,
      [placementIds],
    );
  }

  /**
   * Keeps that a complete list of open orders, read from `began` on, lacks an order; true where another one, 30 s before, lacked it too,
   * and the exchange has not shown it since.
   */
  async markMissing(placementId: string, began: string): Promise<boolean> {
    const { rows } = await this.transactions.modify<{ isAbsent: boolean }>(
      `UPDATE reservations SET missing_at = COALESCE(missing_at, $2::timestamptz)
        WHERE placement_id = $1 AND (shown_at IS NULL OR shown_at < $2::timestamptz)
       RETURNING missing_at <= $2::timestamptz - ${ABSENT_AFTER} AS "isAbsent"`,
      [placementId, began],
    );
    return rows[0]?.isAbsent ?? false;
  }

  /** Writes what the exchange shows of an order: totals, so that the same proof seen twice changes nothing the second time. */
  async prove(placementId: string, { status, filledSize, isOver, trades }: OrderProof): Promise<void> {
    await this.transactions.manager.query('SELECT prove_order($1, $2, $3, $4, $5::jsonb)', [
      placementId,
      status,
      filledSize,
      isOver,
      JSON.stringify(trades),
    ]);
  }

  /** How much of their limits bots use, by id; a bot that has sent nothing yet uses none. */
  async usageOf(botIds: readonly string[]): Promise<ReadonlyMap<string, BotUsage>> {
    const rows = await this.transactions.manager.query<(Omit<BotUsage, 'as_of'> & { bot_id: string; now: Date })[]>(
      `SELECT given.bot_id, clock_timestamp() AS now, usage.*
         FROM unnest($1::text[]) AS given (bot_id) CROSS JOIN LATERAL (
           WITH risks AS (
             SELECT currency, open_risk, executed + live_risk AS total,
                    CASE day WHEN limit_day() THEN day_executed + day_live ELSE 0 END AS daily
               FROM bot_risks WHERE bot_risks.bot_id = given.bot_id)
           SELECT ${riskBy('open_risk')} AS open_risk, ${riskBy('daily')} AS daily_risk, ${riskBy('total')} AS total_risk,
                  COALESCE((SELECT open_orders FROM bot_sums WHERE bot_sums.bot_id = given.bot_id), 0) AS open_orders,
                  COALESCE((SELECT sum(made)::int FROM bot_sums, unnest(attempts) WITH ORDINALITY AS bucket_of (made, age)
                             WHERE bot_sums.bot_id = given.bot_id
                               AND bucket - age + 1 > floor(EXTRACT(EPOCH FROM clock_timestamp()) / 5) - 13), 0) AS orders_last_minute,
                  (SELECT count(*)::int FROM reservations JOIN placements ON placements.id = placement_id
                    WHERE reservations.bot_id = given.bot_id AND (state IN ('sending', 'unknown') OR unproved > 0 OR pending > 0)) AS unsettled_orders
         ) AS usage`,
      [botIds],
    );
    return new Map(rows.map(({ bot_id, now, ...usage }) => [bot_id, { ...usage, as_of: now.toISOString() }]));
  }

  /** What a bot offers on a market, and whether one of its orders there was filled within a day. */
  async quotesOf(
    botId: string,
    exchange: string,
    marketId: string,
  ): Promise<{ readonly quotes: readonly OwnQuote[]; readonly hasTraded: boolean }> {
    const rows = await this.transactions.manager.query<{ quotes: OwnQuote[] | null; hasTraded: boolean }[]>(
      `SELECT (SELECT jsonb_agg(jsonb_build_object('isLong', is_long, 'size', trim_scale(open)::text, 'longPrice',
                                trim_scale(CASE WHEN is_long THEN unit_risk ELSE 1 - unit_risk END)::text))
                 FROM reservations WHERE bot_id = $1 AND exchange = $2 AND market_id = $3 AND open > 0) AS quotes,
              EXISTS (SELECT FROM placements WHERE bot_id = $1 AND created_at > now() - interval '24 hours' AND exchange = $2
                                               AND market_id = $3 AND filled_size::numeric > 0) AS "hasTraded"`,
      [botId, exchange, marketId],
    );
    return { quotes: rows[0]?.quotes ?? [], hasTraded: rows[0]?.hasTraded ?? true };
  }

  /** Orders of these bots that could still be executed, those on their way and of unknown fate included. */
  listUnsettled(botIds: readonly string[]): Promise<UnsettledOrder[]> {
    return this.transactions.manager.query<UnsettledOrder[]>(
      `SELECT placement_id AS "placementId", reservations.bot_id AS "botId", placements.exchange, exchange_id AS "orderId",
              client_order_id AS "clientOrderId", state = 'sending' AND busy_until > clock_timestamp() AS "isBusy"
         FROM reservations JOIN placements ON placements.id = placement_id
        WHERE reservations.bot_id = ANY($1) AND (open > 0 OR state IN ('sending', 'unknown')) ORDER BY placement_id`,
      [botIds],
    );
  }

  /** The exchanges at which these bots have orders of which something is not proved. */
  async exchangesOf(botIds: readonly string[]): Promise<string[]> {
    const rows = await this.transactions.manager.query<{ exchange: string }[]>(
      'SELECT DISTINCT exchange FROM reservations WHERE bot_id = ANY($1)',
      [botIds],
    );
    return rows.map(({ exchange }) => exchange);
  }

  /**
   * Whether an order of the bot is on its way, or unknown while it may still show, or nobody has looked at its orders since a restore: then
   * the bot must not resume (contract.md 5.13).
   */
  async isUnsettled(botId: string): Promise<boolean> {
    const rows = await this.transactions.manager.query<unknown[]>(
      `SELECT 1 FROM reservations JOIN placements ON placements.id = placement_id
        WHERE reservations.bot_id = $1 AND state IN ('sending', 'unknown')
          AND (state = 'sending' AND busy_until > clock_timestamp()
            OR LEAST(refusal_holds_at, attempt_at + interval '24 hours') > clock_timestamp())
       UNION ALL
       SELECT 1 FROM bots WHERE id = $1 AND halt_reason = 'restored' AND halt_complete_at IS NULL LIMIT 1`,
      [botId],
    );
    return rows.length > 0;
  }
}
