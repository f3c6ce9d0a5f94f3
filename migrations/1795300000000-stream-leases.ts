import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How long the streams of each live instance rely on what they read of their callers, so that the end of a session waits for them. An
 * earlier version has no streams: its rows have the default, 0, and nobody waits for them.
 */
export class StreamLeases1795300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_key_caches ADD COLUMN streams_ms integer NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_key_caches DROP COLUMN streams_ms`);
  }
}
