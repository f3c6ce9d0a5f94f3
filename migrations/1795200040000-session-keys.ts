import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sealed session keys, at most one that waits and one that signs for a user and exchange. Their row versions come from the
 * sequence of `exchange_credentials`, so that no ciphertext of either table opens in the other (S-36).
 */
export class SessionKeys1795200040000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE session_keys (
        user_id        text        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        exchange       text        NOT NULL,
        state          text        NOT NULL CHECK (state IN ('pending', 'active')),
        row_version    bigint      NOT NULL,
        key_id         text        NOT NULL,
        fields         jsonb       NOT NULL,
        address        text        NOT NULL,
        wallet_address text        NOT NULL,
        valid_until    timestamptz,
        created_at     timestamptz NOT NULL,
        activated_at   timestamptz,
        refused_at     timestamptz,
        reminded_days  smallint,
        facts          jsonb,
        PRIMARY KEY (user_id, exchange, state),
        CHECK ((state = 'active') = (activated_at IS NOT NULL))
      )`);
    await runner.query(`CREATE INDEX session_keys_key ON session_keys (key_id)`);
    await runner.query(`CREATE INDEX session_keys_valid_until ON session_keys (valid_until) WHERE state = 'active'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE session_keys`);
  }
}
