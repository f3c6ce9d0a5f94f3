import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An event is a sign-up of somebody of whom nothing else is known: no account, and nothing that only an account can do. */
const NOBODYS = `type = 'signup' AND NOT EXISTS (SELECT FROM users WHERE users.id = event.user_id)
  AND NOT EXISTS (SELECT FROM security_events other
                   WHERE other.user_id = event.user_id AND other.type NOT IN ('signup', 'password_reset_requested'))`;

const KEEP = `
  CREATE OR REPLACE FUNCTION keep_security_events() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' AND OLD.created_at < now() - interval '400 days' THEN
      RETURN OLD;
    END IF;`;
const REFUSE = `
    RAISE EXCEPTION 'security_events is append-only' USING ERRCODE = 'restrict_violation';
  END $$`;

/**
 * Sign-ups whose address nobody proves, which strangers make at any pace, are forgotten after a month (S-41). Their ids stand in a table
 * of their own, so that nothing scans the events for them. The trigger lets go of such an event after 30 days, and of nothing else that it
 * kept before. `remove_unproved_signups` runs with the rights of its owner, for a service that may not delete events. What an earlier
 * version notes meanwhile, and what was noted before, stays 401 days; that version deletes nothing that it did not delete before.
 */
export class UnprovedSignUps1795200072000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE unproved_signups (
        user_id    text        PRIMARY KEY,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX unproved_signups_created_at_idx ON unproved_signups (created_at)`);
    await runner.query(`${KEEP}
    IF TG_OP = 'DELETE' AND OLD.created_at < now() - interval '30 days' THEN
      IF EXISTS (SELECT FROM (SELECT OLD.type, OLD.user_id) AS event WHERE ${NOBODYS}) THEN
        RETURN OLD;
      END IF;
    END IF;${REFUSE}`);
    await runner.query(`
      CREATE FUNCTION remove_unproved_signups(most integer) RETURNS integer
      LANGUAGE plpgsql VOLATILE SECURITY DEFINER AS $$
      DECLARE
        lapsed text[];
      BEGIN
        SELECT array_agg(user_id) INTO lapsed FROM (
          SELECT user_id FROM unproved_signups WHERE created_at < now() - interval '31 days'
           ORDER BY created_at LIMIT LEAST(COALESCE(most, 0), 10000) FOR UPDATE SKIP LOCKED) AS due;
        DELETE FROM security_events AS event WHERE user_id = ANY(lapsed) AND ${NOBODYS};
        DELETE FROM unproved_signups WHERE user_id = ANY(lapsed);
        RETURN COALESCE(cardinality(lapsed), 0);
      END $$`);
    // What runs with the rights of its owner must find no table of its caller's in the place of ours.
    await runner.query(`
      DO $$ BEGIN
        EXECUTE format('ALTER FUNCTION remove_unproved_signups(integer) SET search_path = %I, pg_temp', current_schema());
      END $$`);
    await runner.query(`REVOKE EXECUTE ON FUNCTION remove_unproved_signups(integer) FROM PUBLIC`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP FUNCTION remove_unproved_signups(integer)`);
    await runner.query(`${KEEP}${REFUSE}`);
    await runner.query(`DROP TABLE unproved_signups`);
  }
}
