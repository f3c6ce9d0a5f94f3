import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Of which accounts a point of equity is, as digests by currency; null in points of before (contract.md 5.17). */
export class EquityAccounts1795300470000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE equity_points ADD COLUMN accounts jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE equity_points DROP COLUMN accounts`);
  }
}
