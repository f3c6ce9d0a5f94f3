import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the record of an order under an `Idempotency-Key` knows of its sendings: the random part of its client order id, the
 * exchange account, until when a call may be busy with it, when it was first sent and from when on a refusal is final
 * (contract.md 5.3, R-13, R-25, R-26). Records are removed 24 h after their last attempt. An instance of an earlier version derives
 * other client order ids: stop those before the first of this version starts.
 */
export class OrderSendings1795200005000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE idempotent_orders
        ADD COLUMN nonce            uuid        NOT NULL DEFAULT gen_random_uuid(),
        ADD COLUMN account          bytea,
        ADD COLUMN busy_until       timestamptz NOT NULL DEFAULT clock_timestamp() + interval '15 seconds',
        ADD COLUMN first_sent_at    timestamptz,
        ADD COLUMN refusal_holds_at timestamptz`);
    await runner.query(`
      UPDATE idempotent_orders
         SET first_sent_at = created_at, refusal_holds_at = attempt_at + interval '40 seconds'
       WHERE reference IS NOT NULL`);
    await runner.query(`
      ALTER TABLE idempotent_orders
        ADD CHECK ((first_sent_at IS NULL) = (refusal_holds_at IS NULL))`);
    await runner.query(`DROP INDEX idempotent_orders_created_at`);
    await runner.query(`CREATE INDEX idempotent_orders_attempt_at ON idempotent_orders (attempt_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX idempotent_orders_attempt_at`);
    await runner.query(`CREATE INDEX idempotent_orders_created_at ON idempotent_orders (created_at)`);
    await runner.query(`
      ALTER TABLE idempotent_orders
        DROP COLUMN nonce, DROP COLUMN account, DROP COLUMN busy_until, DROP COLUMN first_sent_at,
        DROP COLUMN refusal_holds_at`);
  }
}
