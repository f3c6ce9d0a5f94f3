import { Injectable } from '@nestjs/common';
import { monotonicFactory } from 'ulid';
import type { AskedOrder } from '../../exchanges/orders.contract.js';
import { Settings } from '../../platform/config/settings.js';
import { Transactions } from '../../platform/database/transactions.js';
import { randomFraction } from '../../platform/secrets/random.js';
import { currentCallContext } from '../../platform/upstream/call-context.js';
import { ReservationLanes } from '../../platform/upstream/reservation-lanes.js';

const nextId = monotonicFactory(randomFraction);

/** How long a preview may wait for its first placing, in s. */
export const PLACEABLE_SECONDS = 60;
/** So many previews a bot makes in 60 s. */
export const MOST_A_MINUTE = 60;
/** So many that were not placed, or made no order, are kept of a bot, the newest. */
const MOST_KEPT = 100;
/** So many of a bot and UTC day are noted in the activity. */
const MOST_NOTED = 1_000;

/** A placing that was cut off or refused, and has no answer, is begun anew for so long. */
const BEGUN_ANEW = `interval '10 minutes'`;
/** For so long a key is bound at least, from the placing on (contract.md 5.3). */
const KEY_KEPT = `interval '24 hours'`;
/** No placing goes on under a key that may end while it does: it would make a second order. */
const KEY_SURE = `interval '23 hours'`;
/** How long a call may be at a placing beyond `UPSTREAM_TIMEOUT`, in ms. */
const PLACING_SLACK_MS = 5_000;

/** A call waits so long for others of its bot, in ms. */
export const MOST_WAIT_MS = 20_000;
/** Of one bot one preview is made, or begun to be placed, at a time. */
const ONE_AT_A_TIME = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 6))';

/** Whose preview it is. */
export interface PreviewScope {
  readonly userId: string;
  readonly botId: string;
}

/** A preview as it is kept. */
export interface NewPreview {
  readonly exchange: string;
  readonly marketId: string;
  /** The body of its create. */
  readonly request: object;
  /** As `OrderNaming`. */
  readonly previewed: object | null;
}

/** A preview that was made, or (`expiresAt` null) how long to wait for room, in s. */
export type MadePreview =
  { readonly id: string; readonly expiresAt: Date } | { readonly expiresAt: null; readonly waitSeconds: number };

/** An order of the bot on the same market whose fate is not settled. */
export interface UnsettledOther {
  /** Null where it came from no preview. */
  readonly previewId: string | null;
  /** Null where the exchange has told none. */
  readonly orderId: string | null;
}

/** How a preview stands. */
export interface PreviewStanding {
  readonly exchange: string;
  readonly marketId: string;
  readonly expiresAt: Date;
  readonly wasPlaced: boolean;
  /** Whether a call is at its placing. */
  readonly isBusy: boolean;
  /** The state of its order in the ledger; null where its key is bound to none. */
  readonly fate: string | null;
  /** Whether it was refused for what may be cured, so that no answer is kept; null where its key is bound to none. */
  readonly wasRefusedForNow: boolean | null;
  /** Null where the exchange has told none. */
  readonly orderId: string | null;
  /**
   * What placing it comes to now: `go` on with its key; `wait` for the call that is at it; `look` at what became of it, as its key ends within the hour,
   * or it was cut off before it was sent, or refused for what may be cured, too long ago;
   * `unsettled` where another order on the market is, `expired` where it is too late and nothing was sent.
   */
  readonly verdict: 'go' | 'wait' | 'look' | 'unsettled' | 'expired';
  readonly other: UnsettledOther | null;
  /** The body of its create. */
  readonly request: unknown;
  readonly previewed: Readonly<Record<string, string>> | null;
}

/** As it stood when a call began, or did not. */
export interface BegunPlacing extends PreviewStanding {
  /** What ends this call's turn at the placing; null where it has none. */
  readonly turn: string | null;
}

