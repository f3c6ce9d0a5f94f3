import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { Settings } from '../config/settings.js';
import { type DatabaseConnection, insecureWay, parseDatabaseUrl, socketConnection } from './database-connection.js';
import { EmbeddedPostgres } from '../embedded-postgres/embedded-postgres.js';

/** The role of the service at an embedded server, whose superuser owns the schema. */
const EMBEDDED_ROLE = 'trading_proxy';

/**
 * A running server: the connection of the service, and that of the owner of the schema where this is another role. `server` is the
 * embedded server; the caller of `findServer` stops it.
 */
export interface DatabaseServer {
  readonly connection: DatabaseConnection;
  readonly owner: DatabaseConnection | undefined;
  readonly server: EmbeddedPostgres | undefined;
}

/**
 * Returns the server of DATABASE_URL, else the embedded server in `DATA_DIR/postgres`, which it starts or joins (contract.md 2).
 */
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
