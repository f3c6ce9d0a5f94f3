import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Transfers under an `Idempotency-Key`, with the columns of `idempotent_orders`: written before anything is sent, kept for 24 h.
 * `nonce` is the `client_transfer_id` of a record. The index tells to which call a transfer was answered (contract.md 5.8, R-14).
 */
export class Transfers1795200032000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE idempotent_transfers (
        user_id          text        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        exchange         text        NOT NULL,
        key              text        NOT NULL,
        fingerprint      bytea       NOT NULL,
        state            text        NOT NULL CHECK (state IN ('sending', 'unknown', 'done')),
        attempt          integer     NOT NULL DEFAULT 1,
        attempt_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
        answer           json,
        created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
        reference        jsonb,
        nonce            uuid        NOT NULL DEFAULT gen_random_uuid(),
        account          bytea,
        busy_until       timestamptz NOT NULL,
        first_sent_at    timestamptz,
        refusal_holds_at timestamptz,
        PRIMARY KEY (user_id, exchange, key),
        CHECK ((state = 'done') = (answer IS NOT NULL)),
        CHECK ((first_sent_at IS NULL) = (refusal_holds_at IS NULL))
      )`);
    await runner.query(`CREATE INDEX idempotent_transfers_attempt_at ON idempotent_transfers (attempt_at)`);
    await runner.query(`
      CREATE INDEX security_events_transfer_idx ON security_events (user_id, exchange, (details ->> 'transfer_id'))
       WHERE type = 'transfer_created'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX security_events_transfer_idx`);
    await runner.query(`DROP TABLE idempotent_transfers`);
  }
}
