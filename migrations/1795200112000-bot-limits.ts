import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counts an attempt of a bot in its bucket of 5 s, unless as many as the limit allows were made in the last 60 s, by the bucket of now and
 * the twelve before. Returns how many those are without this one. For a caller that holds the lock of the sums.
 */
const COUNT_ATTEMPT = `
  CREATE FUNCTION count_attempt(the_bot text, most integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    now_bucket bigint := floor(EXTRACT(EPOCH FROM clock_timestamp()) / 5);
    counts integer[];
    made integer;
  BEGIN
    SELECT (array_fill(0, ARRAY[LEAST(13, GREATEST(0, now_bucket - bucket))::int]) || attempts)[1:13] INTO counts FROM bot_sums WHERE bot_id = the_bot;
    made := (SELECT COALESCE(sum(count), 0) FROM unnest(counts) AS count);
    counts[1] := COALESCE(counts[1], 0) + (most IS NULL OR made < most)::int;
    UPDATE bot_sums SET bucket = GREATEST(bucket, now_bucket), attempts = counts WHERE bot_id = the_bot;
    RETURN made;
  END $$`;

/** A limit that is broken, as clients are told; the numbers are those of decimals, without trailing zeros. */
const LIMIT_BROKEN = `
  CREATE FUNCTION limit_broken(the_limit text, allowed numeric, used numeric, asked numeric, resets_at timestamptz, reason text)
  RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object('limit', the_limit, 'allowed', trim_scale(allowed)::text, 'used', trim_scale(used)::text,
                              'asked', trim_scale(asked)::text, 'resets_at', resets_at, 'reason', reason)
  $$`;

/**
 * Reserves an order of a bot within its limits. Returns null, or the first limit that it would break, in the order of contract.md 5.12;
 * then nothing is reserved. What takes back alone breaks no limit of money. Of "facts" it needs `most_size`, the most that money can buy;
 * `price_distance`, how much worse the price is than the reference, null where that is not known; `expires_at`, when it ends by itself. A
 * repeat counts as no attempt.
 */
