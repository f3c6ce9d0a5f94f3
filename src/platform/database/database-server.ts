import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { Settings } from '../config/settings.js';
import { type DatabaseConnection, insecureWay, parseDatabaseUrl, socketConnection } from './database-connection.js';
import { EmbeddedPostgres } from '../embedded-postgres/embedded-postgres.js';

/** The role of the service at an embedded server, whose superuser owns the schema. */
const EMBEDDED_ROLE = 'trading_proxy';

/**
 * A server that can be connected to, as the service does, and as the owner of the schema where that is another role; `server` is
 * the embedded one, to be stopped by who found it.
 */
export interface DatabaseServer {
  readonly connection: DatabaseConnection;
  readonly owner: DatabaseConnection | undefined;
  readonly server: EmbeddedPostgres | undefined;
}

/** That of DATABASE_URL, else the embedded one in `DATA_DIR/postgres`, started or joined (contract.md 2). */
export async function findServer({
  databaseUrl,
  migrationDatabaseUrl,
  dataDir,
}: Pick<Settings, 'databaseUrl' | 'migrationDatabaseUrl' | 'dataDir'>): Promise<DatabaseServer> {
  if (databaseUrl !== undefined) {
    const connection = await parseDatabaseUrl(databaseUrl);
    const warning = insecureWay(connection);
    if (warning !== null) new Logger('Database').warn(warning);
    const owner = migrationDatabaseUrl && (await parseDatabaseUrl(migrationDatabaseUrl));
    return { connection, owner, server: undefined };
  }
  const server = await EmbeddedPostgres.start({ directory: join(dataDir, 'postgres') });
  const owner = socketConnection(server.connection);
  return { connection: { ...owner, username: EMBEDDED_ROLE }, owner, server };
}
