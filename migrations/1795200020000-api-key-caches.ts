import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How long each live instance keeps facts of API keys, so that a revocation waits for all of them (contract.md 6, S-30). */
export class ApiKeyCaches1795200020000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE api_key_caches (
        instance  text        PRIMARY KEY,
        ttl_ms    integer     NOT NULL CHECK (ttl_ms > 0),
        lapses_at timestamptz NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE api_key_caches`);
  }
}
