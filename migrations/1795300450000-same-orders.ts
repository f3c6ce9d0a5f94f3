import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The trades by which an order was proved, by their ids: what of it is counted, though nothing of it is reserved any more. */
const COLUMN = 'ALTER TABLE placements ADD COLUMN proved_trades jsonb';

const KEEP_PROVED_TRADES = `
  CREATE FUNCTION keep_proved_trades() RETURNS trigger LANGUAGE plpgsql VOLATILE AS $$
  BEGIN
    UPDATE placements SET proved_trades = OLD.trades WHERE id = OLD.placement_id;
    RETURN NULL;
  END $$`;

/** The row of the ledger is locked by whoever takes its reservation away. */
const KEEPS = `
  CREATE TRIGGER reservations_leave AFTER DELETE ON reservations FOR EACH ROW
    WHEN (OLD.fate = 'over' AND OLD.open + OLD.unproved + OLD.pending = 0 AND OLD.trades <> '{}')
    EXECUTE FUNCTION keep_proved_trades()`;

/**
 * Whether the order of the exchange that a row of a bot names counts by another row. Of several rows of the bot the first counts that is known to
 * have made it, else the first of which something was proved; of several senders the one that is known to have made it, or, where this row was refused,
 * has sent it before, unless another row of this bot is known to have made it, whose proofs this one may count. For a caller that holds the lock of the sums.
 */
const IS_COUNTED_ELSEWHERE = `
  CREATE FUNCTION is_counted_elsewhere(order_row placements) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$ BEGIN RETURN EXISTS (
    SELECT FROM placements AS other LEFT JOIN reservations AS known ON known.placement_id = other.id
     WHERE other.exchange_id = order_row.exchange_id AND other.user_id = order_row.user_id AND other.exchange = order_row.exchange
       AND other.kind = 'order' AND other.id <> order_row.id AND other.first_sent_at IS NOT NULL
       AND CASE
         WHEN other.bot_id = order_row.bot_id AND other.state IN ('made', 'closed') THEN known.placement_id IS NOT NULL
           OR other.state = 'closed' AND order_row.state = 'closed' AND order_row.filled_size::numeric <= other.filled_size::numeric
             AND NOT EXISTS (SELECT FROM placements AS proved
               WHERE proved.exchange_id = order_row.exchange_id AND proved.user_id = order_row.user_id AND proved.exchange = order_row.exchange
                 AND proved.bot_id = order_row.bot_id AND proved.proved_trades IS NOT NULL)
         WHEN order_row.state IN ('made', 'closed') THEN false
         WHEN other.bot_id = order_row.bot_id THEN known.stated IS NOT NULL OR known.trades <> '{}'
         ELSE (other.state IN ('made', 'closed') OR order_row.state = 'refused' AND other.state IN ('sending', 'unknown')
             AND (other.first_sent_at, other.id) < (order_row.first_sent_at, order_row.id))
           AND NOT EXISTS (SELECT FROM placements AS own
             WHERE own.exchange_id = order_row.exchange_id AND own.user_id = order_row.user_id AND own.exchange = order_row.exchange
               AND own.bot_id = order_row.bot_id AND own.id <> order_row.id AND own.state IN ('made', 'closed')) END);
  END $$`;

/**
 * Has the row of an order count what rows of its bot that name the same order have counted: what is proved of one of unknown fate, which is then as
 * unproved as when it was sent, and the trades of what is over. What is counted stays the same. For a caller that holds the lock of the sums, and brings the order
 * up to date after that.
 */
