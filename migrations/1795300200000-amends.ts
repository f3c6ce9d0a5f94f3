import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A change of an order that a call works on: calls that change one order come one after the other, whichever instance they are at.
 * `was` is what its beginning has changed here.
 */
const TABLE = `
  CREATE TABLE order_amends (
    user_id      text        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    exchange     text        NOT NULL,
    order_id     text        NOT NULL,
    claim        text        NOT NULL,
    busy_until   timestamptz NOT NULL,
    placement_id text,
    was          jsonb,
    PRIMARY KEY (user_id, exchange, order_id)
  )`;

/**
 * Until `amend_until` a change of the order may still arrive; at `terms_at` an answer to one said what the order is like. `rests_at` is what a
 * contract can lose at the price at which the order rests, then at those of before, which a book may show still; null where that is `unit_risk`.
 */
const COLUMNS = `
  ALTER TABLE reservations ADD COLUMN amend_until timestamptz, ADD COLUMN terms_at timestamptz, ADD COLUMN rests_at numeric[]`;

/**
 * Reserves an order of a bot as it is and as it is to be: the larger of the two sizes, all of it at the dearer price, as nobody knows how much of
 * it fills before the change. Where a bot asks (`is_bound`), within its limits: returns null, or the first limit that
 * it would break, in the order of contract.md 5.12; then nothing is reserved. What makes the order neither larger nor dearer, than it was
 * read and is reserved, breaks the limit of attempts alone, and that of its end where it names one; one that the ledger took for over also that of open orders. What is raised counts for the day on which that happens. `asked` has `size`,
 * `risk` of a contract, and both as they are at the exchange (`was_size`, `was_risk`), with what has `filled` there. For a caller that holds the lock of the sums.
 */
