import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How a statement of another feature records what happened in the activity: by this name alone, with rows that the activity prepares (S-41). */
export class ActivityNotes1795200101000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION note_activity(events jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
      BEGIN
        INSERT INTO security_events (id, type, user_id, ip, user_agent, request_id, key_prefix, session_id, exchange, details)
        SELECT id, type, user_id, ip, user_agent, request_id, key_prefix, session_id, exchange, details
          FROM jsonb_to_recordset(events) AS event (id text, type text, user_id text, ip text, user_agent text,
            request_id text, key_prefix text, session_id text, exchange text, details jsonb);
        RETURN true;
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP FUNCTION note_activity(jsonb)`);
  }
}
