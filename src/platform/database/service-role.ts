import { isNativeError } from 'node:util/types';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { scramVerifier } from '../secrets/scram.js';
import { clientConfig, type DatabaseConnection } from './database-connection.js';

const CONNECT_MS = 5_000;
/** SQLSTATE `invalid_password`. */
const WRONG_PASSWORD = '28P01';

interface Names {
  readonly role: string;
  readonly schema: string;
  readonly database: string;
  readonly isOwner: boolean;
  readonly exists: boolean;
}

const NAMES = `
  SELECT quote_ident($1) AS role, quote_ident(current_schema()) AS schema, quote_ident(current_database()) AS database,
         current_user = $1 AS "isOwner", EXISTS (SELECT FROM pg_roles WHERE rolname = $1) AS exists`;

interface Might {
  readonly role: string;
  readonly schema: string;
  readonly isSuperuser: boolean;
  readonly isOwner: boolean;
  readonly mayCreate: boolean;
}

/**
 * Reads what the role of the service may do; of a role that does not exist yet, what every role may. No row where owner and
 * service are one role.
 */
const MIGHT = `
  SELECT quote_ident($1) AS role, quote_ident(current_schema()) AS schema, COALESCE(service.rolsuper, false) AS "isSuperuser",
         COALESCE(pg_has_role(service.oid, current_user, 'MEMBER'), false)
           OR COALESCE(pg_has_role(service.oid, (SELECT relowner FROM pg_class WHERE oid = to_regclass('security_events')), 'MEMBER'), false)
           AS "isOwner",
         COALESCE(has_schema_privilege(COALESCE(service.rolname, 'public'), current_schema(), 'CREATE'), false) AS "mayCreate"
    FROM (VALUES (true)) AS one LEFT JOIN pg_roles service ON service.rolname = $1
   WHERE current_user <> $1`;

/** What the role of the service may do: work with rows, change no schema, and only add to the activity (S-41). */
function grants({ role, schema, database }: Names): string[] {
  const rows = 'SELECT, INSERT, UPDATE, DELETE ON';
  const future = `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT`;
  return [
    `GRANT CONNECT ON DATABASE ${database} TO ${role}`,
    `GRANT USAGE ON SCHEMA ${schema} TO ${role}`,
    `GRANT ${rows} ALL TABLES IN SCHEMA ${schema} TO ${role}`,
    `GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role}`,
    `${future} ${rows} TABLES TO ${role}`,
    `${future} USAGE, SELECT ON SEQUENCES TO ${role}`,
    `REVOKE UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER ON ${schema}.security_events FROM ${role}`,
    `REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ${schema}.migrations FROM ${role}`,
    `GRANT EXECUTE ON FUNCTION ${schema}.remove_old_security_events(integer) TO ${role}`,
    `GRANT EXECUTE ON FUNCTION ${schema}.remove_unproved_signups(integer) TO ${role}`,
  ];
}

/**
 * Throws where the role of the service could change the schema although there is an owner, whose connection this is: such a role can
 * give itself back every right that is taken from it (S-41).
 */
export async function refuseMightyRole(owner: QueryRunner, { username }: DatabaseConnection): Promise<void> {
  const [might] = (await owner.query(MIGHT, [username])) as Might[];
  if (might === undefined) return;
  const { role, schema, isSuperuser, isOwner, mayCreate } = might;
  const start = `The role of DATABASE_URL, ${role}, beside that of MIGRATION_DATABASE_URL must work with rows alone, but`;
  const another = 'Name another role in DATABASE_URL, which is made where there is none';
  if (isSuperuser) throw new Error(`${start} is a superuser. ${another} (docs/operations.md 1).`);
  if (isOwner) {
    throw new Error(
      `${start} is the owner of the tables, or a member of it. ${another}, and the owner of the tables in ` +
        'MIGRATION_DATABASE_URL (docs/operations.md 1).',
    );
  }
  if (mayCreate) {
    throw new Error(
      `${start} may create in the schema ${schema}. ${another}, or REVOKE CREATE ON SCHEMA ${schema} ` +
        'from it and from PUBLIC (docs/operations.md 1).',
    );
  }
}

/**
 * Makes the role of the service where there is none, with the password that it connects with, and grants it what it needs in the
 * schema of the owner, whose connection this is. Nothing where the owner and the service are one role.
 */
export async function setUpServiceRole(owner: QueryRunner, service: DatabaseConnection): Promise<void> {
  const { username, password } = service;
  if (username === undefined) throw new Error('DATABASE_URL must name the role of the service.');
  const [names] = (await owner.query(NAMES, [username])) as Names[];
  if (names === undefined || names.isOwner) return;
  const verifier = password === undefined ? undefined : passwordText(service);
  if (!names.exists) {
    const secret = verifier === undefined ? '' : ` PASSWORD '${verifier}'`;
    await owner.query(
      // eslint-disable-next-line own/constant-sql -- a quoted name, and a verifier of base64 signs
      `CREATE ROLE ${names.role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS${secret}`,
    );
  }
  for (const grant of grants(names)) await owner.query(grant);
  if (verifier !== undefined && !(await isPasswordRight(service))) {
    // eslint-disable-next-line own/constant-sql -- a quoted name, and a verifier of base64 signs
    await owner.query(`ALTER ROLE ${names.role} PASSWORD '${verifier}'`);
  }
}

function passwordText({ password }: DatabaseConnection): string | undefined {
  if (password === undefined) return undefined;
  if (/^[\x20-\x7e]+$/.test(password.reveal())) return scramVerifier(password);
  throw new Error('The password in DATABASE_URL must have ASCII signs alone.');
}

/** Whether the server accepts the password. Another reason to refuse the connection is reported when the service connects. */
async function isPasswordRight(service: DatabaseConnection): Promise<boolean> {
  const client = new pg.Client({ ...clientConfig(service), connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    return !(isNativeError(error) && 'code' in error && error.code === WRONG_PASSWORD);
  } finally {
    await client.end().catch(() => undefined);
  }
}
