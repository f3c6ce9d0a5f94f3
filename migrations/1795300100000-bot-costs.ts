import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The lines are those of the function that it replaces, after what comes first. */
const followPlacement = (first: string): string => `
  CREATE OR REPLACE FUNCTION follow_placement() RETURNS trigger LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    has_come boolean := OLD.state IN ('sending', 'unknown', 'refused') AND NEW.state IN ('made', 'closed');
    known reservations;
    is_new boolean := false;
  BEGIN
${first}    PERFORM FROM bot_sums WHERE bot_id = NEW.bot_id FOR UPDATE;
    SELECT * INTO known FROM reservations WHERE placement_id = NEW.id;
    IF known.placement_id IS NULL THEN
      IF NOT (has_come OR OLD.state IN ('sending', 'refused') AND NEW.state = 'unknown')
         OR NEW.size IS NULL OR NEW.market_id IS NULL OR NEW.currency IS NULL OR NEW.outcome_index IS NULL THEN
        RETURN NULL;
      END IF;
      PERFORM reserve(NEW, NULL);
      is_new := true;
    END IF;
    IF has_come AND EXISTS (
      SELECT FROM placements AS other
       WHERE other.exchange_id = NEW.exchange_id AND other.user_id = NEW.user_id AND other.exchange = NEW.exchange AND other.kind = 'order'
         AND other.id <> NEW.id AND other.bot_id = NEW.bot_id AND other.first_sent_at IS NOT NULL
         AND (other.state = 'made'
           OR other.state = 'closed' AND (EXISTS (SELECT FROM reservations WHERE placement_id = other.id)
             OR NEW.state = 'closed' AND NEW.filled_size::numeric <= other.filled_size::numeric))) THEN
      UPDATE reservations SET fate = 'over', trades = '{}', stated = NULL WHERE placement_id = NEW.id;
    ELSIF NEW.state = 'refused' OR NEW.first_sent_at IS NULL THEN
      UPDATE reservations SET fate = 'over', stated = NULL WHERE placement_id = NEW.id;
    ELSE
      UPDATE reservations
         SET fate = CASE WHEN NEW.state = 'made' OR NEW.state = 'unknown' AND OLD.state = 'refused' THEN 'open'
                         WHEN NEW.state <> 'closed' THEN fate
                         WHEN NEW.status IN ('filled', 'cancelled', 'expired', 'rejected') AND NEW.filled_size IS NOT NULL THEN 'over'
                         WHEN fate = 'open' THEN 'cancelled' ELSE fate END,
             ended_at = CASE WHEN NEW.state = 'made' THEN NULL WHEN NEW.state = 'closed' THEN COALESCE(ended_at, clock_timestamp()) ELSE ended_at END,
             shown_at = CASE WHEN NEW.state = 'made' OR NEW.refusal_holds_at = 'infinity' AND OLD.refusal_holds_at < 'infinity'
                             THEN clock_timestamp() ELSE shown_at END,
             missing_at = CASE WHEN NEW.state = 'made' THEN NULL ELSE missing_at END,
             stated = CASE WHEN is_new OR NEW.filled_size IS DISTINCT FROM OLD.filled_size THEN NEW.filled_size::numeric ELSE stated END,
             stated_at = CASE WHEN is_new OR NEW.filled_size IS DISTINCT FROM OLD.filled_size THEN clock_timestamp() ELSE stated_at END
       WHERE placement_id = NEW.id;
    END IF;
    PERFORM reckon_order(NEW.id);
    RETURN NULL;
  END $$`;

/**
 * An order that the exchange has taken, and of which nothing has filled, reserves what it has reserved: neither the sums nor their lock is
 * needed. Rows that turn out to be the same order come one after the other, so that each sees those that were made before.
 */
const WHERE_NOTHING_CHANGES = `    IF has_come THEN PERFORM pg_advisory_xact_lock(hashtextextended(NEW.user_id || ' ' || NEW.exchange_id, 5)); END IF;
    IF OLD.state = 'sending' AND NEW.state = 'made' AND OLD.filled_size IS NULL AND NEW.filled_size::numeric = 0 THEN
      UPDATE reservations SET shown_at = clock_timestamp(), missing_at = NULL, stated = 0, stated_at = clock_timestamp()
       WHERE placement_id = NEW.id AND fate = 'open' AND ended_at IS NULL AND stated IS NULL AND trades = '{}'
         AND open = size AND unproved = 0 AND confirmed = 0 AND pending = 0
         AND NOT EXISTS (SELECT FROM placements AS other
           WHERE other.exchange_id = NEW.exchange_id AND other.user_id = NEW.user_id AND other.exchange = NEW.exchange AND other.id <> NEW.id);
      IF FOUND THEN RETURN NULL; END IF;
    END IF;
`;

/**
 * Reserves an order of a bot within its limits, as the function that it stands before: that alone tells of a limit that is broken, and
 * reserves what may take back, spends a sum, was reserved before, or is the first of its day at its market. All others add to the sums what
 * they risk alone, whatever else is open, so that the bot's other orders need not be read.
 */
