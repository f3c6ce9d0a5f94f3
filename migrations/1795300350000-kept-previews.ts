import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An order that a bot has previewed, and may place by the id of this row, which is the `Idempotency-Key` of its placing. `request` is the body of the
 * create, `previewed` what the preview has worked out, `of_day` which preview of the bot it is on its UTC day. `placed_at` is when the first placing
 * was begun; until `placing_until` a call may be at it.
 */
const TABLE = `
  CREATE TABLE order_previews (
    id            text        PRIMARY KEY,
    bot_id        text        NOT NULL REFERENCES bots (id) ON DELETE CASCADE,
    exchange      text        NOT NULL,
    market_id     text        NOT NULL,
    request       jsonb       NOT NULL,
    previewed     jsonb,
    of_day        integer     NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    placed_at     timestamptz,
    placing_until timestamptz
  )`;

/** Previews of bots that can be placed by their ids (contract.md 5.21). */
export class KeptPreviews1795300350000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE);
    await runner.query(`CREATE INDEX order_previews_bot ON order_previews (bot_id, created_at)`);
    await runner.query(`CREATE INDEX order_previews_created_at ON order_previews (created_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE order_previews`);
  }
}
