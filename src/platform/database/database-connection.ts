import { readFile } from 'node:fs/promises';
import type { ConnectionOptions as TlsOptions } from 'node:tls';
import type { ClientConfig } from 'pg';
import { isLoopback } from '../config/loopback.js';
import { Secret } from '../secrets/secret.js';

const APPLICATION_NAME = 'trading-proxy';
const DEFAULT_PORT = 5432;
const TLS_MODES = ['disable', 'no-verify', 'require', 'verify-ca', 'verify-full'] as const;

type TlsMode = (typeof TLS_MODES)[number];

/** Where a database is and how to get in. */
export interface DatabaseConnection {
  /** A name, an address, or the directory of a socket. */
  readonly host: string;
  readonly port: number;
  readonly username: string | undefined;
  readonly password: Secret | undefined;
  readonly database: string | undefined;
  readonly tls: TlsOptions | false;
  readonly applicationName: string;
  /** Further settings of the session, in the form `-c name=value`. */
  readonly sessionOptions: string | undefined;
}

/**
 * Reads a DATABASE_URL such as `postgresql://user:password@host:5432/name?sslmode=verify-full&sslrootcert=ca.pem` or
 * `postgresql:///name?host=/socket/directory&user=name`. TLS as in libpq, but never opportunistic: `require` encrypts
 * without checking the server's certificate (with `sslrootcert` it is `verify-ca`), `verify-ca` checks who signed it,
 * `verify-full` its host name as well, as do `ssl=true` and `sslrootcert` alone. With none of them there is no TLS.
 * Throws an Error that does not show the URL.
 */
export async function parseDatabaseUrl(url: Secret): Promise<DatabaseConnection> {
  const address = parseAddress(url);
  const parts = readParts(address);
  const password = parts('password', address.password);
  const host = parts('host', address.hostname.replace(/^\[(.+)\]$/, '$1')) ?? 'localhost';
  return {
    host,
    port: Number(parts('port', address.port) ?? DEFAULT_PORT),
    username: parts('user', address.username),
    password: password === undefined ? undefined : new Secret(password),
    database: parts('dbname', address.pathname.slice(1)),
    tls: host.startsWith('/') ? false : await readTls(address.searchParams),
    applicationName: parts('application_name') ?? APPLICATION_NAME,
    sessionOptions: parts('options'),
  };
}

/** A parameter of that name wins over the usual part of the URL; empty is as good as absent. */
function readParts(address: URL): (name: string, encoded?: string) => string | undefined {
  return (name, encoded = '') => (address.searchParams.get(name) ?? decode(encoded)) || undefined;
}

/**
 * What is wrong with the way to a database on another machine, in words for the log; null where nothing is. A host that
 * is this machine by its very name, and a socket, need no TLS.
 */
export function insecureWay({ host, tls }: DatabaseConnection): string | null {
  if (host.startsWith('/') || isLoopback(host)) return null;
  const remedy = 'add sslmode=verify-full to DATABASE_URL (and sslrootcert, for an authority of your own)';
  if (tls === false) {
    return `The connection to the database at ${host} is not encrypted: whoever is between can read and change it; ${remedy}.`;
  }
  if (tls.rejectUnauthorized === false) {
    return (
      `The connection to the database at ${host} is encrypted, but nothing proves that it is that server: ` +
      `whoever is between can pretend to be it; ${remedy}.`
    );
  }
  return null;
}

/** The connection to a server that trusts every process that can open its socket. */
export function socketConnection(socket: {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly database: string;
}): DatabaseConnection {
  return {
    ...socket,
    password: undefined,
    tls: false,
    applicationName: APPLICATION_NAME,
    sessionOptions: undefined,
  };
}

/** For `pg.Client` and `pg.Pool`. */
export function clientConfig(connection: DatabaseConnection): ClientConfig {
  const { host, port, username, password, database, tls, applicationName, sessionOptions } = connection;
  return {
    host,
    port,
    ...(username !== undefined && { user: username }),
    ...(password !== undefined && { password: password.reveal() }),
    ...(database !== undefined && { database }),
    ssl: tls,
    application_name: applicationName,
    ...(sessionOptions !== undefined && { options: sessionOptions }),
  };
}

function parseAddress(url: Secret): URL {
  const address = URL.canParse(url.reveal()) ? new URL(url.reveal()) : undefined;
  if (address !== undefined && /^postgres(ql)?:$/.test(address.protocol)) return address;
  throw new Error(
    'DATABASE_URL must be postgresql://user:password@host:port/name with one host; ' +
      'special characters in user and password must be percent-encoded.',
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('DATABASE_URL holds a percent sign that starts no valid code: write it as %25.');
  }
}

async function readTls(parameters: URLSearchParams): Promise<TlsOptions | false> {
  const mode = tlsMode(parameters);
  if (mode === 'disable') return false;
  const [ca, cert, key] = await Promise.all(
    ['sslrootcert', 'sslcert', 'sslkey'].map((name) => readPem(parameters, name)),
  );
  const options = {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
  if (mode === 'verify-full') return options;
  if (mode === 'no-verify' || (mode === 'require' && ca === undefined))
    return { ...options, rejectUnauthorized: false };
  if (ca === undefined) {
    throw new Error('DATABASE_URL: sslmode=verify-ca needs sslrootcert, or use verify-full.');
  }
  return { ...options, checkServerIdentity: () => undefined };
}

function tlsMode(parameters: URLSearchParams): TlsMode {
  const asked = parameters.get('sslmode') ?? impliedMode(parameters);
  const mode = TLS_MODES.find((known) => known === asked);
  if (mode !== undefined) return mode;
  throw new Error(`DATABASE_URL: sslmode must be one of ${TLS_MODES.join(', ')}.`);
}

function impliedMode(parameters: URLSearchParams): TlsMode {
  const isOn = ['1', 'true'].includes(parameters.get('ssl') ?? '') || parameters.has('sslrootcert');
  return isOn ? 'verify-full' : 'disable';
}

/** `system` means the certificate authorities that Node.js knows, as when nothing is named. */
async function readPem(parameters: URLSearchParams, name: string): Promise<string | undefined> {
  const path = parameters.get(name);
  if (path === null || path === 'system') return undefined;
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Error(`DATABASE_URL: the file named by ${name} cannot be read.`, { cause });
  });
}
