import type { MigrationInterface, QueryRunner } from 'typeorm';

/** By what an order of unknown fate can be found, kept from before it is sent (contract.md 5, R-13). */
export class OrderReferences1795200004000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE idempotent_orders ADD COLUMN reference jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE idempotent_orders DROP COLUMN reference`);
  }
}
