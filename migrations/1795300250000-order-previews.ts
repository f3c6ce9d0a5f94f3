import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Reserves an order of a bot, and says of each limit that the bot has, in the order of contract.md 5.12, how much it allows, how much was used
 * before, how much the order asks for, and whether it breaks the limit. "made" is how many attempts of the last 60 s were made before this
 * one. Of the order it says what it risks, and whether the book stands for too long by now. "facts" as `reserve_within_limits`. The caller takes the
 * reservation back where a limit is broken; it has counted the attempt, and holds the lock of the sums.
 */
const RECKON_LIMITS = `
  CREATE FUNCTION reckon_limits(order_row placements, facts jsonb, made integer, OUT list jsonb, OUT own_risk numeric, OUT is_stale boolean)
  LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    limits jsonb;
    is_long boolean := (order_row.side = 'buy') = (order_row.outcome_index = 0);
    unit_risk numeric := unit_risk_of(order_row);
    was_at bot_positions;
    is_at bot_positions;
    was bot_risks;
    sums bot_risks;
    opened integer;
    worst numeric;
    most_size numeric := GREATEST((facts ->> 'most_size')::numeric, order_row.size::numeric);
    distance numeric;
    rests boolean := order_row.time_in_force IN ('gtc', 'gtd');
    rests_for numeric := EXTRACT(EPOCH FROM (facts ->> 'expires_at')::timestamptz - order_row.created_at);
    tomorrow timestamptz := date_trunc('day', clock_timestamp(), 'UTC') + interval '1 day';
  BEGIN
    SELECT bots.limits INTO limits FROM bots WHERE id = order_row.bot_id;
    is_stale := facts ->> 'price_distance' IS NOT NULL
      AND COALESCE((facts ->> 'book_at')::timestamptz < clock_timestamp() - interval '1 second', true);
    distance := CASE WHEN NOT is_stale THEN (facts ->> 'price_distance')::numeric END;
    SELECT * INTO was FROM bot_risks WHERE bot_id = order_row.bot_id AND currency = order_row.currency;
    SELECT * INTO was_at FROM bot_positions
     WHERE bot_id = order_row.bot_id AND exchange = order_row.exchange AND market_id = order_row.market_id;
    PERFORM reserve(order_row, most_size);
    SELECT * INTO sums FROM bot_risks WHERE bot_id = order_row.bot_id AND currency = order_row.currency;
    SELECT * INTO is_at FROM bot_positions
     WHERE bot_id = order_row.bot_id AND exchange = order_row.exchange AND market_id = order_row.market_id;
    SELECT open_orders INTO opened FROM bot_sums WHERE bot_id = order_row.bot_id;
    own_risk := unit_risk * order_row.size::numeric / most_size * GREATEST(0, most_size - GREATEST(0, CASE WHEN is_long
      THEN GREATEST(0, - is_at.held - is_at.pending_long) - COALESCE(was_at.live_long, 0)
      ELSE GREATEST(0, is_at.held - is_at.pending_short) - COALESCE(was_at.live_short, 0) END));
    worst := CASE WHEN is_long THEN is_at.held + is_at.pending_long + is_at.live_long
                  ELSE - is_at.held + is_at.pending_short + is_at.live_short END;
    was.open_risk := COALESCE(was.open_risk, 0);
    was.live_risk := COALESCE(was.live_risk, 0);
    was.executed := COALESCE(was.executed, 0);
    was.day_live := CASE WHEN was.day = sums.day THEN was.day_live ELSE 0 END;
    SELECT COALESCE(jsonb_agg(limit_broken(name, allowed, used, asked, resets_at, reason) || jsonb_build_object('is_broken', is_broken)
                              ORDER BY place), '[]')
      INTO list
      FROM (
        SELECT place, name, (limits ->> name)::numeric AS allowed, used, asked, resets_at, reason,
               matters AND COALESCE(used + asked > (limits ->> name)::numeric, true) AS is_broken
          FROM (VALUES
            (1, 'max_order_risk', 0::numeric, own_risk, NULL::timestamptz, NULL, true),
            (2, 'max_open_risk', was.open_risk, sums.open_risk - was.open_risk, NULL, NULL, sums.open_risk > was.open_risk),
            (3, 'max_daily_risk', sums.day_executed + was.day_live, sums.day_live - was.day_live, tomorrow, NULL, sums.day_live > was.day_live),
            (4, 'max_total_risk', was.executed + was.live_risk, sums.live_risk - was.live_risk, NULL, NULL, sums.live_risk > was.live_risk),
            (5, 'max_position', worst - most_size, most_size, NULL,
             CASE WHEN most_size > order_row.size::numeric THEN 'size_not_bounded' END, true),
            (6, 'max_open_orders', opened - 1, 1, NULL, NULL, true),
            (7, 'max_orders_per_minute', made, 1,
             CASE WHEN made >= (limits ->> 'max_orders_per_minute')::integer
               THEN attempts_leave_at(order_row.bot_id, (limits ->> 'max_orders_per_minute')::integer) END, NULL, true),
            (8, 'max_price_distance', 0, distance, NULL, CASE WHEN distance IS NULL THEN 'no_reference_price' END, own_risk > 0),
            (9, 'max_order_seconds', 0, rests_for, NULL, 'expiry_too_late', rests)
          ) AS known (place, name, used, asked, resets_at, reason, matters)
         WHERE limits ->> name IS NOT NULL AND (matters OR name <> 'max_order_seconds')
      ) AS reckoned;
  END $$`;

