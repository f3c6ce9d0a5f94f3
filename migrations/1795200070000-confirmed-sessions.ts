import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the person of a session last proved anew who they are (S-59); null where never since the sign-in. */
export class ConfirmedSessions1795200070000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sessions ADD COLUMN confirmed_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sessions DROP COLUMN confirmed_at`);
  }
}
