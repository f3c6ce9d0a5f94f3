import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What tells a key of `ENCRYPTION_KEYS` from another one under the same id; nothing leads back to the key (S-38). */
export class EncryptionKeys1795200021000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE encryption_keys (
        key_id      text        PRIMARY KEY,
        check_value bytea       NOT NULL CHECK (octet_length(check_value) = 32),
        created_at  timestamptz NOT NULL DEFAULT now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE encryption_keys`);
  }
}