const TAKE_OVER_PROOFS = `
  CREATE FUNCTION take_over_proofs(order_row placements) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    theirs reservations;
    proved jsonb;
  BEGIN
    SELECT known.* INTO theirs
      FROM placements AS other JOIN reservations AS known ON known.placement_id = other.id
     WHERE other.exchange_id = order_row.exchange_id AND other.user_id = order_row.user_id AND other.exchange = order_row.exchange
       AND other.bot_id = order_row.bot_id AND other.id <> order_row.id AND other.state NOT IN ('made', 'closed')
       AND (known.stated IS NOT NULL OR known.trades <> '{}')
     ORDER BY other.id LIMIT 1;
    UPDATE reservations
       SET unit_risk = theirs.unit_risk, size = theirs.size, most = theirs.most, day = theirs.day, stated = theirs.stated, stated_at = theirs.stated_at,
           confirmed = theirs.confirmed, pending = theirs.pending, taken_back = theirs.taken_back, trades = theirs.trades
     WHERE placement_id = order_row.id AND theirs.placement_id IS NOT NULL AND confirmed + pending = 0;
    IF FOUND THEN
      -- Changed twice, its row of the ledger would be locked at the end, behind the sums: whoever proves that has locked it, and waits for the sums.
      UPDATE reservations
         SET stated = NULL, confirmed = 0, pending = 0, taken_back = 0, trades = '{}',
             open = CASE fate WHEN 'open' THEN size ELSE 0 END, unproved = CASE fate WHEN 'cancelled' THEN size ELSE 0 END
       WHERE placement_id = theirs.placement_id;
      UPDATE bot_sums SET open_orders = open_orders + 1 WHERE bot_id = theirs.bot_id AND theirs.fate = 'open' AND theirs.open = 0;
    END IF;
    SELECT COALESCE(jsonb_object_agg(proof.id, proof.trade), '{}') INTO proved
      FROM placements AS other CROSS JOIN jsonb_each(other.proved_trades) AS proof (id, trade)
     WHERE other.exchange_id = order_row.exchange_id AND other.user_id = order_row.user_id AND other.exchange = order_row.exchange
       AND other.bot_id = order_row.bot_id
       AND NOT EXISTS (SELECT FROM reservations AS own WHERE own.placement_id = order_row.id AND own.trades ? proof.id);
    UPDATE reservations SET trades = proved || trades, confirmed = confirmed + trades_size(proved, 'confirmed')
     WHERE placement_id = order_row.id AND proved <> '{}';
  END $$`;

const COUNTED_BY_WHAT_IS_MADE = `    IF has_come AND EXISTS (
      SELECT FROM placements AS other
       WHERE other.exchange_id = NEW.exchange_id AND other.user_id = NEW.user_id AND other.exchange = NEW.exchange AND other.kind = 'order'
         AND other.id <> NEW.id AND other.bot_id = NEW.bot_id AND other.first_sent_at IS NOT NULL
         AND (other.state = 'made'
           OR other.state = 'closed' AND (EXISTS (SELECT FROM reservations WHERE placement_id = other.id)
             OR NEW.state = 'closed' AND NEW.filled_size::numeric <= other.filled_size::numeric))) THEN
      UPDATE reservations SET fate = 'over', trades = '{}', stated = NULL WHERE placement_id = NEW.id;
    ELSIF NEW.state = 'refused' OR NEW.first_sent_at IS NULL THEN
      UPDATE reservations SET fate = 'over', stated = NULL WHERE placement_id = NEW.id;
`;

const COUNTED_ONCE = `    is_one_of_several := (has_come OR NEW.state = 'refused') AND (NEW.proved_trades IS NOT NULL OR EXISTS (
      SELECT FROM placements AS other
       WHERE other.exchange_id = NEW.exchange_id AND other.user_id = NEW.user_id AND other.exchange = NEW.exchange AND other.id <> NEW.id));
    IF has_come AND is_one_of_several AND is_counted_elsewhere(NEW) THEN
      UPDATE reservations SET fate = 'over', trades = '{}', stated = NULL WHERE placement_id = NEW.id;
    ELSIF NEW.state = 'refused' OR NEW.first_sent_at IS NULL THEN
      UPDATE reservations SET fate = 'over', stated = NULL, trades = CASE WHEN is_one_of_several AND is_counted_elsewhere(NEW) THEN '{}' ELSE trades END
       WHERE placement_id = NEW.id;
`;

const AS_BEFORE = { declared: '', counted: COUNTED_BY_WHAT_IS_MADE, taken: '' };

const ONCE: typeof AS_BEFORE = {
  declared: '    is_one_of_several boolean;\n',
  counted: COUNTED_ONCE,
  taken: '      IF has_come AND is_one_of_several THEN PERFORM take_over_proofs(NEW); END IF;\n',
};

