import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Rotations are removed by their age (R-22, S-21), which this index finds. It is built in a transaction of its own, in which sessions can
 * be read and changed while rotations wait to be written; it may be built beforehand (operations.md 3).
 */
export class RotationAges1795200073500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX IF NOT EXISTS refresh_rotations_rotated_at_idx ON refresh_rotations (rotated_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX refresh_rotations_rotated_at_idx`);
  }
}
