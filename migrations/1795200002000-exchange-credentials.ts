import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sealed exchange credentials; `row_version` never repeats, so that an old ciphertext does not open in a new row (S-36, R-7). */
export class ExchangeCredentials1795200002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE SEQUENCE exchange_credentials_version`);
    await runner.query(`
      CREATE TABLE exchange_credentials (
        user_id     text        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        exchange    text        NOT NULL,
        row_version bigint      NOT NULL,
        key_id      text        NOT NULL,
        fields      jsonb       NOT NULL,
        created_at  timestamptz NOT NULL,
        updated_at  timestamptz NOT NULL,
        PRIMARY KEY (user_id, exchange)
      )`);
    await runner.query(`CREATE INDEX exchange_credentials_key ON exchange_credentials (key_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE exchange_credentials`);
    await runner.query(`DROP SEQUENCE exchange_credentials_version`);
  }
}