const RESERVE_AMEND = `
  CREATE FUNCTION reserve_amend(order_row placements, asked jsonb, facts jsonb, is_bound boolean, is_again boolean)
  RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    limits jsonb := '{}';
    broken jsonb;
    known reservations;
    was_at bot_positions;
    is_at bot_positions;
    was bot_risks;
    sums bot_risks;
    now_size numeric := (asked ->> 'size')::numeric;
    now_risk numeric := (asked ->> 'risk')::numeric;
    was_size numeric := (asked ->> 'was_size')::numeric;
    was_risk numeric := (asked ->> 'was_risk')::numeric;
    least_size numeric;
    is_worse boolean;
    opened integer;
    filled numeric;
    most_size numeric;
    most_risk numeric;
    others_live numeric;
    own_risk numeric;
    worst numeric;
    made integer := 0;
    most integer;
    distance numeric;
    is_stale boolean;
    rests_for numeric := EXTRACT(EPOCH FROM (facts ->> 'expires_at')::timestamptz - order_row.created_at);
    tomorrow timestamptz := date_trunc('day', clock_timestamp(), 'UTC') + interval '1 day';
  BEGIN
    IF is_bound THEN
      SELECT COALESCE(bots.limits, '{}') INTO limits FROM bots WHERE id = order_row.bot_id;
      most := (limits ->> 'max_orders_per_minute')::integer;
      IF NOT is_again THEN made := count_attempt(order_row.bot_id, most); END IF;
    END IF;
    is_stale := facts ->> 'price_distance' IS NOT NULL
      AND COALESCE((facts ->> 'book_at')::timestamptz < clock_timestamp() - interval '1 second', true);
    distance := CASE WHEN NOT is_stale THEN (facts ->> 'price_distance')::numeric END;
    SELECT * INTO was FROM bot_risks WHERE bot_id = order_row.bot_id AND currency = order_row.currency;
    SELECT * INTO was_at FROM bot_positions
     WHERE bot_id = order_row.bot_id AND exchange = order_row.exchange AND market_id = order_row.market_id;
    SELECT * INTO known FROM reservations WHERE placement_id = order_row.id;
    -- A read may lag behind a change: more than was reserved is no measure.
    least_size := LEAST(was_size, known.size);
    is_worse := now_size > least_size OR now_risk > LEAST(was_risk, known.unit_risk);
    others_live := CASE WHEN known.is_long THEN was_at.live_long ELSE was_at.live_short END
      - CASE WHEN known.open + known.unproved > 0 THEN GREATEST(0, known.most - known.confirmed - known.pending) ELSE 0 END;
    BEGIN
      most_size := GREATEST(known.size, was_size, now_size);
      most_risk := GREATEST(known.unit_risk, was_risk, now_risk);
      PERFORM change_terms(known, most_size, most_risk);
      UPDATE reservations
         SET fate = 'open', ended_at = NULL, missing_at = NULL,
             day = CASE WHEN most_size > known.size OR most_risk > known.unit_risk THEN limit_day() ELSE day END
       WHERE placement_id = order_row.id;
      PERFORM reckon_order(order_row.id);
      SELECT * INTO sums FROM bot_risks WHERE bot_id = order_row.bot_id AND currency = order_row.currency;
      SELECT * INTO is_at FROM bot_positions
       WHERE bot_id = order_row.bot_id AND exchange = order_row.exchange AND market_id = order_row.market_id;
      SELECT open_orders INTO opened FROM bot_sums WHERE bot_id = order_row.bot_id;
      filled := GREATEST(known.confirmed + known.pending, (asked ->> 'filled')::numeric);
      own_risk := most_risk * (filled - known.taken_back) + now_risk * GREATEST(0, now_size - filled - GREATEST(0, CASE WHEN known.is_long
        THEN GREATEST(0, - is_at.held - is_at.pending_long) ELSE GREATEST(0, is_at.held - is_at.pending_short) END
          - COALESCE(others_live, 0)));
      worst := CASE WHEN known.is_long THEN is_at.held + is_at.pending_long + is_at.live_long
                    ELSE - is_at.held + is_at.pending_short + is_at.live_short END;
      was.open_risk := COALESCE(was.open_risk, 0);
      was.live_risk := COALESCE(was.live_risk, 0);
      was.executed := COALESCE(was.executed, 0);
      was.day_live := CASE WHEN was.day = sums.day THEN was.day_live ELSE 0 END;
      broken := CASE
        WHEN is_worse AND own_risk > (limits ->> 'max_order_risk')::numeric
          THEN limit_broken('max_order_risk', (limits ->> 'max_order_risk')::numeric, 0, own_risk, NULL, NULL)
        WHEN sums.open_risk > was.open_risk AND sums.open_risk > (limits ->> 'max_open_risk')::numeric
          THEN limit_broken('max_open_risk', (limits ->> 'max_open_risk')::numeric, was.open_risk, sums.open_risk - was.open_risk, NULL, NULL)
        WHEN sums.day_live > was.day_live AND sums.day_executed + sums.day_live > (limits ->> 'max_daily_risk')::numeric
          THEN limit_broken('max_daily_risk', (limits ->> 'max_daily_risk')::numeric, sums.day_executed + was.day_live,
                            sums.day_live - was.day_live, tomorrow, NULL)
        WHEN sums.executed + sums.live_risk > was.executed + was.live_risk
            AND sums.executed + sums.live_risk > (limits ->> 'max_total_risk')::numeric
          THEN limit_broken('max_total_risk', (limits ->> 'max_total_risk')::numeric, was.executed + was.live_risk,
                            sums.executed + sums.live_risk - was.executed - was.live_risk, NULL, NULL)
        WHEN now_size > least_size AND worst > (limits ->> 'max_position')::numeric
          THEN limit_broken('max_position', (limits ->> 'max_position')::numeric, worst - (now_size - least_size), now_size - least_size, NULL, NULL)
        WHEN known.open = 0 AND opened > (limits ->> 'max_open_orders')::integer
          THEN limit_broken('max_open_orders', (limits ->> 'max_open_orders')::integer, opened - 1, 1, NULL, NULL)
        WHEN made >= most THEN limit_broken('max_orders_per_minute', most, made, 1, attempts_leave_at(order_row.bot_id, most), NULL)
        WHEN is_worse AND own_risk > 0
            AND COALESCE(distance > (limits ->> 'max_price_distance')::numeric, limits ? 'max_price_distance')
          THEN limit_broken('max_price_distance', (limits ->> 'max_price_distance')::numeric, 0, distance, NULL,
                            CASE WHEN distance IS NULL THEN 'no_reference_price' END)
        WHEN (is_worse OR (asked ->> 'has_new_end')::boolean)
            AND COALESCE(rests_for > (limits ->> 'max_order_seconds')::numeric, limits ? 'max_order_seconds')
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

/**
 * Begins a change of an order that rests, for the call that works on it: looks whether the caller may send now, behind all locks that it waits
 * for, and reserves the order where a bot has sent it. What was asked of the order is then what the ledger says. Locks are taken in the order
 * of all others: `order_amends`, the row of the ledger, the sums of its bot. `asked` has also `order_id`, `client_order_id`, `is_long`, `long_price` and
 * `request_id`. With neither a refusal nor a beginning the call has lost its turn, or the ledger does not have the order as the exchange shows it:
 * it has another outcome, or nothing of a bot's order is reserved any more.
 */
const BEGIN_AMEND = `
  CREATE FUNCTION begin_amend(sender text, key_prefix text, at_exchange text, stored bigint, active bigint, the_bot text,
    the_claim text, asked jsonb, facts jsonb, is_again boolean, busy interval, arrives interval,
    OUT refusal text, OUT broken jsonb, OUT has_begun boolean)
  LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    order_row placements;
    was reservations;
    known reservations;
    is_alone boolean;
    is_of_bot boolean;
    has_terms boolean;
  BEGIN
    has_begun := false;
    PERFORM pg_advisory_xact_lock_shared(hashtextextended(sender, 2));
    PERFORM FROM order_amends
     WHERE user_id = sender AND exchange = at_exchange AND order_id = asked ->> 'order_id' AND claim = the_claim
       AND busy_until > clock_timestamp() FOR UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
    SELECT * INTO order_row FROM placements
     WHERE (exchange_id = asked ->> 'order_id' OR exchange_id IS NULL AND client_order_id = asked ->> 'client_order_id')
       AND user_id = sender AND exchange = at_exchange AND kind = 'order' AND first_sent_at IS NOT NULL AND state <> 'refused'
     ORDER BY state IN ('made', 'closed') DESC, EXISTS (SELECT FROM reservations WHERE placement_id = placements.id) DESC, first_sent_at, id
     LIMIT 1 FOR UPDATE;
    IF the_bot IS NOT NULL AND order_row.bot_id IS DISTINCT FROM the_bot THEN RETURN; END IF;
    INSERT INTO bot_sums (bot_id) SELECT id FROM bots WHERE id = order_row.bot_id ON CONFLICT DO NOTHING;
    PERFORM FROM bot_sums WHERE bot_id = order_row.bot_id FOR UPDATE;
    is_of_bot := FOUND;
    has_terms := COALESCE(((order_row.side = 'buy') = (order_row.outcome_index = 0)) = (asked ->> 'is_long')::boolean
      AND order_row.price IS NOT NULL AND order_row.size IS NOT NULL AND order_row.currency IS NOT NULL AND order_row.market_id IS NOT NULL, false);
    IF is_of_bot AND NOT has_terms THEN RETURN; END IF;
    refusal := COALESCE(sending_refusal(sender, key_prefix, at_exchange, stored, active, the_bot),
                        CASE WHEN the_bot IS NOT NULL THEN market_refusal(the_bot, facts -> 'allowed_by') END);
    IF refusal IS NOT NULL THEN RETURN; END IF;
    IF is_of_bot THEN
      SELECT * INTO was FROM reservations WHERE placement_id = order_row.id;
      -- All of it is proved by now: what was read is older than its end.
      IF NOT FOUND THEN RETURN; END IF;
      is_alone := COALESCE(was.amend_until <= clock_timestamp(), true);
      broken := reserve_amend(order_row, asked, facts, the_bot IS NOT NULL, is_again);
      IF broken IS NOT NULL THEN refusal := 'limit_exceeded'; RETURN; END IF;
      UPDATE reservations
         SET amend_until = GREATEST(amend_until, clock_timestamp() + arrives),
             rests_at = ARRAY[(asked ->> 'risk')::numeric, (asked ->> 'was_risk')::numeric, COALESCE(rests_at[1], was.unit_risk)]
       WHERE placement_id = order_row.id RETURNING * INTO known;
    END IF;
    UPDATE order_amends
       SET busy_until = clock_timestamp() + busy, placement_id = CASE WHEN has_terms THEN order_row.id END,
           was = CASE WHEN has_terms THEN jsonb_build_object(
             'price', order_row.price, 'asked_size', order_row.size, 'cost', order_row.cost, 'is_alone', is_alone,
             'size', was.size, 'risk', was.unit_risk, 'day', was.day, 'set_size', known.size, 'set_risk', known.unit_risk,
             'now_size', asked ->> 'size', 'now_risk', asked ->> 'risk') END
     WHERE user_id = sender AND exchange = at_exchange AND order_id = asked ->> 'order_id';
    UPDATE placements
       SET price = trim_scale(CASE outcome_index WHEN 0 THEN (asked ->> 'long_price')::numeric ELSE 1 - (asked ->> 'long_price')::numeric END)::text,
           size = asked ->> 'size', cost = trim_scale((asked ->> 'risk')::numeric * (asked ->> 'size')::numeric)::text, updated_at = clock_timestamp(),
           request_ids = (array_remove(array_append(request_ids, asked ->> 'request_id'), NULL))[greatest(1, cardinality(request_ids) - 18):]
     WHERE id = order_row.id AND has_terms;
    has_begun := true;
  END $$`;

/**
 * Ends a change that was begun: `made`, which the exchange has answered, so much of the order filled by then, null where nothing
 * told; `undone`, refused or never sent; or `unknown`. What is proved is what is reserved from then on, unless an earlier change may still arrive, or a list has shown
 * something else meanwhile: then proof alone gives back.
 */
const END_AMEND = `
  CREATE FUNCTION end_amend(sender text, at_exchange text, the_order text, the_claim text, how text, now_filled numeric)
  RETURNS void LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    ended order_amends;
    known reservations;
    filled numeric;
    was_risk numeric;
    now_size numeric;
    now_risk numeric;
    executed_change numeric;
  BEGIN
    DELETE FROM order_amends
     WHERE user_id = sender AND exchange = at_exchange AND order_id = the_order AND claim = the_claim RETURNING * INTO ended;
    IF ended.was IS NULL OR how = 'unknown' THEN RETURN; END IF;
    PERFORM FROM placements WHERE id = ended.placement_id FOR UPDATE;
    IF how = 'undone' THEN
      UPDATE placements SET price = ended.was ->> 'price', size = ended.was ->> 'asked_size', cost = ended.was ->> 'cost'
       WHERE id = ended.placement_id;
    END IF;
    PERFORM FROM bot_sums WHERE bot_id = (SELECT bot_id FROM placements WHERE id = ended.placement_id) FOR UPDATE;
    SELECT * INTO known FROM reservations WHERE placement_id = ended.placement_id;
    IF known.placement_id IS NULL OR NOT COALESCE((ended.was ->> 'is_alone')::boolean, false) THEN RETURN; END IF;
    UPDATE reservations
       SET amend_until = NULL, terms_at = CASE how WHEN 'made' THEN clock_timestamp() ELSE terms_at END,
           rests_at = CASE how WHEN 'undone' THEN rests_at[2:] ELSE rests_at END,
           day = CASE WHEN how = 'undone' AND day = limit_day() THEN COALESCE((ended.was ->> 'day')::date, day) ELSE day END
     WHERE placement_id = ended.placement_id;
    was_risk := (ended.was ->> 'risk')::numeric;
    IF known.size <> (ended.was ->> 'set_size')::numeric OR known.unit_risk <> (ended.was ->> 'set_risk')::numeric THEN
      RETURN;
    END IF;
    filled := known.confirmed + known.pending;
    now_size := (ended.was ->> CASE how WHEN 'made' THEN 'now_size' ELSE 'size' END)::numeric;
    now_risk := CASE WHEN how = 'undone' THEN was_risk
                     WHEN filled > 0 OR now_filled IS NULL OR now_filled > 0 THEN GREATEST(was_risk, (ended.was ->> 'now_risk')::numeric)
                     ELSE (ended.was ->> 'now_risk')::numeric END;
    executed_change := (now_risk - known.unit_risk) * executed_size(known, filled, known.taken_back);
    UPDATE reservations SET size = now_size, most = now_size, unit_risk = now_risk WHERE placement_id = ended.placement_id;
    UPDATE bot_risks
       SET executed = executed + executed_change,
           day_executed = day_executed + CASE WHEN day = known.day THEN executed_change ELSE 0 END
     WHERE bot_id = known.bot_id AND currency = known.currency AND executed_change <> 0;
    PERFORM reckon_order(ended.placement_id);
  END $$`;

const CHANGED_AT_THE_EXCHANGE = `      PERFORM change_terms(known, shown_size,
        CASE shown_risk WHEN asked_risk_of(the_row) THEN unit_risk_of(the_row) ELSE shown_risk END);
