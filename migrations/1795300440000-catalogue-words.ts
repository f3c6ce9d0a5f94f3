import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Words of each unit by themselves: those that one exchange alone uses are not looked for among the rows of another (contract.md 5.19). */
export class CatalogueWords1795300440000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['catalogue_markets', 'catalogue_events'] as const) {
      for (const unit of ['contracts', 'currency'] as const) {
        await runner.query(
          `CREATE INDEX ${table}_words_${unit} ON ${table} USING gin (words) WITH (fastupdate = off) WHERE volume_unit = '${unit}'`,
        );
      }
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['catalogue_markets', 'catalogue_events'] as const) {
      for (const unit of ['contracts', 'currency'] as const) await runner.query(`DROP INDEX ${table}_words_${unit}`);
    }
  }
}