/** The lines are those of the function that it replaces, but for what other rows of the same order come to. */
const followPlacement = ({ declared, counted, taken }: typeof AS_BEFORE): string => `
  CREATE OR REPLACE FUNCTION follow_placement() RETURNS trigger LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    has_come boolean := OLD.state IN ('sending', 'unknown', 'refused') AND NEW.state IN ('made', 'closed');
    known reservations;
    is_new boolean := false;
${declared}  BEGIN
    IF has_come THEN PERFORM pg_advisory_xact_lock(hashtextextended(NEW.user_id || ' ' || NEW.exchange_id, 5)); END IF;
    IF OLD.state = 'sending' AND NEW.state = 'made' AND OLD.filled_size IS NULL AND NEW.filled_size::numeric = 0 THEN
      UPDATE reservations SET shown_at = clock_timestamp(), missing_at = NULL, stated = 0, stated_at = clock_timestamp()
       WHERE placement_id = NEW.id AND fate = 'open' AND ended_at IS NULL AND stated IS NULL AND trades = '{}'
         AND open = size AND unproved = 0 AND confirmed = 0 AND pending = 0
         AND NOT EXISTS (SELECT FROM placements AS other
           WHERE other.exchange_id = NEW.exchange_id AND other.user_id = NEW.user_id AND other.exchange = NEW.exchange AND other.id <> NEW.id);
      IF FOUND THEN RETURN NULL; END IF;
    END IF;
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
${counted}    ELSE
${taken}      UPDATE reservations
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

/** That was made, or proved, under another row: this one reserves nothing of it. */
const COUNTED_BY_ANOTHER = `    IF the_row.state NOT IN ('made', 'closed') THEN
      IF is_counted_elsewhere(the_row) THEN
        UPDATE reservations SET fate = 'over', ended_at = COALESCE(ended_at, began), trades = '{}', stated = NULL WHERE placement_id = the_placement;
        PERFORM reckon_order(the_placement);
        RETURN;
      END IF;
      PERFORM take_over_proofs(the_row);
      SELECT * INTO known FROM reservations WHERE placement_id = the_placement;
    END IF;
`;

const PROVED = "(trades - 'by hand')";

/** What shows nothing proves nothing else than was stated by hand. */
const PROVED_OR_BY_HAND = "CASE WHEN is_gone AND shown_trades = '{}' THEN trades ELSE trades - 'by hand' END";

/** The lines are those of the function that it replaces, but for an order of unknown fate that other rows name too, and what was settled by hand. */
const proveOrder = (others: string, kept: string): string => `
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
${others}    now_stated := CASE WHEN is_gone THEN NULL
                       WHEN shown_filled IS NULL OR began < known.stated_at THEN known.stated
                       ELSE shown_filled::numeric END;
    IF NOT is_over AND shown_size > 0 AND known.most = known.size AND began >= COALESCE(known.stated_at, '-infinity') THEN
      IF began > COALESCE(GREATEST(known.amend_until, known.terms_at + interval '30 seconds'), '-infinity') THEN
        PERFORM change_terms(known, shown_size,
          CASE shown_risk WHEN asked_risk_of(the_row) THEN unit_risk_of(the_row) ELSE shown_risk END);
        UPDATE reservations SET rests_at = ARRAY[shown_risk] WHERE placement_id = the_placement AND rests_at IS DISTINCT FROM ARRAY[shown_risk];
      END IF;
    END IF;
    is_back := NOT is_over AND shown_filled IS NOT NULL AND known.fate = 'cancelled' AND began > known.ended_at;
    UPDATE reservations
       SET trades = ${kept} || (
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
 * However often a bot sends one signed order, and however its answers are lost: its fills count once (contract.md 5.12). An earlier version knows nothing
 * of `proved_trades`, which the database keeps by itself, and calls the same functions by the same names.
 */
export class SameOrders1795300450000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const definition of [COLUMN, KEEP_PROVED_TRADES, KEEPS, IS_COUNTED_ELSEWHERE, TAKE_OVER_PROOFS])
      await runner.query(definition);
    await runner.query(followPlacement(ONCE));
    await runner.query(proveOrder(COUNTED_BY_ANOTHER, PROVED_OR_BY_HAND));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(proveOrder('', PROVED));
    await runner.query(followPlacement(AS_BEFORE));
    await runner.query('DROP FUNCTION take_over_proofs(placements)');
    await runner.query('DROP FUNCTION is_counted_elsewhere(placements)');
    await runner.query('DROP TRIGGER reservations_leave ON reservations');
    await runner.query('DROP FUNCTION keep_proved_trades()');
    await runner.query('ALTER TABLE placements DROP COLUMN proved_trades');
  }
}
