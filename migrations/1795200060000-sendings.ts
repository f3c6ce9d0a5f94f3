import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an order, or a transfer, is signed and sent with: a change of it waits for the looks under way, and later looks see it. */
const RIGHTS = [
  ['users_delete_waits', 'users', 'DELETE', ''],
  ['users_update_waits', 'users', 'UPDATE', 'WHEN (OLD.disabled_at IS DISTINCT FROM NEW.disabled_at)'],
  ['api_keys_delete_waits', 'api_keys', 'DELETE', ''],
  ['api_keys_update_waits', 'api_keys', 'UPDATE', 'WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at)'],
  ['exchange_credentials_delete_waits', 'exchange_credentials', 'DELETE', ''],
  [
    'exchange_credentials_update_waits',
    'exchange_credentials',
    'UPDATE',
    'WHEN (OLD.row_version IS DISTINCT FROM NEW.row_version)',
  ],
  ['session_keys_delete_waits', 'session_keys', 'DELETE', ''],
  ['session_keys_update_waits', 'session_keys', 'UPDATE', 'WHEN (OLD.row_version IS DISTINCT FROM NEW.row_version)'],
] as const;

const RECORDS = ['idempotent_orders', 'idempotent_transfers'] as const;

/**
 * Whether a sending may begin is looked at where it begins (S-30, R-13): `sending_refusal` takes a lock of the user that every change of
 * those rights takes too, so that it stands on no older snapshot. Records say whether nothing but refusals and duplicates came of their
 * sendings, and since when an order has been missing in the exchange's list of open orders. `refusal_holds_at` of `-infinity` is
 * that of a record whose sendings were all refused. The changes of an earlier version wait for looks too, its sendings look at
 * nothing; it takes an order of which nothing but refusals came for one that it may refuse, never for one that it may forget.
 */
export class Sendings1795200060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION sending_refusal(sender text, key_prefix text, at_exchange text, stored bigint, active bigint)
      RETURNS text LANGUAGE plpgsql VOLATILE AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock_shared(hashtextextended(sender, 2));
        RETURN CASE
          WHEN NOT EXISTS (SELECT FROM users WHERE id = sender AND disabled_at IS NULL) THEN 'user_gone'
          WHEN NOT EXISTS (SELECT FROM api_keys
                            WHERE user_id = sender AND prefix = key_prefix AND revoked_at IS NULL) THEN 'key_revoked'
          WHEN (SELECT row_version FROM exchange_credentials WHERE user_id = sender AND exchange = at_exchange)
                 IS DISTINCT FROM stored
            OR (SELECT row_version FROM session_keys
                 WHERE user_id = sender AND exchange = at_exchange AND state = 'active')
                 IS DISTINCT FROM active THEN 'credentials_changed'
        END;
      END $$`);
    await runner.query(`
      CREATE FUNCTION wait_for_sendings() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_TABLE_NAME = 'users' THEN
          PERFORM pg_advisory_xact_lock(hashtextextended(OLD.id, 2));
        ELSE
          PERFORM pg_advisory_xact_lock(hashtextextended(OLD.user_id, 2));
        END IF;
        IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
        RETURN NEW;
      END $$`);
    for (const [name, table, event, when] of RIGHTS) {
      await runner.query(
        `CREATE TRIGGER ${name} BEFORE ${event} ON ${table}
           FOR EACH ROW ${when} EXECUTE FUNCTION wait_for_sendings()`,
      );
    }
    for (const table of RECORDS) {
      await runner.query(
        `ALTER TABLE ${table} ADD COLUMN is_duplicate boolean NOT NULL DEFAULT false, ADD COLUMN absent_at timestamptz`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of RECORDS) {
      await runner.query(`ALTER TABLE ${table} DROP COLUMN absent_at, DROP COLUMN is_duplicate`);
    }
    for (const [name, table] of RIGHTS) {
      await runner.query(`DROP TRIGGER ${name} ON ${table}`);
    }
    await runner.query(`DROP FUNCTION wait_for_sendings()`);
    await runner.query(`DROP FUNCTION sending_refusal(text, text, text, bigint, bigint)`);
  }
}
