import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the activity says of a row of the ledger: 0 nothing, 1 that its fate is unknown, 2 that it exists, 3 which it is (S-41). So the
 * activity answers nothing about orders, and its indexes of them go: an earlier version reads without them, slowly, and may note an order
 * twice.
 */
export class OrderNotes1795200102000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE placements ADD COLUMN noted smallint NOT NULL DEFAULT 0`);
    await runner.query(`
      UPDATE placements SET noted = CASE WHEN state IN ('made', 'closed') THEN 3 ELSE 1 END
       WHERE state IN ('made', 'closed', 'unknown')`);
    await runner.query(`DROP INDEX security_events_order_idx`);
    await runner.query(`DROP INDEX security_events_client_order_idx`);
    await runner.query(`DROP INDEX security_events_cancel_idx`);
    await runner.query(`DROP INDEX security_events_transfer_idx`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX security_events_order_idx ON security_events (user_id, exchange, (details ->> 'order_id'))
       WHERE type = 'order_created'`);
    await runner.query(`
      CREATE INDEX security_events_client_order_idx
          ON security_events (user_id, exchange, (details ->> 'client_order_id'))
       WHERE type = 'order_created' AND details ->> 'client_order_id' IS NOT NULL`);
    await runner.query(`
      CREATE INDEX security_events_cancel_idx ON security_events (user_id, exchange, (details ->> 'order_id'))
       WHERE type = 'order_cancelled'`);
    await runner.query(`
      CREATE INDEX security_events_transfer_idx ON security_events (user_id, exchange, (details ->> 'transfer_id'))
       WHERE type = 'transfer_created'`);
    await runner.query(`ALTER TABLE placements DROP COLUMN noted`);
  }
}
