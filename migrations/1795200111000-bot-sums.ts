import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the ledger keeps of the orders of bots (docs/order-lifecycle.md). A row of `reservations` is an order that could still be executed,
 * or of which not everything is proved; `bot_positions` and `bot_risks` are what these rows and the proved fills of earlier ones come to.
 * All of it changes under the lock of the bot's row of `bot_sums`, which is taken after that of the order's row; of several, in the order of
 * their ids.
 */
const TABLES = [
  `CREATE TABLE bot_sums (
     bot_id        text     PRIMARY KEY REFERENCES bots (id) ON DELETE CASCADE,
     open_orders   integer  NOT NULL DEFAULT 0,
     bucket        bigint   NOT NULL DEFAULT 0,
     attempts      integer[] NOT NULL DEFAULT '{}',
     refused_on    date,
     refused_today integer  NOT NULL DEFAULT 0
   ) WITH (fillfactor = 50)`,
  `CREATE TABLE bot_risks (
     bot_id       text    NOT NULL REFERENCES bots (id) ON DELETE CASCADE,
     currency     text    NOT NULL,
     open_risk    numeric NOT NULL DEFAULT 0,
     live_risk    numeric NOT NULL DEFAULT 0,
     executed     numeric NOT NULL DEFAULT 0,
     day          date    NOT NULL DEFAULT 'epoch',
     day_live     numeric NOT NULL DEFAULT 0,
     day_executed numeric NOT NULL DEFAULT 0,
     PRIMARY KEY (bot_id, currency)
   ) WITH (fillfactor = 50)`,
  `CREATE TABLE bot_positions (
     bot_id        text    NOT NULL REFERENCES bots (id) ON DELETE CASCADE,
     exchange      text    NOT NULL,
     market_id     text    NOT NULL,
     currency      text    NOT NULL,
     held          numeric NOT NULL DEFAULT 0,
     pending_long  numeric NOT NULL DEFAULT 0,
     pending_short numeric NOT NULL DEFAULT 0,
     live_long     numeric NOT NULL DEFAULT 0,
     live_short    numeric NOT NULL DEFAULT 0,
     traded_at     timestamptz,
     open_risk     numeric NOT NULL DEFAULT 0,
     live_risk     numeric NOT NULL DEFAULT 0,
     day           date    NOT NULL DEFAULT 'epoch',
     day_live      numeric NOT NULL DEFAULT 0,
     PRIMARY KEY (bot_id, exchange, market_id)
   ) WITH (fillfactor = 50)`,
  `CREATE TABLE reservations (
     placement_id text     PRIMARY KEY REFERENCES placements (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
     bot_id       text     NOT NULL REFERENCES bots (id) ON DELETE CASCADE,
     exchange     text     NOT NULL,
     market_id    text     NOT NULL,
     currency     text     NOT NULL,
     is_long      boolean  NOT NULL,
     unit_risk    numeric  NOT NULL CHECK (unit_risk >= 0),
     size         numeric  NOT NULL CHECK (size > 0),
     most         numeric  NOT NULL CHECK (most >= size),
     day          date     NOT NULL,
     fate         text     NOT NULL DEFAULT 'open' CHECK (fate IN ('open', 'cancelled', 'over')),
     ended_at     timestamptz,
     stated       numeric,
     stated_at    timestamptz,
     open         numeric  NOT NULL,
     unproved     numeric  NOT NULL DEFAULT 0,
     confirmed    numeric  NOT NULL DEFAULT 0,
     pending      numeric  NOT NULL DEFAULT 0,
     taken_back   numeric  NOT NULL DEFAULT 0,
     trades       jsonb    NOT NULL DEFAULT '{}',
     shown_at     timestamptz,
     missing_at   timestamptz,
     read_at      timestamptz NOT NULL DEFAULT clock_timestamp()
   ) WITH (fillfactor = 50)`,
  `CREATE INDEX reservations_market ON reservations (bot_id, exchange, market_id)`,
];

/**
 * The most that live orders of one direction can lose: what exceeds the position that they take back, the dearest contracts first, in
 * whatever order they fill. An order that spends a sum has as many contracts as the sum buys at most. `part`: `open` counts what could
 * still be executed; `live` also what ended with unproved fills; a date, as `live`, the orders of that day, where older ones take the cover
 * first.
 */