const RESERVE_WITHIN_LIMITS = `
  CREATE FUNCTION reserve_within_limits(order_row placements, facts jsonb, is_again boolean)
  RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    limits jsonb;
    broken jsonb;
    is_long boolean := (order_row.side = 'buy') = (COALESCE(order_row.outcome_index, 0) = 0);
    unit_risk numeric := unit_risk_of(order_row);
    was_at bot_positions;
    is_at bot_positions;
    was bot_risks;
    sums bot_risks;
    opened integer;
    made integer;
    own_risk numeric;
    worst numeric;
    most integer;
    most_size numeric := (facts ->> 'most_size')::numeric;
    distance numeric := (facts ->> 'price_distance')::numeric;
    rests_for numeric := EXTRACT(EPOCH FROM (facts ->> 'expires_at')::timestamptz - order_row.created_at);
    tomorrow timestamptz := date_trunc('day', clock_timestamp(), 'UTC') + interval '1 day';
  BEGIN
    INSERT INTO bot_sums (bot_id) VALUES (order_row.bot_id) ON CONFLICT DO NOTHING;
    PERFORM FROM bot_sums WHERE bot_id = order_row.bot_id FOR UPDATE;
    IF EXISTS (SELECT FROM reservations WHERE placement_id = order_row.id) THEN RETURN NULL; END IF;
    SELECT bots.limits INTO limits FROM bots WHERE id = order_row.bot_id;
    most := (limits ->> 'max_orders_per_minute')::integer;
    made := CASE WHEN is_again THEN 0 ELSE count_attempt(order_row.bot_id, most) END;
    SELECT * INTO was FROM bot_risks WHERE bot_id = order_row.bot_id AND currency = order_row.currency;
    SELECT * INTO was_at FROM bot_positions
     WHERE bot_id = order_row.bot_id AND exchange = order_row.exchange AND market_id = order_row.market_id;
    BEGIN
      PERFORM reserve(order_row, most_size);
      SELECT * INTO sums FROM bot_risks WHERE bot_id = order_row.bot_id AND currency = order_row.currency;
      SELECT * INTO is_at FROM bot_positions
       WHERE bot_id = order_row.bot_id AND exchange = order_row.exchange AND market_id = order_row.market_id;
      SELECT open_orders INTO opened FROM bot_sums WHERE bot_id = order_row.bot_id;
      own_risk := unit_risk * GREATEST(0, order_row.size::numeric - GREATEST(0, CASE WHEN is_long
        THEN GREATEST(0, - is_at.held - is_at.pending_long) - COALESCE(was_at.live_long, 0)
        ELSE GREATEST(0, is_at.held - is_at.pending_short) - COALESCE(was_at.live_short, 0) END));
      worst := CASE WHEN is_long THEN is_at.held + is_at.pending_long + is_at.live_long
                    ELSE - is_at.held + is_at.pending_short + is_at.live_short END;
      was.open_risk := COALESCE(was.open_risk, 0);
      was.live_risk := COALESCE(was.live_risk, 0);
      was.executed := COALESCE(was.executed, 0);
      was.day_live := CASE WHEN was.day = sums.day THEN was.day_live ELSE 0 END;
      broken := CASE
        WHEN own_risk > (limits ->> 'max_order_risk')::numeric
          THEN limit_broken('max_order_risk', (limits ->> 'max_order_risk')::numeric, 0, own_risk, NULL, NULL)
        WHEN sums.open_risk > was.open_risk AND sums.open_risk > (limits ->> 'max_open_risk')::numeric
          THEN limit_broken('max_open_risk', (limits ->> 'max_open_risk')::numeric, was.open_risk, sums.open_risk - was.open_risk, NULL, NULL)
        WHEN sums.day_live > was.day_live AND sums.day_executed + sums.day_live > (limits ->> 'max_daily_risk')::numeric
          THEN limit_broken('max_daily_risk', (limits ->> 'max_daily_risk')::numeric, sums.day_executed + was.day_live,
                            sums.day_live - was.day_live, tomorrow, NULL)
        WHEN sums.live_risk > was.live_risk AND sums.executed + sums.live_risk > (limits ->> 'max_total_risk')::numeric
          THEN limit_broken('max_total_risk', (limits ->> 'max_total_risk')::numeric, was.executed + was.live_risk,
                            sums.live_risk - was.live_risk, NULL, NULL)
        WHEN worst > (limits ->> 'max_position')::numeric
          THEN limit_broken('max_position', (limits ->> 'max_position')::numeric,
                            worst - COALESCE(most_size, order_row.size::numeric), COALESCE(most_size, order_row.size::numeric), NULL,
                            CASE WHEN most_size IS NOT NULL THEN 'size_not_bounded' END)
        WHEN opened > (limits ->> 'max_open_orders')::integer
          THEN limit_broken('max_open_orders', (limits ->> 'max_open_orders')::integer, opened - 1, 1, NULL, NULL)
        WHEN made >= most THEN limit_broken('max_orders_per_minute', most, made, 1, clock_timestamp() + interval '5 seconds', NULL)
        WHEN own_risk > 0 AND COALESCE(distance > (limits ->> 'max_price_distance')::numeric, limits ? 'max_price_distance')
          THEN limit_broken('max_price_distance', (limits ->> 'max_price_distance')::numeric, 0, distance, NULL,
                            CASE WHEN distance IS NULL THEN 'no_reference_price' END)
        WHEN order_row.time_in_force IN ('gtc', 'gtd') AND COALESCE(rests_for > (limits ->> 'max_order_seconds')::numeric, limits ? 'max_order_seconds')
          THEN limit_broken('max_order_seconds', (limits ->> 'max_order_seconds')::numeric, 0, rests_for, NULL, 'expiry_too_late')
      END;
      broken := broken || jsonb_build_object('may_look_again', most IS NULL OR made < most);
      IF broken IS NOT NULL THEN RAISE EXCEPTION USING ERRCODE = 'PXLIM'; END IF;
    EXCEPTION WHEN SQLSTATE 'PXLIM' THEN
      RETURN broken;
    END;
    RETURN NULL;
  END $$`;

/** Why a bot may not trade a market; null where that is still one of its own by which the caller has found it allowed. */
const MARKET_REFUSAL = `
  CREATE FUNCTION market_refusal(the_bot text, allowed_by jsonb) RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT 'market_not_allowed' FROM bots
     WHERE id = the_bot AND markets IS NOT NULL
       AND NOT COALESCE(jsonb_typeof(allowed_by) = 'object' AND markets @> jsonb_build_array(allowed_by), false)
  $$`;

/**
 * Looks whether an order of a bot may be sent now, and reserves it: as part of the statement that begins its sending, of a row whose
 * attempt this is, or of a row that is not made yet (attempt 0). "order_json" has the columns of its row; "facts" what else is looked at:
 * by which of the bot's markets it is allowed (`allowed_by`), and what the limits need. A refusal of a limit says which; with neither refusal nor a row to begin, another call has taken over.
 */
