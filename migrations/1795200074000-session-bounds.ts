import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sessions count their rotations of a minute, and a rotation outlives its session: no removal of a session, or of a user, has to walk
 * through the rotations, which are removed by their age instead (R-22, S-21). Of an earlier version's sessions nothing is counted while it
 * rotates them, and the rotations of those that it removes stay until they are a day old; nothing finds them.
 * It locks `sessions` for a moment alone: the index that it needs is there before.
 */
export class SessionBounds1795200074000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE sessions ADD COLUMN rotations integer NOT NULL DEFAULT 0,
        ADD COLUMN rotations_from timestamptz NOT NULL DEFAULT now()`);
    await runner.query(`ALTER TABLE refresh_rotations DROP CONSTRAINT refresh_rotations_session_id_fkey`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM refresh_rotations WHERE session_id NOT IN (SELECT id FROM sessions)`);
    await runner.query(`
      ALTER TABLE refresh_rotations ADD CONSTRAINT refresh_rotations_session_id_fkey
        FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE`);
    await runner.query(`ALTER TABLE sessions DROP COLUMN rotations_from, DROP COLUMN rotations`);
  }
}
