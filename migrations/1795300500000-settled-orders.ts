import type { MigrationInterface, QueryRunner } from 'typeorm';

const PROVED = `
    SELECT COALESCE(jsonb_object_agg(proof.id, proof.trade), '{}') INTO proved
      FROM placements AS other CROSS JOIN jsonb_each(other.proved_trades) AS proof (id, trade)
     WHERE other.exchange_id = order_row.exchange_id AND other.user_id = order_row.user_id AND other.exchange = order_row.exchange
       AND other.bot_id = order_row.bot_id
       AND NOT EXISTS (SELECT FROM reservations AS own WHERE own.placement_id = order_row.id AND own.trades ? proof.id);
`;

/**
 * What was settled by hand has no id by which it would be known again, and a proof takes its place: a row whose trades were taken over has nothing more to
 * give. Which those are is kept beside the trades, as what has no size.
 */
const PROVED_AND_NOT_TAKEN = `
    SELECT COALESCE(jsonb_object_agg(proof.id, proof.trade), '{}') INTO proved
      FROM placements AS other
     CROSS JOIN jsonb_each(other.proved_trades || jsonb_build_object('taken ' || other.id, jsonb_build_object('size', '0', 'status', 'taken'))) AS proof (id, trade)
     WHERE other.exchange_id = order_row.exchange_id AND other.user_id = order_row.user_id AND other.exchange = order_row.exchange
       AND other.bot_id = order_row.bot_id
       AND NOT EXISTS (
         SELECT FROM placements AS taker LEFT JOIN reservations AS known ON known.placement_id = taker.id
          WHERE taker.exchange_id = order_row.exchange_id AND taker.user_id = order_row.user_id AND taker.exchange = order_row.exchange
            AND taker.bot_id = order_row.bot_id AND COALESCE(known.trades, taker.proved_trades) ? ('taken ' || other.id))
       AND NOT EXISTS (SELECT FROM reservations AS own WHERE own.placement_id = order_row.id AND own.trades ? proof.id);
`;

/** The lines are those of the function that it replaces, but for what it takes of rows that are over. */
const takeOverProofs = (proved: string): string => `
  CREATE OR REPLACE FUNCTION take_over_proofs(order_row placements) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
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
${proved.slice(1)}    UPDATE reservations SET trades = proved || trades, confirmed = confirmed + trades_size(proved, 'confirmed')
     WHERE placement_id = order_row.id AND proved <> '{}';
  END $$`;

/** What a row has taken over of itself it gives again. */
const keepProvedTrades = (kept: string): string => `
  CREATE OR REPLACE FUNCTION keep_proved_trades() RETURNS trigger LANGUAGE plpgsql VOLATILE AS $$
  BEGIN
    UPDATE placements SET proved_trades = ${kept} WHERE id = OLD.placement_id;
    RETURN NULL;
  END $$`;

const ALL_BY_HAND = `
           trades = jsonb_build_object('by hand', jsonb_build_object('size', COALESCE(filled, confirmed + pending), 'status', 'confirmed'))`;

/** What is proved stays, so that it is known again, and what fills the rest is by hand. */
const THE_REST_BY_HAND = `
           trades = (SELECT COALESCE(jsonb_object_agg(id, trade), '{}') FROM jsonb_each(trades - 'by hand') AS known (id, trade)
                      WHERE trade ->> 'status' <> 'pending')
             || jsonb_build_object('by hand', jsonb_build_object(
                  'size', COALESCE(filled, confirmed + pending) - trades_size(trades - 'by hand', 'confirmed'), 'status', 'confirmed'))`;

/** The lines are those of the function that it replaces, but for the trades. */
const settleByHand = (trades: string): string => `
  CREATE OR REPLACE FUNCTION settle_by_hand(the_placement text, filled numeric) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
  DECLARE the_bot text;
  BEGIN
    SELECT bot_id INTO the_bot FROM placements
     WHERE id = the_placement AND bot_id IS NOT NULL AND attempt_at < clock_timestamp() - interval '24 hours'
       AND NOT (state = 'sending' AND busy_until > clock_timestamp()) FOR UPDATE;
    IF the_bot IS NULL THEN RETURN false; END IF;
    PERFORM FROM bot_sums WHERE bot_id = the_bot FOR UPDATE;
    UPDATE reservations
       SET fate = 'over', ended_at = COALESCE(ended_at, clock_timestamp()), stated = NULL,${trades}
     WHERE placement_id = the_placement;
    IF NOT FOUND THEN RETURN false; END IF;
    PERFORM reckon_order(the_placement);
    UPDATE placements SET state = 'closed', updated_at = clock_timestamp() WHERE id = the_placement AND state = 'made';
    RETURN true;
  END $$`;

/**
 * What of an order was settled by hand counts once, however many rows of it take that over (contract.md 5.12). Rows that were taken over before say
 * nothing of it. An earlier version calls the same functions by the same names.
 */
export class SettledOrders1795300500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(keepProvedTrades(`OLD.trades - ('taken ' || OLD.placement_id)`));
    await runner.query(takeOverProofs(PROVED_AND_NOT_TAKEN));
    await runner.query(settleByHand(THE_REST_BY_HAND));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(settleByHand(ALL_BY_HAND));
    await runner.query(takeOverProofs(PROVED));
    await runner.query(keepProvedTrades('OLD.trades'));
  }
}