const UNCOVERED_RISK = `
  CREATE FUNCTION uncovered_risk(the_bot text, at_exchange text, of_market text, long boolean, cover numeric, part text, on_day date)
  RETURNS numeric LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN (
    WITH known AS (
      SELECT placement_id, unit_risk, size, most, confirmed + pending AS filled, day,
             CASE part WHEN 'open' THEN open ELSE open + unproved END AS left_size
        FROM reservations
       WHERE bot_id = the_bot AND exchange = at_exchange AND market_id = of_market AND is_long = long),
    live AS (
      SELECT placement_id, day, CASE WHEN most > size THEN unit_risk * size / most ELSE unit_risk END AS unit_risk,
             CASE WHEN most > size THEN GREATEST(0, most - filled) ELSE left_size END AS size
        FROM known WHERE left_size > 0),
    older AS (SELECT COALESCE(sum(size), 0) AS size FROM live WHERE on_day IS NOT NULL AND day < on_day),
    ranked AS (
      SELECT unit_risk, live.size, sum(live.size) OVER (ORDER BY unit_risk DESC, placement_id) - live.size AS before,
             sum(live.size) OVER () - GREATEST(cover - older.size, 0) AS excess
        FROM live, older WHERE on_day IS NULL OR day >= on_day)
    SELECT COALESCE(sum(unit_risk * LEAST(size, GREATEST(excess - before, 0))), 0) FROM ranked);
  END $$`;

/** The day that limits of a day count, by this clock. */
const TODAY = `
  CREATE FUNCTION limit_day() RETURNS date LANGUAGE sql VOLATILE AS $$ SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date $$`;

/**
 * Brings the sums of a bot up to date after a change of its reservations, or of what it holds, of one market. What ended with unproved
 * fills may have used up what is there to be taken back.
 */
const RECKON_MARKET = `
  CREATE FUNCTION reckon_market(the_bot text, at_exchange text, of_market text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    was bot_positions;
    today date := limit_day();
    cover_long numeric;
    cover_short numeric;
    known record;
    now_open numeric;
    now_live numeric;
    now_day numeric;
  BEGIN
    SELECT * INTO STRICT was FROM bot_positions WHERE bot_id = the_bot AND exchange = at_exchange AND market_id = of_market;
    cover_long := GREATEST(0, - was.held - was.pending_long);
    cover_short := GREATEST(0, was.held - was.pending_short);
    SELECT COALESCE(sum(unproved) FILTER (WHERE is_long), 0) AS ended_long, COALESCE(sum(unproved) FILTER (WHERE NOT is_long), 0) AS ended_short,
           COALESCE(sum(GREATEST(0, most - confirmed - pending)) FILTER (WHERE is_long AND open + unproved > 0), 0) AS live_long,
           COALESCE(sum(GREATEST(0, most - confirmed - pending)) FILTER (WHERE NOT is_long AND open + unproved > 0), 0) AS live_short,
           count(*) AS orders, COALESCE(bool_or(day <> today), false) AS has_other_days
      INTO known
      FROM reservations WHERE bot_id = the_bot AND exchange = at_exchange AND market_id = of_market;
    now_open := CASE known.orders WHEN 0 THEN 0 ELSE
        uncovered_risk(the_bot, at_exchange, of_market, true, GREATEST(0, cover_long - known.ended_long), 'open', NULL)
      + uncovered_risk(the_bot, at_exchange, of_market, false, GREATEST(0, cover_short - known.ended_short), 'open', NULL) END;
    -- Without unproved fills all that is live is open, and of one day all of it counts for that.
    now_live := CASE WHEN known.ended_long + known.ended_short = 0 THEN now_open ELSE
        uncovered_risk(the_bot, at_exchange, of_market, true, cover_long, 'live', NULL)
      + uncovered_risk(the_bot, at_exchange, of_market, false, cover_short, 'live', NULL) END;
    now_day := CASE WHEN NOT known.has_other_days THEN now_live ELSE
        uncovered_risk(the_bot, at_exchange, of_market, true, cover_long, 'live', today)
      + uncovered_risk(the_bot, at_exchange, of_market, false, cover_short, 'live', today) END;
    UPDATE bot_positions
       SET open_risk = now_open, live_risk = now_live, day = today, day_live = now_day,
           live_long = known.live_long, live_short = known.live_short
     WHERE bot_id = the_bot AND exchange = at_exchange AND market_id = of_market;
    UPDATE bot_risks
       SET open_risk = open_risk + now_open - was.open_risk, live_risk = live_risk + now_live - was.live_risk, day = today,
           day_live = CASE day WHEN today THEN day_live ELSE 0 END + now_day - CASE was.day WHEN today THEN was.day_live ELSE 0 END,
           day_executed = CASE day WHEN today THEN day_executed ELSE 0 END
     WHERE bot_id = the_bot AND currency = was.currency;
  END $$`;

