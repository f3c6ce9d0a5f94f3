import { MIGRATIONS } from '../../../migrations/migrations.js';
import { insecureWay } from '../../platform/database/database-connection.js';
import { type DatabaseFacts, findServer, type FoundServer, readFacts } from './database.repository.js';
import { reasonOf } from './failure.js';
import { type Check, fail, type Finding, inTime, ok, warn } from './finding.js';
import type { OwnSettings } from './own-settings.js';

/** PostgreSQL older than this gets no corrections any more. */
const OLDEST_MAJOR = 15;

/** A server that answers, and what it says. */
export interface ReachedDatabase {
  readonly server: FoundServer;
  readonly facts: DatabaseFacts;
}

/**
 * What came of looking for the database: reached, `absent` where the first start is yet to make it, or why it cannot be used;
 * `unknown` where the settings do not say which one it is.
 */
export type DatabaseLook = ReachedDatabase | 'absent' | 'unknown' | { readonly reason: string };

/** Words of a finding. */
interface Failure {
  readonly message: string;
  readonly hint: string;
}

/** Looks for the database; never rejects. `opened` gets the server as soon as there is one, so that it can be let go of. */
export async function lookAtDatabase(
  { settings, faults }: OwnSettings,
  opened: (server: FoundServer) => void,
): Promise<DatabaseLook> {
  if (settings === null || faults.some(({ name }) => name.startsWith('DATABASE_URL'))) return 'unknown';
  if (settings.databaseUrl === undefined && faults.some(({ name }) => name.startsWith('DATA_DIR'))) return 'unknown';
  try {
    const finding = findServer(settings).then((server) => {
      if (server !== null) opened(server);
      return server;
    });
    const server = await inTime(finding);
    return server === null ? 'absent' : { server, facts: await inTime(readFacts(server.connection)) };
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

export function isReached(look: DatabaseLook): look is ReachedDatabase {
  return typeof look === 'object' && 'facts' in look;
}

/** What a check says that needs the database, where it cannot be used. */
export function withoutDatabase(look: Exclude<DatabaseLook, ReachedDatabase>): Finding {
  if (look === 'absent') return ok('There is no database yet: the first start makes it.');
  return warn('This could not be checked, since the database cannot be used.', 'See the check of the database.');
}

function whyNotReached(look: Exclude<DatabaseLook, ReachedDatabase>): Finding {
  if (look === 'absent') return withoutDatabase(look);
  if (look === 'unknown') return fail('It is not known which database to use.', 'See the check of the settings.');
  return fail(
    `The database cannot be used: ${look.reason}.`,
    'Look whether it runs and DATABASE_URL is right; without it every request with a key or a session is answered 503.',
  );
}

/** What a crash or a failover could make such a server forget that it has said is done; null where nothing (R-6). */
function whatMayBeLost({ version, synchronousCommit, isDurable, standbys, isCopied }: DatabaseFacts): Failure | null {
  if (!isDurable || synchronousCommit === 'off') {
    return {
      message:
        `PostgreSQL ${version} answers before its data is safe on disk (synchronous_commit ${synchronousCommit}, fsync and ` +
        `full_page_writes ${isDurable ? 'on' : 'not both on'}): after a crash it may not know of an order that was sent.`,
      hint: 'Set synchronous_commit, fsync and full_page_writes to on.',
    };
  }
  if (standbys === 0 || isCopied) return null;
  return {
    message:
      `PostgreSQL ${version} answers before any of its ${standbys} standbys has the data: after a failover the new server may not ` +
      'know of an order that was sent, and a repeat of it would be a second one.',
    hint: 'Name the standbys in synchronous_standby_names, with synchronous_commit on (docs/operations.md 2).',
  };
}

/** Whether the service can work with such a server: it takes writes, and keeps what it has said is done. */
export function judgeServer(facts: DatabaseFacts, isProduction: boolean): Finding {
  const { version, major, isStandby, isReadOnly } = facts;
  const name = `PostgreSQL ${version}`;
  if (isStandby)
    return fail(`${name} is a standby and takes no writes.`, 'Let DATABASE_URL lead to the primary server.');
  if (isReadOnly) {
    return fail(
      `${name} only reads for this user.`,
      'Set default_transaction_read_only to off for the user and the database.',
    );
  }
  const risk = whatMayBeLost(facts);
  if (risk !== null) return (isProduction ? fail : warn)(risk.message, risk.hint);
  if (major < OLDEST_MAJOR) return warn(`${name} gets no corrections any more.`, `Move to ${OLDEST_MAJOR} or newer.`);
  if (facts.isMighty && isProduction) {
    return warn(
      `${name} lets the role of the service change everything, what happened to accounts included.`,
      'Give the service a role of its own, and the owner to MIGRATION_DATABASE_URL (docs/operations.md 1).',
    );
  }
  return ok(`${name} takes reads and writes.`);
}

/** How the schema stands to that of this version of the service, by the names of the changes. */
export function judgeMigrations(applied: readonly string[], known: readonly string[]): Finding {
  const pending = known.filter((name) => !applied.includes(name));
  const foreign = applied.filter((name) => !known.includes(name));
  if (foreign.length > 0) {
    return warn(
      `The database has ${foreign.length} schema changes of a newer version of the service.`,
      'Install that version here, unless an upgrade is under way.',
    );
  }
  if (pending.length === 0) return ok(`All ${known.length} schema changes are made.`);
  const words = applied.length === 0 ? 'The schema is not made yet.' : `${pending.length} schema changes are pending.`;
  return warn(words, 'The next start of the service makes them.');
}

function judgeWay({ server, facts }: ReachedDatabase): Finding {
  if (server.isEmbedded) return ok('The embedded database is reached by a socket that others cannot enter.');
  const warning = insecureWay(server.connection);
  if (warning !== null) return warn(warning);
  return ok(facts.isEncrypted ? 'The connection has TLS that is checked.' : 'The database is on this machine.');
}

function judgeConnections({ connections }: DatabaseFacts, poolMax: number): Finding {
  const words = `The database allows ${connections} connections; this instance takes up to ${poolMax}.`;
  if (poolMax < connections) return ok(words);
  return warn(words, 'Lower DATABASE_POOL_MAX, or raise max_connections of the server. Each instance takes as many.');
}

/** How old what searches find is; three walks may be missed. */
function judgeCatalogue({ catalogue }: Pick<DatabaseFacts, 'catalogue'>, refreshMs: number): Finding {
  if (refreshMs === 0) return ok('CATALOGUE_REFRESH is 0: there is no catalogue.');
  if (catalogue.length === 0) return ok('The catalogue is not walked yet: the service does that while it runs.');
  const old = catalogue.filter(({ age, walked }) => age === null || age > 3 * Math.max(refreshMs / 1_000, walked ?? 0));
  if (old.length === 0) return ok('The catalogue of every exchange is of one of the last three walks.');
  return warn(
    `The catalogue is older than three walks: ${old.map(({ exchange, age }) => `${exchange} ${age === null ? 'never' : `${Math.round(age)} s`}`).join(', ')}.`,
    'The service walks while it runs; its log says why a walk ended.',
  );
}

/** The checks of the database itself, all by one look. */
export function databaseChecks({ settings, isProduction }: OwnSettings, look: Promise<DatabaseLook>): Check[] {
  const known = MIGRATIONS.map(({ name }) => name);
  const reached = (judge: (database: ReachedDatabase) => Finding): Check['run'] => {
    return async () => {
      const found = await look;
      return isReached(found) ? judge(found) : withoutDatabase(found);
    };
  };
  return [
    {
      id: 'database',
      run: async () => {
        const found = await look;
        return isReached(found) ? judgeServer(found.facts, isProduction) : whyNotReached(found);
      },
    },
    { id: 'migrations', run: reached(({ facts }) => judgeMigrations(facts.migrations, known)) },
    { id: 'database_tls', run: reached(judgeWay) },
    {
      id: 'database_connections',
      run: reached(({ facts }) => judgeConnections(facts, settings?.databasePoolMax ?? 0)),
    },
    { id: 'catalogue', run: reached(({ facts }) => judgeCatalogue(facts, settings?.catalogueRefreshMs ?? 0)) },
  ];
}
