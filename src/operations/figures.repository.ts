import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';

/** One figure of the database; `part` is an age, a length of time, the id of a key or the name of a table. */
export interface Figure {
  readonly figure:
    | 'orders'
    | 'transfers'
    | 'bot_orders'
    | 'oldest_bot_order'
    | 'bot_halts'
    | 'oldest_bot_halt'
    | 'mails'
    | 'oldest_mail'
    | 'session_keys'
    | 'encryptions'
    | 'table_bytes';
  readonly exchange: string | null;
  readonly part: string | null;
  readonly value: number;
}

/** How long records of unknown fate have waited since they were first sent. */
export const AGES = ['under_1m', '1m_to_5m', '5m_to_1h', 'over_1h'] as const;
/** How soon session keys end: the times at which their owners are told. */
export const ENDS = ['2d', '14d'] as const;

/** More than anybody has. */
const MOST_KEY_IDS = 50;

const AGE = `CASE WHEN first_sent_at > clock_timestamp() - interval '1 minute' THEN 'under_1m'
    WHEN first_sent_at > clock_timestamp() - interval '5 minutes' THEN '1m_to_5m'
    WHEN first_sent_at > clock_timestamp() - interval '1 hour' THEN '5m_to_1h' ELSE 'over_1h' END`;

/** Rows of the ledger of which no answer is known, on which no call is working, and whose key still says more. */
function unknownOf(figure: string, kind: string): string {
  return `SELECT '${figure}' AS figure, exchange, ${AGE} AS part, count(*)::float8 AS value FROM placements
    WHERE kind = '${kind}' AND state IN ('sending', 'unknown') AND refusal_holds_at > '-infinity' AND key IS NOT NULL AND unbound_at IS NULL
      AND (state = 'unknown' OR busy_until <= clock_timestamp()) AND attempt_at > clock_timestamp() - interval '24 hours'
    GROUP BY exchange, part`;
}

function endingWithin(end: string, days: number): string {
  return `SELECT 'session_keys', exchange, '${end}', count(*)::float8 FROM session_keys
    WHERE state = 'active' AND valid_until > now() AND valid_until <= now() + interval '${days} days' GROUP BY exchange`;
}

/** Since when something of an order of a bot is not proved: whether it exists, or how much of it has filled. */
const UNSETTLED_SINCE = `CASE WHEN state IN ('sending', 'unknown') THEN first_sent_at ELSE placements.updated_at END`;

/** Orders of bots of which something is not proved, and on which no call is working; the age of the oldest, in seconds. */
const BOT_ORDERS = `
  SELECT figure.name, unsettled.exchange, NULL, figure.value
    FROM (SELECT placements.exchange, count(*)::float8 AS count,
                 EXTRACT(EPOCH FROM clock_timestamp() - min(${UNSETTLED_SINCE}))::float8 AS age
            FROM reservations JOIN placements ON placements.id = placement_id
           WHERE (state IN ('sending', 'unknown') AND fate <> 'over' OR unproved > 0 OR pending > 0)
             AND NOT (state = 'sending' AND busy_until > clock_timestamp())
           GROUP BY 1) AS unsettled
         CROSS JOIN LATERAL (VALUES ('bot_orders', unsettled.count), ('oldest_bot_order', unsettled.age)) AS figure (name, value)`;

/** Bots that are halted, or missed their beat, and of whom something may still rest; the age of the oldest, in seconds. */
const BOT_HALTS = `
  SELECT figure.name, NULL, NULL, figure.value
    FROM (SELECT count(*)::float8 AS count,
                 COALESCE(EXTRACT(EPOCH FROM clock_timestamp() - min(COALESCE(halted_at, cancel_wanted_at))), 0)::float8 AS age
            FROM bots WHERE halted_at IS NOT NULL AND halt_complete_at IS NULL OR cancel_wanted_at IS NOT NULL) AS incomplete
         CROSS JOIN LATERAL (VALUES ('bot_halts', incomplete.count), ('oldest_bot_halt', incomplete.age)) AS figure (name, value)`;

const FIGURES = [
  unknownOf('orders', 'order'),
  unknownOf('transfers', 'transfer'),
  BOT_ORDERS,
  BOT_HALTS,
  `SELECT 'mails', NULL, NULL, count(*)::float8 FROM mail_outbox WHERE done_at IS NULL AND part_of IS NULL`,
  `SELECT 'oldest_mail', NULL, NULL, COALESCE(EXTRACT(EPOCH FROM now() - min(created_at)), 0)::float8 FROM mail_outbox
    WHERE done_at IS NULL AND part_of IS NULL`,
  endingWithin('2d', 2),
  endingWithin('14d', 14),
  `(SELECT 'encryptions', NULL, key_id, encryptions::float8 FROM encryption_counts
    ORDER BY encryptions DESC LIMIT ${MOST_KEY_IDS})`,
  `SELECT 'table_bytes', NULL, relname, COALESCE(pg_total_relation_size(oid), 0)::float8 FROM pg_class
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`,
].join('\nUNION ALL\n');

/** What `/metrics` shows of the database: figures over all instances, in one statement with a short limit of its own. */
@Injectable()
export class FiguresRepository {
  constructor(private readonly transactions: Transactions) {}

  async read(): Promise<readonly Figure[]> {
    return this.transactions.run(async () => {
      const { manager } = this.transactions;
      await manager.query("SET LOCAL statement_timeout = '1s'");
      return manager.query<Figure[]>(FIGURES);
    });
  }
}