/** How much of what has filled was risk, in contracts of the order: not what took back. A sum that was spent risks no more than itself. */
const EXECUTED_SIZE = `
  CREATE FUNCTION executed_size(order_row reservations, filled numeric, taken numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN filled = 0 THEN 0
                WHEN order_row.most > order_row.size THEN LEAST(filled, order_row.size) * (filled - taken) / filled
                ELSE filled - taken END
  $$`;

/**
 * Sets what is known of one order of a bot: how much could still be executed, how much of what ended has no proof, how much has filled for
 * good, and how much has filled and may fail. Totals, never additions: the same proof seen twice changes nothing the second time. What
 * fills takes back what the bot holds as far as that goes; only the rest is executed risk. A row with nothing left to prove goes, once the
 * ledger has an end of the order too. For a caller that holds the lock of the sums.
 */
const SET_RESERVATION = `
  CREATE FUNCTION set_reservation(the_placement text, now_open numeric, now_unproved numeric, now_confirmed numeric, now_pending numeric)
  RETURNS void LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    the_bot text;
    was reservations;
    at_market bot_positions;
    filled numeric;
    now_filled numeric;
    now_taken numeric;
    executed_change numeric;
  BEGIN
    SELECT * INTO STRICT was FROM reservations WHERE placement_id = the_placement;
    the_bot := was.bot_id;
    SELECT * INTO STRICT at_market FROM bot_positions
     WHERE bot_id = the_bot AND exchange = was.exchange AND market_id = was.market_id;
    filled := was.confirmed + was.pending;
    now_filled := now_confirmed + now_pending;
    IF now_filled >= filled THEN
      now_taken := was.taken_back + LEAST(now_filled - filled, GREATEST(0,
        CASE WHEN was.is_long THEN - at_market.held - at_market.pending_long ELSE at_market.held - at_market.pending_short END));
    ELSE
      now_taken := LEAST(was.taken_back, now_filled);
    END IF;
    executed_change := was.unit_risk * (executed_size(was, now_filled, now_taken) - executed_size(was, filled, was.taken_back));
    UPDATE reservations SET open = now_open, unproved = now_unproved, confirmed = now_confirmed, pending = now_pending, taken_back = now_taken
     WHERE placement_id = the_placement;
    DELETE FROM reservations
     WHERE placement_id = the_placement AND fate = 'over' AND now_open + now_unproved + now_pending = 0
       AND NOT EXISTS (SELECT FROM placements WHERE id = the_placement AND state IN ('sending', 'unknown') AND first_sent_at IS NOT NULL);
    UPDATE bot_sums SET open_orders = open_orders + (now_open > 0)::int - (was.open > 0)::int
     WHERE bot_id = the_bot AND (now_open > 0) <> (was.open > 0);
    UPDATE bot_positions
       SET held = held + CASE WHEN was.is_long THEN 1 ELSE -1 END * (now_confirmed - was.confirmed),
           pending_long = pending_long + CASE WHEN was.is_long THEN now_pending - was.pending ELSE 0 END,
           pending_short = pending_short + CASE WHEN was.is_long THEN 0 ELSE now_pending - was.pending END,
           traded_at = CASE WHEN now_filled > filled THEN clock_timestamp() ELSE traded_at END
     WHERE bot_id = the_bot AND exchange = was.exchange AND market_id = was.market_id;
    UPDATE bot_risks
       SET executed = executed + executed_change,
           day_executed = day_executed + CASE WHEN day = was.day THEN executed_change ELSE 0 END
     WHERE bot_id = the_bot AND currency = was.currency;
    PERFORM reckon_market(the_bot, was.exchange, was.market_id);
  END $$`;

/** How much of the trades of an order has this status. */
const TRADES_SIZE = `
  CREATE FUNCTION trades_size(trades jsonb, of_status text) RETURNS numeric LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN (
    SELECT COALESCE(sum((trade ->> 'size')::numeric), 0) FROM jsonb_each(trades) AS known (id, trade) WHERE trade ->> 'status' = of_status);
  END $$`;