/** The first limit of a list that an order breaks, as `reserve_within_limits` returns it; null where it breaks none. */
const FIRST_BROKEN = `
  CREATE FUNCTION first_broken_of(list jsonb, made integer, most integer, is_stale boolean) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT (one - 'is_broken') || jsonb_build_object('may_look_again', most IS NULL OR made < most,
             'is_stale', is_stale AND one ->> 'reason' IS NOT DISTINCT FROM 'no_reference_price')
      FROM jsonb_array_elements(list) WITH ORDINALITY AS reckoned (one, place)
     WHERE (one ->> 'is_broken')::boolean ORDER BY place LIMIT 1
  $$`;

/** As the function that it replaces, by the list of the limits. */
const RESERVE_BY_RECKONING = `
  CREATE FUNCTION reserve_by_reckoning(order_row placements, facts jsonb, is_again boolean)
  RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    broken jsonb;
    most integer;
    made integer;
    reckoned record;
  BEGIN
    UPDATE reservations SET missing_at = NULL WHERE placement_id = order_row.id AND fate = 'open';
    IF FOUND THEN RETURN NULL; END IF;
    SELECT (limits ->> 'max_orders_per_minute')::integer INTO most FROM bots WHERE id = order_row.bot_id;
    made := CASE WHEN is_again THEN 0 ELSE count_attempt(order_row.bot_id, most) END;
    BEGIN
      SELECT * INTO reckoned FROM reckon_limits(order_row, facts, made);
      broken := first_broken_of(reckoned.list, made, most, reckoned.is_stale);
      IF broken IS NOT NULL THEN RAISE EXCEPTION USING ERRCODE = 'PXLIM'; END IF;
    EXCEPTION WHEN SQLSTATE 'PXLIM' THEN
      RETURN broken;
    END;
    RETURN NULL;
  END $$`;

/**
 * What `begin_order_of_bot` would say of an order that is not made yet, with all limits of its bot and what the order risks; nothing of it
 * stays: no reservation, no attempt, no lock.
 */
const PREVIEW_ORDER = `
  CREATE FUNCTION preview_order_of_bot(sender text, key_prefix text, at_exchange text, stored bigint, active bigint, the_bot text,
    order_json jsonb, facts jsonb, OUT refusal text, OUT broken jsonb, OUT limits jsonb, OUT risk text)
  LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    order_row placements := jsonb_populate_record(NULL::placements, order_json);
    most integer;
    made integer;
    reckoned record;
  BEGIN
    refusal := COALESCE(sending_refusal(sender, key_prefix, at_exchange, stored, active, the_bot),
                        market_refusal(the_bot, facts -> 'allowed_by'));
    order_row.created_at := clock_timestamp();
    BEGIN
      INSERT INTO bot_sums (bot_id) SELECT id FROM bots WHERE id = the_bot ON CONFLICT DO NOTHING;
      PERFORM FROM bot_sums WHERE bot_id = the_bot FOR UPDATE;
      SELECT (bots.limits ->> 'max_orders_per_minute')::integer INTO most FROM bots WHERE id = the_bot;
      IF FOUND THEN
        made := count_attempt(the_bot, most);
        SELECT * INTO reckoned FROM reckon_limits(order_row, facts, made);
        limits := reckoned.list;
        risk := trim_scale(reckoned.own_risk)::text;
        broken := CASE WHEN refusal IS NULL THEN first_broken_of(limits, made, most, reckoned.is_stale) END;
        refusal := CASE WHEN broken IS NULL THEN refusal ELSE 'limit_exceeded' END;
      END IF;
      RAISE EXCEPTION USING ERRCODE = 'PXLIM';
    EXCEPTION WHEN SQLSTATE 'PXLIM' THEN NULL;
    END;
  END $$`;

const FUNCTIONS = [RECKON_LIMITS, FIRST_BROKEN, RESERVE_BY_RECKONING, PREVIEW_ORDER];
const PARAMETERS = '(placements, jsonb, boolean)';

/**
 * An order of a bot can be asked about before it is sent (contract.md 5): by the same reckoning that reserves it. An earlier version calls the
 * same functions by the same names. The one that is replaced waits under another name for `down`.
 */
export class OrderPreviews1795300250000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER FUNCTION reserve_by_reckoning${PARAMETERS} RENAME TO reserve_by_first_limit`);
    for (const definition of FUNCTIONS) await runner.query(definition);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION preview_order_of_bot(text, text, text, bigint, bigint, text, jsonb, jsonb)');
    await runner.query(`DROP FUNCTION reserve_by_reckoning${PARAMETERS}`);
    await runner.query('DROP FUNCTION first_broken_of(jsonb, integer, integer, boolean)');
    await runner.query('DROP FUNCTION reckon_limits(placements, jsonb, integer)');
    await runner.query(`ALTER FUNCTION reserve_by_first_limit${PARAMETERS} RENAME TO reserve_by_reckoning`);
  }
}
