import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How often each key of `ENCRYPTION_KEYS` has sealed, over all instances and restarts (S-38), and what makes the count of orders and
 * transfers of unknown fate cheap.
 */
export class Figures1795200051000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE encryption_counts (
        key_id      text   PRIMARY KEY,
        encryptions bigint NOT NULL CHECK (encryptions >= 0)
      )`);
    await runner.query(`CREATE INDEX idempotent_orders_open ON idempotent_orders (exchange) WHERE state <> 'done'`);
    await runner.query(
      `CREATE INDEX idempotent_transfers_open ON idempotent_transfers (exchange) WHERE state <> 'done'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX idempotent_transfers_open`);
    await runner.query(`DROP INDEX idempotent_orders_open`);
    await runner.query(`DROP TABLE encryption_counts`);
  }
}
