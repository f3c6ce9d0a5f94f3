import type { MigrationInterface, QueryRunner } from 'typeorm';

const CLAIM_LAPSED = 'claim_lapsed';

/** The lines are those of the function that it replaces, but for the claim. */
const beginOrder = (claim: string, lapsed: string): string => `
  CREATE OR REPLACE FUNCTION begin_order_of_bot(sender text, key_prefix text, at_exchange text, stored bigint, active bigint, the_bot text,
    order_json jsonb, the_attempt integer, facts jsonb, is_again boolean, OUT refusal text, OUT broken jsonb, OUT may_begin boolean)
  LANGUAGE plpgsql VOLATILE AS $$
  DECLARE order_row placements := jsonb_populate_record(NULL::placements, order_json);
  BEGIN
    may_begin := false;
    PERFORM pg_advisory_xact_lock_shared(hashtextextended(sender, 2));
    IF the_attempt > 0 THEN
      PERFORM FROM placements WHERE id = order_row.id AND attempt = the_attempt AND unbound_at IS NULL AND abandoned_at IS NULL
                                AND state IN ('begun', 'sending')${claim} FOR UPDATE;
      IF NOT FOUND THEN${lapsed} RETURN; END IF;
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

/**
 * A call whose claim has lapsed reserves nothing: its sending does not begin (docs/order-lifecycle.md). That is a refusal, as an earlier version, which looks
 * at no claim, begins what is not refused.
 */
export class LapsedClaims1795300510000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(beginOrder(' AND busy_until > clock_timestamp()', ` refusal := '${CLAIM_LAPSED}';`));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(beginOrder('', ''));
  }
}
