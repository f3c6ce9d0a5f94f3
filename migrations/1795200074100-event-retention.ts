import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Old events are removed by a function of the owner of the schema, so that the service's own role need not be able to delete any (S-41).
 * Its names are bound when it is made, and its age is fixed. An earlier version goes on deleting by itself, where its role may.
 */
export class EventRetention1795200074100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION remove_old_security_events(most integer) RETURNS bigint
      LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
      BEGIN ATOMIC
        WITH gone AS (
          DELETE FROM security_events WHERE id IN
            (SELECT id FROM security_events WHERE created_at < now() - interval '401 days' LIMIT LEAST(most, 10000))
          RETURNING 1)
        SELECT count(*) FROM gone;
      END`);
    await runner.query('REVOKE EXECUTE ON FUNCTION remove_old_security_events(integer) FROM PUBLIC');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION remove_old_security_events(integer)');
  }
}