/**
 * Brings a reservation up to what is known of its order: its trades by their ids, what the exchange has stated last, and its fate. What is
 * stated beside the trades has filled too, and may fail. An order that spends a sum may spend all of it until it is over. For a caller that
 * holds the lock of the sums.
 */
const RECKON_ORDER = `
  CREATE FUNCTION reckon_order(the_placement text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    known reservations;
    for_good numeric;
    filled numeric;
    rest numeric;
  BEGIN
    SELECT * INTO STRICT known FROM reservations WHERE placement_id = the_placement;
    for_good := trades_size(known.trades, 'confirmed');
    filled := GREATEST(for_good + trades_size(known.trades, 'pending'), COALESCE(known.stated, 0) - trades_size(known.trades, 'failed'));
    rest := CASE WHEN known.most > known.size THEN known.size ELSE GREATEST(0, known.size - filled) END;
    PERFORM set_reservation(the_placement, CASE known.fate WHEN 'open' THEN rest ELSE 0 END,
                            CASE known.fate WHEN 'cancelled' THEN rest ELSE 0 END, for_good, filled - for_good);
  END $$`;

/**
 * What the ledger says of an order of a bot, as its reservation. Refused, and never sent: nothing could be executed. Made: it could.
 * Closed by our cancel, where nobody said how much had filled: nothing can be executed any more, and the rest has no proof. What was refused
 * and lives all the same is reserved again. Of rows that turn out to be the same order the first to be made counts, and the others reserve
 * nothing of their own; but where that one is over and proved, what was sent once more may live, or have filled further, and is reserved.
 */
const FOLLOW_PLACEMENT = `
  CREATE FUNCTION follow_placement() RETURNS trigger LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    has_come boolean := OLD.state IN ('sending', 'unknown', 'refused') AND NEW.state IN ('made', 'closed');
    known reservations;
    is_new boolean := false;
  BEGIN
    PERFORM FROM bot_sums WHERE bot_id = NEW.bot_id FOR UPDATE;
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

const FOLLOWS = `
  CREATE TRIGGER placements_of_bots_follow AFTER UPDATE ON placements FOR EACH ROW
    WHEN (NEW.bot_id IS NOT NULL AND NEW.kind = 'order' AND NEW.state NOT IN ('begun', 'sending')
      AND (OLD.state IS DISTINCT FROM NEW.state OR OLD.filled_size IS DISTINCT FROM NEW.filled_size
        OR OLD.status IS DISTINCT FROM NEW.status OR (OLD.first_sent_at IS NULL) <> (NEW.first_sent_at IS NULL)))
    EXECUTE FUNCTION follow_placement()`;

const FUNCTIONS = [
  UNCOVERED_RISK,
  TODAY,
  RECKON_MARKET,
  EXECUTED_SIZE,
  SET_RESERVATION,
  TRADES_SIZE,
  RECKON_ORDER,
  FOLLOW_PLACEMENT,
  FOLLOWS,
];

/**
 * Risk of bots is reserved, kept and given back in the database, under the lock of the bot's row of `bot_sums`: what is looked at there is
 * never older than that (contract.md 5.12). What changes a row of the ledger changes its reservation in the same statement, by a trigger,
 * so that no path can forget it; the rows of an earlier version have no bot.
 */
export class BotSums1795200111000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(table);
    for (const definition of FUNCTIONS) await runner.query(definition);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER placements_of_bots_follow ON placements');
    await runner.query('DROP FUNCTION follow_placement()');
    await runner.query('DROP FUNCTION reckon_order(text)');
    await runner.query('DROP FUNCTION trades_size(jsonb, text)');
    await runner.query('DROP FUNCTION set_reservation(text, numeric, numeric, numeric, numeric)');
    await runner.query('DROP FUNCTION executed_size(reservations, numeric, numeric)');
    await runner.query('DROP FUNCTION reckon_market(text, text, text)');
    await runner.query('DROP FUNCTION limit_day()');
    await runner.query('DROP FUNCTION uncovered_risk(text, text, text, boolean, numeric, text, date)');
    await runner.query('DROP TABLE reservations');
    await runner.query('DROP TABLE bot_positions');
    await runner.query('DROP TABLE bot_risks');
    await runner.query('DROP TABLE bot_sums');
  }
}
