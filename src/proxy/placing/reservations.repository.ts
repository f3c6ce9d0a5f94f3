import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';
import { IS_RESERVED } from './ledger-conditions.js';
import { IS_UNPROVED } from './proofs.repository.js';

/** An order of a bot that rests, or has rested a short while ago, in terms of outcome 0. */
export interface OwnQuote {
  /** Whether it buys outcome 0, or sells outcome 1. */
  readonly isLong: boolean;
  readonly longPrice: string;
  /** What rests, and what a book that lags may show too. */
  readonly size: string;
  readonly endedSize: string;
}

/** What a bot offers on a market. */
export interface OwnMarket {
  readonly quotes: readonly OwnQuote[];
  /** Whether one of its orders there was filled within a day. */
  readonly hasTraded: boolean;
  /** When one of its orders there was last read of which something is not proved: the longest ago of these; null without such. */
  readonly unreadSince: Date | null;
  /** The database's time when this was read. */
  readonly now: Date;
}

/** An order of a bot that could still be executed, as far as is known. */
export interface UnsettledOrder {
  readonly placementId: string;
  readonly botId: string;
  readonly exchange: string;
  readonly orderId: string | null;
  readonly clientOrderId: string | null;
  /** When it was first sent, in µs by the database's clock; null where its sending has not begun. */
  readonly sentAt: number | null;
  /** Digest of the account that it was sent for; null where its record does not say. */
  readonly account: Buffer | null;
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

const NUMBERS = `jsonb_object_agg(currency, trim_scale(%)::text) FILTER (WHERE % <> 0)`;
const riskBy = (risk: string): string => `COALESCE((SELECT ${NUMBERS.replaceAll('%', risk)} FROM risks), '{}')`;

/** What is reserved for orders of bots (contract.md 5.12; docs/order-lifecycle.md). */
@Injectable()
export class Reservations {
  constructor(private readonly transactions: Transactions) {}

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
                    WHERE reservations.bot_id = given.bot_id AND (state IN ('sending', 'unknown') AND fate <> 'over' OR unproved > 0 OR pending > 0)) AS unsettled_orders
         ) AS usage`,
      [botIds],
    );
    return new Map(rows.map(({ bot_id, now, ...usage }) => [bot_id, { ...usage, as_of: now.toISOString() }]));
  }

  /**
   * What a bot offers on a market, at the price at which it rests; at the prices before a change as what a book may show, for as long as the
   * change may arrive and 30 s after its answer. What has ended counts as what a book may show for as long as something of it is not proved, or for 2 s
   * after the last change of an order of the last ten minutes.
   */
  async quotesOf(botId: string, exchange: string, marketId: string): Promise<OwnMarket> {
    const [row] = await this.transactions.manager.query<OwnMarket[]>(
      `WITH quotes AS (
         SELECT is_long, risk AS price, CASE place WHEN 1 THEN open ELSE 0 END AS size, size - CASE place WHEN 1 THEN open ELSE 0 END AS ended
           FROM reservations CROSS JOIN LATERAL unnest(COALESCE(rests_at, ARRAY[unit_risk])) WITH ORDINALITY AS prices (risk, place)
          WHERE bot_id = $1 AND exchange = $2 AND market_id = $3 AND ${IS_UNPROVED}
            AND (place = 1 OR GREATEST(amend_until, terms_at + interval '30 seconds') > clock_timestamp() AND risk <> ALL (rests_at[:place::int - 1]))
         UNION ALL
         SELECT (side = 'buy') = (outcome_index = 0), CASE side WHEN 'buy' THEN price::numeric ELSE 1 - price::numeric END, 0, size::numeric
           FROM placements
          WHERE bot_id = $1 AND created_at > now() - interval '10 minutes' AND exchange = $2 AND market_id = $3
            AND state IN ('closed', 'sending', 'unknown')
            AND updated_at > now() - interval '2 seconds' AND COALESCE(time_in_force, 'gtc') IN ('gtc', 'gtd')
            AND NOT ${IS_RESERVED})
       SELECT clock_timestamp() AS now,
              COALESCE((SELECT jsonb_agg(jsonb_build_object('isLong', is_long, 'size', trim_scale(size)::text, 'endedSize', trim_scale(ended)::text,
                                           'longPrice', trim_scale(CASE WHEN is_long THEN price ELSE 1 - price END)::text)) FROM quotes), '[]') AS quotes,
              EXISTS (SELECT FROM bot_positions
                       WHERE bot_id = $1 AND exchange = $2 AND market_id = $3 AND traded_at > now() - interval '24 hours') AS "hasTraded",
              (SELECT min(COALESCE(GREATEST(shown_at, stated_at), 'epoch')) FROM reservations
                WHERE bot_id = $1 AND exchange = $2 AND market_id = $3 AND ${IS_UNPROVED}) AS "unreadSince"`,
      [botId, exchange, marketId],
    );
    return row ?? { quotes: [], hasTraded: true, unreadSince: new Date(0), now: new Date(0) };
  }

  /** Orders of these bots that could still be executed, those on their way and of unknown fate included. */
  listUnsettled(botIds: readonly string[]): Promise<UnsettledOrder[]> {
    return this.transactions.manager.query<UnsettledOrder[]>(
      `SELECT placement_id AS "placementId", reservations.bot_id AS "botId", placements.exchange, exchange_id AS "orderId",
              client_order_id AS "clientOrderId", account, (EXTRACT(EPOCH FROM first_sent_at) * 1000000)::float8 AS "sentAt",
              state = 'sending' AND busy_until > clock_timestamp() AS "isBusy"
         FROM reservations JOIN placements ON placements.id = placement_id
        WHERE reservations.bot_id = ANY($1) AND (open > 0 OR state IN ('sending', 'unknown') AND fate <> 'over') ORDER BY placement_id`,
      [botIds],
    );
  }

  /** The exchanges at which these bots have orders of which something is not proved. */
  async exchangesOf(botIds: readonly string[]): Promise<string[]> {
    const rows = await this.transactions.manager.query<{ exchange: string }[]>(
      `SELECT DISTINCT exchange FROM reservations WHERE bot_id = ANY($1) AND ${IS_UNPROVED}`,
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
        WHERE reservations.bot_id = $1 AND state IN ('sending', 'unknown') AND fate <> 'over'
          AND (state = 'sending' AND busy_until > clock_timestamp()
            OR LEAST(refusal_holds_at, attempt_at + interval '24 hours') > clock_timestamp())
       UNION ALL
       SELECT 1 FROM bots WHERE id = $1 AND halt_reason = 'restored' AND halt_complete_at IS NULL LIMIT 1`,
      [botId],
    );
    return rows.length > 0;
  }
}
