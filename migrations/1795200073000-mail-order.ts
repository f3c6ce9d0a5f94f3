import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Mails to people with an account leave before those that strangers cause (S-55). Mails of an older version leave with the latter. */
export class MailOrder1795200073000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE mail_outbox ADD COLUMN goes_first boolean NOT NULL DEFAULT false');
    await runner.query(
      'CREATE INDEX mail_outbox_order_idx ON mail_outbox (goes_first, next_attempt_at) WHERE done_at IS NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX mail_outbox_order_idx');
    await runner.query('ALTER TABLE mail_outbox DROP COLUMN goes_first');
  }
}
