import { Global, Module } from '@nestjs/common';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions, type QueryRunner } from 'typeorm';
import { Settings } from '../config/settings.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { DatabaseMetrics } from './database-metrics.js';
import { serviceOptions } from './data-source-options.js';
import { findServer } from './database-server.js';
import { EmbeddedPostgres } from '../embedded-postgres/embedded-postgres.js';
import { queryPool } from './pool-query.js';
import { prepareSchema } from './prepare-schema.js';
import { Transactions } from './transactions.js';

/** Closes the pool first, then the embedded server; runs statements outside of transactions straight on the pool. */
class ServiceDataSource extends DataSource {
  readonly #server: EmbeddedPostgres | undefined;

  constructor(options: DataSourceOptions | undefined) {
    if (options === undefined) throw new TypeError('The data source needs options.');
    super(options);
    this.#server = 'server' in options && options.server instanceof EmbeddedPostgres ? options.server : undefined;
  }

  override async query<T>(sql: string, values?: unknown[], runner?: QueryRunner): Promise<T> {
    if (runner !== undefined) return super.query<T>(sql, values, runner);
    return (await queryPool(Reflect.get(this.driver, 'master'), sql, values)) as T;
  }

  override async destroy(): Promise<void> {
    try {
      await super.destroy();
    } finally {
      await this.#server?.stop();
    }
  }
}

/**
 * PostgreSQL for the whole service: the server of DATABASE_URL, else an embedded one in `DATA_DIR/postgres` (contract.md 2). Migrations
 * are applied before anything else uses it. Features add their entities with `TypeOrmModule.forFeature`.
 */
@Global()
@Module({
  imports: [
    MetricsModule,
    TypeOrmModule.forRootAsync({
      inject: [Settings],
      useFactory: prepare,
      dataSourceFactory: (options) => Promise.resolve(new ServiceDataSource(options)),
    }),
  ],
  providers: [DatabaseMetrics, Transactions],
  exports: [Transactions],
})
export class DatabaseModule {}

async function prepare(settings: Settings): Promise<TypeOrmModuleOptions> {
  const { connection, owner, server } = await findServer(settings);
  try {
    await prepareSchema({ connection, owner });
  } catch (error) {
    await server?.stop();
    throw error;
  }
  const options = { ...serviceOptions(connection, settings.databasePoolMax), server };
  return { ...options, autoLoadEntities: true, retryAttempts: 0, toRetry: () => false };
}