/** `$1` bot, `$2` preview, `$3` user. */
const STANDING = `
  SELECT known.id, known.exchange, known.market_id AS "marketId", known.request, known.previewed, known.created_at + interval '${PLACEABLE_SECONDS} seconds' AS "expiresAt",
         placed_at IS NOT NULL AS "wasPlaced", is_busy AS "isBusy", bound.state AS fate,
         bound.state = 'refused' AND bound.answer IS NULL AS "wasRefusedForNow",
         bound.exchange_id AS "orderId", to_jsonb(other) AS other,
         CASE WHEN is_busy THEN 'wait'
              WHEN bound.attempt_at <= clock_timestamp() - ${KEY_SURE} THEN 'look'
              WHEN bound.state NOT IN ('begun', 'refused') OR bound.answer IS NOT NULL THEN 'go'
              WHEN bound.id IS NOT NULL AND COALESCE(placed_at, known.created_at) <= clock_timestamp() - ${BEGUN_ANEW} THEN 'look'
              WHEN other.is_there THEN 'unsettled'
              WHEN bound.id IS NOT NULL THEN 'go'
              WHEN placed_at IS NULL AND known.created_at > clock_timestamp() - interval '${PLACEABLE_SECONDS} seconds' THEN 'go'
              WHEN placed_at > clock_timestamp() - ${BEGUN_ANEW} THEN 'go'
              ELSE 'expired' END AS verdict
    FROM order_previews AS known
    LEFT JOIN LATERAL (
      SELECT placements.id, state, answer, attempt_at, busy_until, exchange_id FROM idempotency_keys AS keys JOIN placements ON placements.id = placement_id
       WHERE keys.user_id = $3 AND sender = $1 AND keys.exchange = known.exchange AND keys.kind = 'order' AND keys.key = known.id) AS bound ON true
    CROSS JOIN LATERAL (
      SELECT COALESCE(placing_until > clock_timestamp(), false)
          OR COALESCE(bound.state IN ('begun', 'sending') AND bound.busy_until > clock_timestamp(), false) AS is_busy) AS now
    LEFT JOIN LATERAL (
      SELECT (SELECT id FROM order_previews AS theirs WHERE theirs.id = key AND theirs.bot_id = $1) AS "previewId", exchange_id AS "orderId", true AS is_there
        FROM reservations JOIN placements ON placements.id = placement_id
       WHERE reservations.bot_id = $1 AND reservations.exchange = known.exchange AND reservations.market_id = known.market_id
         AND state IN ('sending', 'unknown') AND fate <> 'over' AND key IS DISTINCT FROM known.id
      UNION ALL
      SELECT id, NULL, true FROM order_previews AS theirs
       WHERE theirs.bot_id = $1 AND theirs.exchange = known.exchange AND theirs.market_id = known.market_id AND theirs.id <> known.id
         AND theirs.placing_until > clock_timestamp()
      LIMIT 1) AS other ON true
   WHERE known.bot_id = $1 AND known.id = $2 AND (placed_at IS NULL OR bound.id IS NOT NULL OR placed_at > clock_timestamp() - ${KEY_KEPT})`;

/** Of bot `$1` a preview that was not placed, or has no key and gets none any more. */
const MADE_NONE = `(placed_at IS NULL OR placed_at <= clock_timestamp() - ${BEGUN_ANEW} AND COALESCE(placing_until <= clock_timestamp(), true)
  AND NOT EXISTS (SELECT FROM idempotency_keys AS keys JOIN bots ON bots.user_id = keys.user_id
                   WHERE bots.id = $1 AND sender = $1 AND keys.exchange = known.exchange AND kind = 'order' AND keys.key = known.id))`;

/** Previews of bots, and what was begun of them; all times are the database's. */
@Injectable()
export class KeptPreviews {
  readonly #placingMs: number;
  /** Of one bot one call of an instance at a time waits for the lock, so that none holds the pool. */
  readonly #lanes = new ReservationLanes(1);

  constructor(
    private readonly transactions: Transactions,
    settings: Settings,
  ) {
    this.#placingMs = settings.upstreamTimeoutMs + PLACING_SLACK_MS;
  }

