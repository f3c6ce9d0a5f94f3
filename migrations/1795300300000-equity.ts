import type { MigrationInterface, QueryRunner } from 'typeorm';

const RECORDS = `
  CREATE TABLE equity_records (
    user_id       text        PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    is_hourly     boolean     NOT NULL DEFAULT false,
    last_point_at timestamptz,
    tried_at      timestamptz
  )`;

const POINTS = `
  CREATE TABLE equity_points (
    user_id text        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    at      timestamptz NOT NULL,
    totals  jsonb       NOT NULL,
    PRIMARY KEY (user_id, at)
  )`;

/** What users' accounts were worth over time, and who wants that recorded each hour (contract.md 5.16). */
export class Equity1795300300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(RECORDS);
    await runner.query(`CREATE INDEX equity_records_hourly ON equity_records (tried_at) WHERE is_hourly`);
    await runner.query(POINTS);
    await runner.query(`CREATE INDEX equity_points_at ON equity_points (at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE equity_points`);
    await runner.query(`DROP TABLE equity_records`);
  }
}