`;

/** A list that began before a change has arrived, or that may lag behind the answer to one, says nothing of size and price. */
const CHANGED_HERE_TOO = `      IF began > COALESCE(GREATEST(known.amend_until, known.terms_at + interval '30 seconds'), '-infinity') THEN
        PERFORM change_terms(known, shown_size,
          CASE shown_risk WHEN asked_risk_of(the_row) THEN unit_risk_of(the_row) ELSE shown_risk END);
        UPDATE reservations SET rests_at = ARRAY[shown_risk] WHERE placement_id = the_placement AND rests_at IS DISTINCT FROM ARRAY[shown_risk];
      END IF;
`;

/** The lines are those of the function that it replaces, but for what a change of size and price comes to. */
const proveOrder = (changed: string): string => `
  CREATE OR REPLACE FUNCTION prove_order(the_placement text, began timestamptz, shown_status text, shown_filled text, is_over boolean, is_gone boolean,
                              shown_trades jsonb, shown_size numeric DEFAULT NULL, shown_risk numeric DEFAULT NULL)
  RETURNS void LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    the_row placements;
    known reservations;
    now_stated numeric;
    is_back boolean;
  BEGIN
    SELECT * INTO the_row FROM placements WHERE id = the_placement AND bot_id IS NOT NULL FOR UPDATE;
    IF the_row.id IS NULL OR the_row.state NOT IN ('made', 'closed') AND the_row.attempt_at > began - interval '2 minutes' THEN RETURN; END IF;
    PERFORM FROM bot_sums WHERE bot_id = the_row.bot_id FOR UPDATE;
    SELECT * INTO known FROM reservations WHERE placement_id = the_placement;
    IF known.placement_id IS NULL THEN RETURN; END IF;
    now_stated := CASE WHEN is_gone THEN NULL
                       WHEN shown_filled IS NULL OR began < known.stated_at THEN known.stated
                       ELSE shown_filled::numeric END;
    IF NOT is_over AND shown_size > 0 AND known.most = known.size AND began >= COALESCE(known.stated_at, '-infinity') THEN
${changed}    END IF;
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
 * Orders that rest may be changed (contract.md 5.16). An earlier version knows nothing of that: it reads `prove_order` by the same name, so what is reserved
 * for a change is given back by its proofs as by ours.
 */
export class Amends1795300200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE);
    await runner.query(COLUMNS);
    for (const definition of [RESERVE_AMEND, BEGIN_AMEND, END_AMEND]) await runner.query(definition);
    await runner.query(proveOrder(CHANGED_HERE_TOO));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(proveOrder(CHANGED_AT_THE_EXCHANGE));
    await runner.query('DROP FUNCTION end_amend(text, text, text, text, text, numeric)');
    await runner.query(
      'DROP FUNCTION begin_amend(text, text, text, bigint, bigint, text, text, jsonb, jsonb, boolean, interval, interval)',
    );
    await runner.query('DROP FUNCTION reserve_amend(placements, jsonb, jsonb, boolean, boolean)');
    await runner.query('ALTER TABLE reservations DROP COLUMN rests_at, DROP COLUMN terms_at, DROP COLUMN amend_until');
    await runner.query('DROP TABLE order_amends');
  }
}