const BEGIN_ORDER = `
  CREATE FUNCTION begin_order_of_bot(sender text, key_prefix text, at_exchange text, stored bigint, active bigint, the_bot text,
    order_json jsonb, the_attempt integer, facts jsonb, is_again boolean, OUT refusal text, OUT broken jsonb, OUT may_begin boolean)
  LANGUAGE plpgsql VOLATILE AS $$
  DECLARE order_row placements := jsonb_populate_record(NULL::placements, order_json);
  BEGIN
    may_begin := false;
    refusal := COALESCE(sending_refusal(sender, key_prefix, at_exchange, stored, active, the_bot),
                        market_refusal(the_bot, facts -> 'allowed_by'));
    IF refusal IS NOT NULL THEN RETURN; END IF;
    IF the_attempt > 0 THEN
      PERFORM FROM placements WHERE id = order_row.id AND attempt = the_attempt AND unbound_at IS NULL AND abandoned_at IS NULL
                                AND state IN ('begun', 'sending') FOR UPDATE;
      IF NOT FOUND THEN RETURN; END IF;
    END IF;
    broken := reserve_within_limits(order_row, facts, is_again);
    IF broken IS NOT NULL THEN refusal := 'limit_exceeded'; END IF;
    may_begin := broken IS NULL;
  END $$`;

/**
 * Writes what the exchange shows of an order of a bot: the order, which is over where an end is given, and all its trades, read after that.
 * A trade that is confirmed or failed stays so. What is over is proved by that; what filled is proved once its trades are.
 */
const PROVE_ORDER = `
  CREATE FUNCTION prove_order(the_placement text, shown_status text, shown_filled text, is_over boolean, shown_trades jsonb)
  RETURNS void LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    the_bot text;
    known reservations;
    all_trades jsonb;
    now_confirmed numeric;
    filled numeric;
    stated numeric;
    rest numeric;
  BEGIN
    SELECT bot_id, GREATEST(filled_size::numeric, shown_filled::numeric) INTO the_bot, stated
      FROM placements WHERE id = the_placement AND bot_id IS NOT NULL FOR UPDATE;
    IF the_bot IS NULL THEN RETURN; END IF;
    PERFORM FROM bot_sums WHERE bot_id = the_bot FOR UPDATE;
    SELECT * INTO known FROM reservations WHERE placement_id = the_placement;
    IF known.placement_id IS NOT NULL THEN
      SELECT known.trades || COALESCE(jsonb_object_agg(id, trade), '{}') INTO all_trades
        FROM jsonb_each(shown_trades) AS shown (id, trade)
       WHERE COALESCE(known.trades -> id ->> 'status', 'pending') = 'pending';
      UPDATE reservations SET trades = all_trades WHERE placement_id = the_placement;
      now_confirmed := trades_size(all_trades, 'confirmed');
      filled := GREATEST(now_confirmed + trades_size(all_trades, 'pending'),
                         COALESCE(stated, 0) - trades_size(all_trades, 'failed'));
      rest := GREATEST(0, known.size - filled);
      IF is_over THEN
        PERFORM set_reservation(the_placement, 0, 0, now_confirmed, filled - now_confirmed);
      ELSIF known.open > 0 THEN
        PERFORM set_reservation(the_placement, rest, 0, now_confirmed, filled - now_confirmed);
      ELSE
        PERFORM set_reservation(the_placement, 0, LEAST(known.unproved, rest), now_confirmed, filled - now_confirmed);
      END IF;
    END IF;
    UPDATE placements
       SET status = COALESCE(shown_status, status), filled_size = trim_scale(stated)::text, updated_at = clock_timestamp(),
           state = CASE WHEN is_over AND state = 'made' THEN 'closed' ELSE state END
     WHERE id = the_placement
       AND (status IS DISTINCT FROM COALESCE(shown_status, status) OR filled_size::numeric IS DISTINCT FROM stated
         OR is_over AND state = 'made');
  END $$`;

/** Within which limits orders of bots are sent (contract.md 5.12): looked at and reserved in one go, under the lock of the bot's sums; and what gives room back. */
export class BotLimits1795200112000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const definition of [
      COUNT_ATTEMPT,
      LIMIT_BROKEN,
      RESERVE_WITHIN_LIMITS,
      MARKET_REFUSAL,
      BEGIN_ORDER,
      PROVE_ORDER,
    ])
      await runner.query(definition);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION prove_order(text, text, text, boolean, jsonb)');
    await runner.query(
      'DROP FUNCTION begin_order_of_bot(text, text, text, bigint, bigint, text, jsonb, integer, jsonb, boolean)',
    );
    await runner.query('DROP FUNCTION market_refusal(text, jsonb)');
    await runner.query('DROP FUNCTION reserve_within_limits(placements, jsonb, boolean)');
    await runner.query('DROP FUNCTION limit_broken(text, numeric, numeric, numeric, timestamptz, text)');
    await runner.query('DROP FUNCTION count_attempt(text, integer)');
  }
}
