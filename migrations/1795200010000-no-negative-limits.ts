import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * No counter of a limit is negative, so that nobody has more tries than the limit says (S-25). An earlier version goes on beside it:
 * where it would take a point back from nothing, it logs that the attempt stays counted.
 */
export class NoNegativeLimits1795200010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('UPDATE rate_limits SET points = 0 WHERE points < 0');
    await runner.query('ALTER TABLE rate_limits ADD CONSTRAINT rate_limits_points_check CHECK (points >= 0)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE rate_limits DROP CONSTRAINT rate_limits_points_check');
  }
}
