import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { Settings } from '../config/settings.js';
import { type DatabaseConnection, insecureWay, parseDatabaseUrl, socketConnection } from './database-connection.js';
import { EmbeddedPostgres } from './embedded-postgres.js';

/** A server that can be connected to; `server` is the embedded one, to be stopped by who found it. */
export interface DatabaseServer {
  readonly connection: DatabaseConnection;
  readonly server: EmbeddedPostgres | undefined;
}

/** That of DATABASE_URL, else the embedded one in `DATA_DIR/postgres`, started or joined (contract.md 2). */
export async function findServer({
  databaseUrl,
  dataDir,
}: Pick<Settings, 'databaseUrl' | 'dataDir'>): Promise<DatabaseServer> {
  if (databaseUrl !== undefined) {
    const connection = await parseDatabaseUrl(databaseUrl);
    const warning = insecureWay(connection);
    if (warning !== null) new Logger('Database').warn(warning);
    return { connection, server: undefined };
  }
  const server = await EmbeddedPostgres.start({ directory: join(dataDir, 'postgres') });
  return { connection: socketConnection(server.connection), server };
}
