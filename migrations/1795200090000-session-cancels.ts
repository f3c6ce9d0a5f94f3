import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which session did what is noted, where an API key may do the same: a cancel (contract.md 4). */
export class SessionCancels1795200090000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE security_events ADD COLUMN session_id text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE security_events DROP COLUMN session_id`);
  }
}
