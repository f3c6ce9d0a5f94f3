import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the market of an order that was placed here by the order's id, without a scan of its owner's events (contract.md 5.3). */
export class OrderMarkets1795200030000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX security_events_order_idx ON security_events (user_id, exchange, (details ->> 'order_id'))
       WHERE type = 'order_created'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX security_events_order_idx`);
  }
}
