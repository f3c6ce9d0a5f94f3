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

/**
 * When so many attempts have left the last 60 s that one more is allowed: as the newest bucket leaves that must. For a caller that has counted
 * an attempt just now, in vain, and holds the lock of the sums.
 */
const ATTEMPTS_LEAVE = `
  CREATE FUNCTION attempts_leave_at(the_bot text, most integer) RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
    SELECT to_timestamp((bucket - age + 14) * 5)
      FROM (SELECT bucket, age, sum(count) OVER (ORDER BY age) - count AS newer
              FROM bot_sums, unnest(attempts) WITH ORDINALITY AS made (count, age) WHERE bot_id = the_bot) AS buckets
     WHERE newer < most ORDER BY age DESC LIMIT 1
  $$`;

/** A limit that is broken, as clients are told: counts and seconds as integers, all else as decimals without trailing zeros. */
const LIMIT_BROKEN = `
  CREATE FUNCTION limit_broken(the_limit text, allowed numeric, used numeric, asked numeric, resets_at timestamptz, reason text)
  RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object('limit', the_limit, 'resets_at', resets_at, 'reason', reason) ||
      CASE WHEN the_limit IN ('max_open_orders', 'max_orders_per_minute', 'max_order_seconds')
        THEN jsonb_build_object('allowed', allowed::bigint, 'used', used::bigint, 'asked', ceil(asked)::bigint)
        ELSE jsonb_build_object('allowed', trim_scale(allowed)::text, 'used', trim_scale(used)::text, 'asked', trim_scale(asked)::text) END
  $$`;

/** What a contract of an order can lose, by its price alone. */
const ASKED_RISK = `
  CREATE FUNCTION asked_risk_of(order_row placements) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE order_row.side WHEN 'buy' THEN order_row.price::numeric ELSE 1 - order_row.price::numeric END
  $$`;

/** What a contract of an order can lose; a price that was rounded never makes the whole less than what it costs. */
const UNIT_RISK = `
  CREATE FUNCTION unit_risk_of(order_row placements) RETURNS numeric LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN (
    SELECT GREATEST(0, risk, CASE WHEN order_row.cost::numeric > risk * order_row.size::numeric
                               THEN ceil(order_row.cost::numeric / order_row.size::numeric * 1e12) / 1e12 END)
      FROM (SELECT asked_risk_of(order_row) AS risk) AS by_price);
  END $$`;

/**
 * Reserves an order that is about to be sent, or lives; one that has a reservation keeps it, and could be executed again. Takes the lock of
 * the sums. Raises an error where nobody knows which outcome it is.
 */
const RESERVE = `
  CREATE FUNCTION reserve(order_row placements, most_size numeric) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    full_size numeric := order_row.size::numeric;
    per_contract numeric := unit_risk_of(order_row);
  BEGIN
    INSERT INTO bot_sums (bot_id) VALUES (order_row.bot_id) ON CONFLICT DO NOTHING;
    PERFORM FROM bot_sums WHERE bot_id = order_row.bot_id FOR UPDATE;
    INSERT INTO reservations (placement_id, bot_id, exchange, market_id, currency, is_long, unit_risk, size, most, day, open)
    VALUES (order_row.id, order_row.bot_id, order_row.exchange, order_row.market_id, order_row.currency,
            (order_row.side = 'buy') = (order_row.outcome_index = 0),
            per_contract, full_size, GREATEST(most_size, full_size), limit_day(), full_size)
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      UPDATE reservations SET fate = 'open', ended_at = NULL, missing_at = NULL WHERE placement_id = order_row.id;
      PERFORM reckon_order(order_row.id);
      RETURN;
    END IF;
    UPDATE bot_sums SET open_orders = open_orders + 1 WHERE bot_id = order_row.bot_id;
    INSERT INTO bot_risks (bot_id, currency) VALUES (order_row.bot_id, order_row.currency) ON CONFLICT DO NOTHING;
    INSERT INTO bot_positions (bot_id, exchange, market_id, currency)
    VALUES (order_row.bot_id, order_row.exchange, order_row.market_id, order_row.currency) ON CONFLICT DO NOTHING;
    PERFORM reckon_market(order_row.bot_id, order_row.exchange, order_row.market_id);
  END $$`;

