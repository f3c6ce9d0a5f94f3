import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which requests worked on what is under an `Idempotency-Key`, the newest 20: so that `npm run orders` finds an order by the id of
 * a request, refused ones included (contract.md 8.1). Transfers have the columns of orders.
 */
export class OrderRequests1795200050000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE idempotent_orders ADD COLUMN request_ids text[] NOT NULL DEFAULT '{}'`);
    await runner.query(`ALTER TABLE idempotent_transfers ADD COLUMN request_ids text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE idempotent_transfers DROP COLUMN request_ids`);
    await runner.query(`ALTER TABLE idempotent_orders DROP COLUMN request_ids`);
  }
}
