import { MIGRATIONS } from '../../../migrations/migrations.js';
import type { DatabaseServer } from './database-server.js';
import { migrate } from './migrate.js';
import { refuseMightyRole, setUpServiceRole } from './service-role.js';

/**
 * Brings the schema up to date as its owner, who then grants the service's role what that needs; without an owner of its own, as the
 * service. Throws where that may not change the schema and a change is missing, and, before any change, where the service's role beside an
 * owner could change the schema too.
 */
export async function prepareSchema({ connection, owner }: Omit<DatabaseServer, 'server'>): Promise<void> {
  if (owner === undefined) await migrate(connection, MIGRATIONS);
  else {
    await migrate(owner, MIGRATIONS, undefined, {
      begin: (runner) => refuseMightyRole(runner, connection),
      finish: (runner) => setUpServiceRole(runner, connection),
    });
  }
}