const RESERVE_WITHIN_LIMITS = `
  CREATE FUNCTION reserve_within_limits(order_row placements, facts jsonb, is_again boolean)
  RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    limits jsonb;
    sums bot_sums;
    risks bot_risks;
    at_market bot_positions;
    today date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
    now_bucket bigint := floor(EXTRACT(EPOCH FROM clock_timestamp()) / 5);
    is_long boolean := (order_row.side = 'buy') = (order_row.outcome_index = 0);
    full_size numeric := order_row.size::numeric;
    unit_risk numeric := unit_risk_of(order_row);
    own_risk numeric := unit_risk * full_size;
    counts integer[];
    count integer;
    made integer := 0;
    fits boolean;
  BEGIN
    SELECT * INTO sums FROM bot_sums WHERE bot_id = order_row.bot_id;
    SELECT * INTO risks FROM bot_risks WHERE bot_id = order_row.bot_id AND currency = order_row.currency;
    SELECT * INTO at_market FROM bot_positions
     WHERE bot_id = order_row.bot_id AND exchange = order_row.exchange AND market_id = order_row.market_id;
    fits := risks.day = today AND at_market.day = today AND at_market.currency = order_row.currency
      AND COALESCE((facts ->> 'most_size')::numeric, 0) <= full_size
      AND CASE WHEN is_long THEN at_market.held + at_market.pending_long >= 0 ELSE at_market.held <= at_market.pending_short END;
    IF fits AND NOT EXISTS (SELECT FROM reservations WHERE placement_id = order_row.id) THEN
      SELECT bots.limits INTO limits FROM bots WHERE id = order_row.bot_id;
      counts := (array_fill(0, ARRAY[LEAST(13, GREATEST(0, now_bucket - sums.bucket))::int]) || sums.attempts)[1:13];
      IF NOT is_again THEN
        FOREACH count IN ARRAY counts LOOP made := made + count; END LOOP;
      END IF;
      fits := own_risk <= COALESCE((limits ->> 'max_order_risk')::numeric, own_risk)
        AND (own_risk = 0 OR COALESCE(risks.open_risk + own_risk <= (limits ->> 'max_open_risk')::numeric, true)
          AND COALESCE(risks.day_executed + risks.day_live + own_risk <= (limits ->> 'max_daily_risk')::numeric, true)
          AND COALESCE(risks.executed + risks.live_risk + own_risk <= (limits ->> 'max_total_risk')::numeric, true)
          AND COALESCE((facts ->> 'price_distance')::numeric <= (limits ->> 'max_price_distance')::numeric
            AND (facts ->> 'book_at')::timestamptz >= clock_timestamp() - interval '1 second', NOT limits ? 'max_price_distance'))
        AND COALESCE(full_size + CASE WHEN is_long THEN at_market.held + at_market.pending_long + at_market.live_long
                                      ELSE at_market.pending_short - at_market.held + at_market.live_short END
                       <= (limits ->> 'max_position')::numeric, true)
        AND COALESCE(sums.open_orders < (limits ->> 'max_open_orders')::integer, true)
        AND COALESCE(made < (limits ->> 'max_orders_per_minute')::integer, true)
        AND (order_row.time_in_force NOT IN ('gtc', 'gtd') OR COALESCE(
          EXTRACT(EPOCH FROM (facts ->> 'expires_at')::timestamptz - order_row.created_at) <= (limits ->> 'max_order_seconds')::numeric,
          NOT limits ? 'max_order_seconds'));
      IF fits THEN
        counts[1] := COALESCE(counts[1], 0) + 1;
        UPDATE bot_sums
           SET open_orders = open_orders + 1, bucket = CASE WHEN is_again THEN bucket ELSE GREATEST(bucket, now_bucket) END,
               attempts = CASE WHEN is_again THEN attempts ELSE counts END
         WHERE bot_id = order_row.bot_id;
        INSERT INTO reservations (placement_id, bot_id, exchange, market_id, currency, is_long, unit_risk, size, most, day, open)
        VALUES (order_row.id, order_row.bot_id, order_row.exchange, order_row.market_id, order_row.currency,
                is_long, unit_risk, full_size, full_size, today, full_size);
        UPDATE bot_risks SET open_risk = open_risk + own_risk, live_risk = live_risk + own_risk, day_live = day_live + own_risk
         WHERE bot_id = order_row.bot_id AND currency = order_row.currency;
        UPDATE bot_positions
           SET open_risk = open_risk + own_risk, live_risk = live_risk + own_risk, day_live = day_live + own_risk,
               live_long = live_long + CASE WHEN is_long THEN full_size ELSE 0 END,
               live_short = live_short + CASE WHEN is_long THEN 0 ELSE full_size END
         WHERE bot_id = order_row.bot_id AND exchange = order_row.exchange AND market_id = order_row.market_id;
        RETURN NULL;
      END IF;
    END IF;
    RETURN reserve_by_reckoning(order_row, facts, is_again);
  END $$`;

const PARAMETERS = '(placements, jsonb, boolean)';

/**
 * What an order of a bot costs the database does not grow with those that rest, and two of them seldom wait for each other (docs/performance.md).
 * An earlier version calls the same functions by the same names, so its orders are reserved the new way too.
 */
export class BotCosts1795300100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(followPlacement(WHERE_NOTHING_CHANGES));
    await runner.query(`ALTER FUNCTION reserve_within_limits${PARAMETERS} RENAME TO reserve_by_reckoning`);
    await runner.query(RESERVE_WITHIN_LIMITS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP FUNCTION reserve_within_limits${PARAMETERS}`);
    await runner.query(`ALTER FUNCTION reserve_by_reckoning${PARAMETERS} RENAME TO reserve_within_limits`);
    await runner.query(followPlacement(''));
  }
}
