import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an exchange said of stored credentials, such as the scopes of a key: no secret, so not sealed (contract.md 4). */
export class CredentialFacts1795200031000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE exchange_credentials ADD COLUMN facts jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE exchange_credentials DROP COLUMN facts`);
  }
}