  /**
   * Keeps a preview, unless the bot made 60 in the last 60 s, over all instances; `noteOf` is its note (`ActivityService.prepare`), which the first
   * 1,000 of a day get. Of those that were not placed, or made no order within 10 minutes, the newest 100 stay. Throws `rate_limited` as
   * `ReservationLanes` does.
   */
  async make(botId: string, preview: NewPreview, noteOf: (id: string) => string): Promise<MadePreview> {
    const { exchange, marketId, request, previewed } = preview;
    const id = `prv_${nextId()}`;
    return this.#alone(botId, performance.now() + MOST_WAIT_MS, async () => {
      const { manager } = this.transactions;
      const [made] = await manager.query<{ expiresAt: Date | null; waitSeconds: number }[]>(
        `WITH recent AS (
           SELECT count(*) AS made, min(created_at) AS oldest FROM order_previews
            WHERE bot_id = $1 AND created_at > clock_timestamp() - interval '60 seconds'),
         gone AS (
           DELETE FROM order_previews WHERE id IN (
             SELECT id FROM order_previews AS known WHERE bot_id = $1 AND ${MADE_NONE} ORDER BY created_at DESC OFFSET ${MOST_KEPT - 1})),
         made AS (
           INSERT INTO order_previews (id, bot_id, exchange, market_id, request, previewed, of_day)
           SELECT $2, $1, $3, $4, $5, $6, 1 + COALESCE((
             SELECT CASE WHEN created_at >= date_trunc('day', clock_timestamp(), 'UTC') THEN of_day END FROM order_previews
              WHERE bot_id = $1 ORDER BY created_at DESC LIMIT 1), 0)
             FROM recent WHERE made < ${MOST_A_MINUTE}
           RETURNING created_at, of_day)
         SELECT made.created_at + interval '${PLACEABLE_SECONDS} seconds' AS "expiresAt",
                CEIL(EXTRACT(EPOCH FROM oldest + interval '60 seconds' - clock_timestamp()))::int AS "waitSeconds",
                CASE WHEN of_day <= ${MOST_NOTED} THEN note_activity($7) END
           FROM recent LEFT JOIN made ON true`,
        [botId, id, exchange, marketId, JSON.stringify(request), previewed && JSON.stringify(previewed), noteOf(id)],
      );
      if (made?.expiresAt != null) return { id, expiresAt: made.expiresAt };
      return { expiresAt: null, waitSeconds: Math.max(1, made?.waitSeconds ?? 1) };
    });
  }

  /** Null for what is not the bot's, or kept no longer. */
  async find(scope: PreviewScope, id: string): Promise<PreviewStanding | null> {
    const [found] = await this.transactions.manager.query<PreviewStanding[]>(STANDING, [scope.botId, id, scope.userId]);
    return found ?? null;
  }

  /**
   * As `find`; where the verdict is `go`, this call is at the placing from now on, and nobody begins another on the market. Throws `rate_limited` where
   * it is not its turn `until` then, by `performance.now()`.
   */
  async beginPlacing({ userId, botId }: PreviewScope, id: string, until: number): Promise<BegunPlacing | null> {
    return this.#alone(botId, until, async () => {
      const { manager } = this.transactions;
      const [found] = await manager.query<BegunPlacing[]>(
        `WITH standing AS MATERIALIZED (${STANDING}), begun AS (
           UPDATE order_previews AS own
              SET placed_at = COALESCE(placed_at, clock_timestamp()), placing_until = clock_timestamp() + $4 * interval '1 millisecond'
             FROM standing WHERE own.id = standing.id AND verdict = 'go' AND COALESCE(fate, '') NOT IN ('made', 'closed')
           RETURNING placing_until)
         SELECT *, (SELECT placing_until::text FROM begun) AS turn FROM standing`,
        [botId, id, userId, this.#placingMs],
      );
      return found ?? null;
    });
  }

  /** Does `work` in a transaction that no other of the bot runs beside. */
  async #alone<T>(botId: string, until: number, work: () => Promise<T>): Promise<T> {
    const leave = await this.#lanes.enter(botId, { until, signal: currentCallContext()?.signal });
    try {
      return await this.transactions.run(async () => {
        await this.transactions.manager.query(ONE_AT_A_TIME, [botId]);
        return work();
      });
    } finally {
      leave();
    }
  }

  /** The call is at it no longer; another that has begun since goes on. */
  async endPlacing(id: string, turn: string): Promise<void> {
    await this.transactions.manager.query(
      'UPDATE order_previews SET placing_until = NULL WHERE id = $1 AND placing_until = $2::timestamptz',
      [id, turn],
    );
  }

  /** Orders of these very terms that the bot has sent within 10 minutes and that were not refused, the newest first. */
  async sameTerms({ userId, botId }: PreviewScope, exchange: string, asked: AskedOrder): Promise<SameTerms[]> {
    const { market_id, outcome_index, side, price, size } = asked;
    return this.transactions.manager.query<SameTerms[]>(
      `SELECT (SELECT id FROM order_previews AS theirs WHERE theirs.id = key AND theirs.bot_id = $2) AS "previewId",
              exchange_id AS "orderId", created_at AS "askedAt"
         FROM placements
        WHERE user_id = $1 AND created_at > clock_timestamp() - interval '10 minutes' AND bot_id = $2 AND exchange = $3 AND kind = 'order'
          AND market_id = $4 AND outcome_index = $5 AND side = $6 AND price::numeric = $7::numeric AND size::numeric = $8::numeric
          AND first_sent_at IS NOT NULL AND state <> 'refused'
        ORDER BY created_at DESC LIMIT 5`,
      [userId, botId, exchange, market_id, outcome_index, side, price, size],
    );
  }

  /** Removes previews of 24 h ago that no key stands for, and those of removed bots, at most `limit`; returns how many. */
  async removeOld(limit: number): Promise<number> {
    const { count } = await this.transactions.modify(
      `DELETE FROM order_previews WHERE id IN (
         SELECT known.id FROM order_previews AS known JOIN bots ON bots.id = bot_id
          WHERE (removed_at IS NOT NULL OR known.created_at < clock_timestamp() - ${KEY_KEPT}
              AND COALESCE(placed_at, '-infinity') < clock_timestamp() - ${KEY_KEPT})
            AND NOT EXISTS (SELECT FROM idempotency_keys AS keys
                             WHERE keys.user_id = bots.user_id AND sender = known.bot_id AND keys.exchange = known.exchange
                               AND keys.kind = 'order' AND keys.key = known.id AND removed_at IS NULL)
          LIMIT $1 FOR UPDATE OF known SKIP LOCKED)`,
      [limit],
    );
    return count;
  }
}

/** An order that was asked for before. */
export interface SameTerms extends UnsettledOther {
  readonly askedAt: Date;
}
