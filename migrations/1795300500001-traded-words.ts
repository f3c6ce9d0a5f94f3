import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Words of what is traded, and of what is traded much, by themselves: of a common word the first hundred are found without reading all (contract.md 5.19). */
export class TradedWords1795300500001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['catalogue_markets', 'catalogue_events'] as const) {
      for (const unit of ['contracts', 'currency'] as const) {
        for (const volume of ['1000', '100000'] as const) {
          await runner.query(
            `CREATE INDEX ${table}_words_${unit}_${volume} ON ${table} USING gin (words) WITH (fastupdate = off) WHERE volume_unit = '${unit}' AND volume_24h >= ${volume}`,
          );
        }
      }
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['catalogue_markets', 'catalogue_events'] as const) {
      for (const unit of ['contracts', 'currency'] as const) {
        for (const volume of ['1000', '100000'] as const)
          await runner.query(`DROP INDEX ${table}_words_${unit}_${volume}`);
      }
    }
  }
}
