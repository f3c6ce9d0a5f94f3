import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the events of one order by its ids, without a scan of all that its owner's account has done (contract.md 8.1). */
export class OrderEvents1795200053000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX IF NOT EXISTS security_events_client_order_idx
          ON security_events (user_id, exchange, (details ->> 'client_order_id'))
       WHERE type = 'order_created' AND details ->> 'client_order_id' IS NOT NULL`);
    await runner.query(`
      CREATE INDEX IF NOT EXISTS security_events_cancel_idx ON security_events (user_id, exchange, (details ->> 'order_id'))
       WHERE type = 'order_cancelled'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX security_events_cancel_idx`);
    await runner.query(`DROP INDEX security_events_client_order_idx`);
  }
}