/**
 * Reserves an order of a bot within its limits. Returns null, or the first limit that it would break, in the order of contract.md 5.12;
 * then nothing is reserved. What takes back alone breaks no limit of money. Of "facts" it needs `most_size`, the most that money can buy;
 * `price_distance`, how much worse the price is than the reference, null where that is not known, and `book_at`, when the read of the book
 * began, from which it stands for 1 s; `expires_at`, when it ends by itself. A repeat counts as no attempt. For a caller that holds the lock of
 * the sums.
 */
const RESERVE_WITHIN_LIMITS = `
  CREATE FUNCTION reserve_within_limits(order_row placements, facts jsonb, is_again boolean)
  RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    limits jsonb;
    broken jsonb;
    is_long boolean := (order_row.side = 'buy') = (order_row.outcome_index = 0);
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
    most_size numeric := GREATEST((facts ->> 'most_size')::numeric, order_row.size::numeric);
    distance numeric;
    is_stale boolean;
    rests_for numeric := EXTRACT(EPOCH FROM (facts ->> 'expires_at')::timestamptz - order_row.created_at);
    tomorrow timestamptz := date_trunc('day', clock_timestamp(), 'UTC') + interval '1 day';
  BEGIN
    UPDATE reservations SET missing_at = NULL WHERE placement_id = order_row.id AND fate = 'open';
    IF FOUND THEN RETURN NULL; END IF;
    SELECT bots.limits INTO limits FROM bots WHERE id = order_row.bot_id;
    most := (limits ->> 'max_orders_per_minute')::integer;
    is_stale := facts ->> 'price_distance' IS NOT NULL
      AND COALESCE((facts ->> 'book_at')::timestamptz < clock_timestamp() - interval '1 second', true);
    distance := CASE WHEN NOT is_stale THEN (facts ->> 'price_distance')::numeric END;
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
      own_risk := unit_risk * order_row.size::numeric / most_size * GREATEST(0, most_size - GREATEST(0, CASE WHEN is_long
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
                            worst - most_size, most_size, NULL,
                            CASE WHEN most_size > order_row.size::numeric THEN 'size_not_bounded' END)
        WHEN opened > (limits ->> 'max_open_orders')::integer
          THEN limit_broken('max_open_orders', (limits ->> 'max_open_orders')::integer, opened - 1, 1, NULL, NULL)
        WHEN made >= most THEN limit_broken('max_orders_per_minute', most, made, 1, attempts_leave_at(order_row.bot_id, most), NULL)
        WHEN own_risk > 0 AND COALESCE(distance > (limits ->> 'max_price_distance')::numeric, limits ? 'max_price_distance')
          THEN limit_broken('max_price_distance', (limits ->> 'max_price_distance')::numeric, 0, distance, NULL,
                            CASE WHEN distance IS NULL THEN 'no_reference_price' END)
        WHEN order_row.time_in_force IN ('gtc', 'gtd') AND COALESCE(rests_for > (limits ->> 'max_order_seconds')::numeric, limits ? 'max_order_seconds')
          THEN limit_broken('max_order_seconds', (limits ->> 'max_order_seconds')::numeric, 0, rests_for, NULL, 'expiry_too_late')
      END;
      broken := broken || jsonb_build_object('may_look_again', most IS NULL OR made < most,
                                             'is_stale', is_stale AND broken ->> 'reason' IS NOT DISTINCT FROM 'no_reference_price');
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
 * Looks whether an order of a bot may be sent now, behind all locks that it waits for, and reserves it: as part of the statement that begins its sending, of a row whose
 * attempt this is, or of a row that is not made yet (attempt 0), which is made now. "order_json" has the columns of its row; "facts" what else is looked at:
 * by which of the bot's markets it is allowed (`allowed_by`), and what the limits need. A refusal of a limit says which; with neither refusal nor a row to begin, another call has taken over.
 */
const BEGIN_ORDER = `
  CREATE FUNCTION begin_order_of_bot(sender text, key_prefix text, at_exchange text, stored bigint, active bigint, the_bot text,
    order_json jsonb, the_attempt integer, facts jsonb, is_again boolean, OUT refusal text, OUT broken jsonb, OUT may_begin boolean)
  LANGUAGE plpgsql VOLATILE AS $$
  DECLARE order_row placements := jsonb_populate_record(NULL::placements, order_json);
  BEGIN
    may_begin := false;
    PERFORM pg_advisory_xact_lock_shared(hashtextextended(sender, 2));
    IF the_attempt > 0 THEN
      PERFORM FROM placements WHERE id = order_row.id AND attempt = the_attempt AND unbound_at IS NULL AND abandoned_at IS NULL
                                AND state IN ('begun', 'sending') FOR UPDATE;
      IF NOT FOUND THEN RETURN; END IF;
    END IF;
    INSERT INTO bot_sums (bot_id) SELECT id FROM bots WHERE id = the_bot ON CONFLICT DO NOTHING;
    PERFORM FROM bot_sums WHERE bot_id = the_bot FOR UPDATE;
    refusal := COALESCE(sending_refusal(sender, key_prefix, at_exchange, stored, active, the_bot),
                        market_refusal(the_bot, facts -> 'allowed_by'));
    IF refusal IS NOT NULL THEN RETURN; END IF;
    IF the_attempt = 0 THEN order_row.created_at := clock_timestamp(); END IF;
    broken := reserve_within_limits(order_row, facts, is_again);
    IF broken IS NOT NULL THEN refusal := 'limit_exceeded'; END IF;
    may_begin := broken IS NULL;
  END $$`;

/** What was sent so long ago has arrived, or does not: more than the longest `UPSTREAM_TIMEOUT` and 30 s. */
const ARRIVES_WITHIN = `interval '2 minutes'`;

/**
 * Sets size and risk of a contract of an order that its owner has changed at the exchange itself, above a limit too; of one that has filled
 * in part the risk only rises, for all of the order. For a caller that holds the lock of the sums, and brings them up to date after that.
 */
const CHANGE_TERMS = `
  CREATE FUNCTION change_terms(known reservations, now_size numeric, shown_risk numeric) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    filled numeric := known.confirmed + known.pending;
    now_risk numeric := CASE WHEN filled > 0 THEN GREATEST(known.unit_risk, shown_risk) ELSE shown_risk END;
    executed_change numeric := (now_risk - known.unit_risk) * executed_size(known, filled, known.taken_back);
  BEGIN
    UPDATE reservations SET size = now_size, most = now_size, unit_risk = now_risk WHERE placement_id = known.placement_id;
    UPDATE bot_risks
       SET executed = executed + executed_change,
           day_executed = day_executed + CASE WHEN day = known.day THEN executed_change ELSE 0 END
     WHERE bot_id = known.bot_id AND currency = known.currency AND executed_change <> 0;
  END $$`;

/**
 * Writes what the exchange shows of an order of a bot, in reads that began then: the order, which is over where an end is given, and all
 * its trades, read after that. A trade that is confirmed or failed stays so. What is stated stands until it is stated anew; where
 * `is_gone`, the exchange has forgotten the order, and its trades alone say what filled. An order that was cancelled here, and that the
 * exchange lists as open after that, could be executed again.
 */
const PROVE_ORDER = `
  CREATE FUNCTION prove_order(the_placement text, began timestamptz, shown_status text, shown_filled text, is_over boolean, is_gone boolean,
                              shown_trades jsonb, shown_size numeric DEFAULT NULL, shown_risk numeric DEFAULT NULL)
  RETURNS void LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    the_row placements;
    known reservations;
    now_stated numeric;
    is_back boolean;
  BEGIN
    SELECT * INTO the_row FROM placements WHERE id = the_placement AND bot_id IS NOT NULL FOR UPDATE;
    IF the_row.id IS NULL OR the_row.state NOT IN ('made', 'closed') AND the_row.attempt_at > began - ${ARRIVES_WITHIN} THEN RETURN; END IF;
    PERFORM FROM bot_sums WHERE bot_id = the_row.bot_id FOR UPDATE;
    SELECT * INTO known FROM reservations WHERE placement_id = the_placement;
    IF known.placement_id IS NULL THEN RETURN; END IF;
    now_stated := CASE WHEN is_gone THEN NULL
                       WHEN shown_filled IS NULL OR began < known.stated_at THEN known.stated
                       ELSE shown_filled::numeric END;
    IF NOT is_over AND shown_size > 0 AND known.most = known.size AND began >= COALESCE(known.stated_at, '-infinity') THEN
      PERFORM change_terms(known, shown_size,
        CASE shown_risk WHEN asked_risk_of(the_row) THEN unit_risk_of(the_row) ELSE shown_risk END);
    END IF;
    is_back := NOT is_over AND shown_filled IS NOT NULL AND known.fate = 'cancelled' AND began > known.ended_at;
    UPDATE reservations
       SET trades = (trades - 'by hand') || (
             SELECT COALESCE(jsonb_object_agg(id, trade), '{}') FROM jsonb_each(shown_trades) AS shown (id, trade)
              WHERE COALESCE(trades -> id ->> 'status', 'pending') = 'pending'),
           stated = now_stated, stated_at = CASE WHEN is_gone OR shown_filled IS NOT NULL THEN GREATEST(stated_at, began) ELSE stated_at END,
           fate = CASE WHEN is_over THEN 'over' WHEN is_back THEN 'open' ELSE fate END,
           ended_at = CASE WHEN is_over THEN COALESCE(ended_at, began) WHEN NOT is_back THEN ended_at END
     WHERE placement_id = the_placement RETURNING * INTO known;
    PERFORM reckon_order(the_placement);
    now_stated := COALESCE(now_stated, trades_size(known.trades, 'confirmed') + trades_size(known.trades, 'pending'));
    UPDATE placements
       SET status = COALESCE(shown_status, status), filled_size = trim_scale(now_stated)::text, updated_at = clock_timestamp(),
           state = CASE WHEN is_over AND state = 'made' THEN 'closed' WHEN is_back AND state = 'closed' THEN 'made' ELSE state END,
           cancelled_at = CASE WHEN NOT is_back THEN cancelled_at END, cancelled_size = CASE WHEN NOT is_back THEN cancelled_size END
     WHERE id = the_placement
       AND (status IS DISTINCT FROM COALESCE(shown_status, status) OR filled_size::numeric IS DISTINCT FROM now_stated
         OR is_over AND state = 'made' OR is_back);
  END $$`;

/**
 * Ends, by the operator, an order of a bot of which nothing can be proved, 24 h after its last sending: it reserves nothing more, and so
 * much of it has filled; null is what is known so far. False where it is not such an order.
 */
const SETTLE_BY_HAND = `
  CREATE FUNCTION settle_by_hand(the_placement text, filled numeric) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
  DECLARE the_bot text;
  BEGIN
    SELECT bot_id INTO the_bot FROM placements
     WHERE id = the_placement AND bot_id IS NOT NULL AND attempt_at < clock_timestamp() - interval '24 hours'
       AND NOT (state = 'sending' AND busy_until > clock_timestamp()) FOR UPDATE;
    IF the_bot IS NULL THEN RETURN false; END IF;
    PERFORM FROM bot_sums WHERE bot_id = the_bot FOR UPDATE;
    UPDATE reservations
       SET fate = 'over', ended_at = COALESCE(ended_at, clock_timestamp()), stated = NULL,
           trades = jsonb_build_object('by hand', jsonb_build_object('size', COALESCE(filled, confirmed + pending), 'status', 'confirmed'))
     WHERE placement_id = the_placement;
    IF NOT FOUND THEN RETURN false; END IF;
    PERFORM reckon_order(the_placement);
    UPDATE placements SET state = 'closed', updated_at = clock_timestamp() WHERE id = the_placement AND state = 'made';
    RETURN true;
  END $$`;

/** Within which limits orders of bots are sent (contract.md 5.12): looked at and reserved in one go, under the lock of the bot's sums; and what gives room back. */
export class BotLimits1795200112000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const definition of [
      COUNT_ATTEMPT,
      ATTEMPTS_LEAVE,
      LIMIT_BROKEN,
      ASKED_RISK,
      UNIT_RISK,
      RESERVE,
      RESERVE_WITHIN_LIMITS,
      MARKET_REFUSAL,
      BEGIN_ORDER,
      CHANGE_TERMS,
      PROVE_ORDER,
      SETTLE_BY_HAND,
    ])
      await runner.query(definition);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION settle_by_hand(text, numeric)');
    await runner.query(
      'DROP FUNCTION prove_order(text, timestamptz, text, text, boolean, boolean, jsonb, numeric, numeric)',
    );
    await runner.query('DROP FUNCTION change_terms(reservations, numeric, numeric)');
    await runner.query(
      'DROP FUNCTION begin_order_of_bot(text, text, text, bigint, bigint, text, jsonb, integer, jsonb, boolean)',
    );
    await runner.query('DROP FUNCTION market_refusal(text, jsonb)');
    await runner.query('DROP FUNCTION reserve_within_limits(placements, jsonb, boolean)');
    await runner.query('DROP FUNCTION reserve(placements, numeric)');
    await runner.query('DROP FUNCTION unit_risk_of(placements)');
    await runner.query('DROP FUNCTION asked_risk_of(placements)');
    await runner.query('DROP FUNCTION limit_broken(text, numeric, numeric, numeric, timestamptz, text)');
    await runner.query('DROP FUNCTION attempts_leave_at(text, integer)');
    await runner.query('DROP FUNCTION count_attempt(text, integer)');
  }
}
