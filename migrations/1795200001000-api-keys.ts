import type { MigrationInterface, QueryRunner } from 'typeorm';

/** API keys, by the SHA-256 of each; revoked ones stay for 90 days (contract.md 4, S-29, R-7). */
export class ApiKeys1795200001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE api_keys (
        hash         bytea       PRIMARY KEY CHECK (octet_length(hash) = 32),
        prefix       text        NOT NULL,
        user_id      text        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        name         text        NOT NULL,
        scopes       text[]      NOT NULL CHECK (cardinality(scopes) > 0),
        created_at   timestamptz NOT NULL,
        last_used_at timestamptz,
        revoked_at   timestamptz
      )`);
    await runner.query(`CREATE UNIQUE INDEX api_keys_one_live_per_user ON api_keys (user_id) WHERE revoked_at IS NULL`);
    await runner.query(`CREATE INDEX api_keys_revoked ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE api_keys`);
  }
}
