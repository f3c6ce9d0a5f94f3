import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Mails of one topic within a minute become one, and what waits for an address is found without reading the rest (S-55). */
export class MailTopics1795200011000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE mail_outbox ADD COLUMN topic text, ADD COLUMN part_of text');
    await runner.query('CREATE INDEX mail_outbox_recipient_idx ON mail_outbox (recipient, kind, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX mail_outbox_recipient_idx');
    await runner.query('ALTER TABLE mail_outbox DROP COLUMN topic, DROP COLUMN part_of');
  }
}
