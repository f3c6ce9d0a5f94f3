import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { serviceOptions } from '../../platform/database/data-source-options.js';
import type { DatabaseConnection } from '../../platform/database/database-connection.js';
import { Transactions } from '../../platform/database/transactions.js';

const READ_ONLY = '-c default_transaction_read_only=on';
const CONNECTIONS = 2;

/** A database that can be read and in which nothing is changed, not even its schema: for `npm run doctor` (contract.md 8.1). */
@Global()
@Module({})
export class ReadOnlyDatabaseModule {
  static with(connection: DatabaseConnection): DynamicModule {
    const { sessionOptions } = connection;
    const options = sessionOptions === undefined ? READ_ONLY : `${sessionOptions} ${READ_ONLY}`;
    const source = serviceOptions({ ...connection, sessionOptions: options }, CONNECTIONS, true);
    return {
      module: ReadOnlyDatabaseModule,
      imports: [TypeOrmModule.forRoot({ ...source, autoLoadEntities: true, retryAttempts: 0, toRetry: () => false })],
      providers: [Transactions],
      exports: [Transactions],
    };
  }
}
