import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Orders under an `Idempotency-Key`: written before anything is sent, kept for 24 h (contract.md 5, R-14). */
export class Idempotency1795200003000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE idempotent_orders (
        user_id     text        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        exchange    text        NOT NULL,
        key         text        NOT NULL,
        fingerprint bytea       NOT NULL,
        state       text        NOT NULL CHECK (state IN ('sending', 'unknown', 'done')),
        attempt     integer     NOT NULL DEFAULT 1,
        attempt_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
        answer      json,
        created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (user_id, exchange, key),
        CHECK ((state = 'done') = (answer IS NOT NULL))
      )`);
    await runner.query(`CREATE INDEX idempotent_orders_created_at ON idempotent_orders (created_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE idempotent_orders`);
  }
}
