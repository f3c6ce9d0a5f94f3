import { resolve } from 'node:path';
import type { Secret } from '../secrets/secret.js';
import { CORE_SETTINGS, type EncryptionKey } from './core.settings.js';
import { dataDirFaults } from './data-dir.js';
import { type Environment, readVariable, type SettingFault } from './environment.js';
import { generateSecrets } from './generated-secrets.js';
import { uniformSecrets } from './own-secrets.js';
import { productionFaults } from './production.js';
import type { Rate, SettingTable, SettingValues } from './setting.js';

export type CoreValues = SettingValues<typeof CORE_SETTINGS>;

/** An OAuth client that is switched on. */
export interface OAuthClientSettings {
  readonly clientId: string;
  readonly clientSecret: Secret | undefined;
}

/** All faults of the environment at once, one line each, by name and without values (contract.md 2). */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(readonly faults: readonly SettingFault[]) {
    super(faults.map(({ name, expected }) => `${name} must be ${expected}`).join('\n'));
  }
}

function readTable(
  environment: Environment,
  table: SettingTable,
): { values: Map<string, unknown>; faults: SettingFault[] } {
  const values = new Map<string, unknown>();
  const faults: SettingFault[] = [];
  for (const [name, setting] of Object.entries(table)) {
    const raw = readVariable(environment, name);
    if (typeof raw === 'object') {
      faults.push(raw);
      continue;
    }
    const source = raw ?? setting.fallback;
    const value = source === undefined ? undefined : setting.parse(source);
    if (value === null) faults.push({ name, expected: setting.expected });
    else values.set(name, value);
  }
  return { values, faults };
}

/** The settings of the service: read once at start, typed, frozen (contract.md 2). */
export class Settings {
  readonly host: string;
  readonly port: number;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  readonly trustProxy: number | readonly string[] | undefined;
  /** Absolute. */
  readonly dataDir: string;
  readonly databaseUrl: Secret | undefined;
  /** The connection of the owner of the schema, where this is not the role of `databaseUrl`. */
  readonly migrationDatabaseUrl: Secret | undefined;
  readonly databasePoolMax: number;
  readonly redisUrl: Secret | undefined;
  readonly accessMode: 'open' | 'whitelist';
  readonly whitelistEmails: readonly string[];
  /** The first signs, all verify. */
  readonly jwtSecrets: readonly Secret[];
  readonly accessTokenTtlMs: number;
  readonly refreshTokenTtlMs: number;
  /** The first encrypts, all decrypt. */
  readonly encryptionKeys: readonly EncryptionKey[];
  readonly passwordPepper: Secret;
  readonly bcryptCost: number;
  readonly smtpUrl: Secret | undefined;
  readonly mailFrom: string;
  /** Undefined: off. */
  readonly google: (OAuthClientSettings & { readonly issuer: string }) | undefined;
  /** Undefined: off. */
  readonly github: (OAuthClientSettings & { readonly url: string; readonly apiUrl: string }) | undefined;
  readonly oauthRedirectUris: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly upstreamTimeoutMs: number;
  readonly marketDataCacheTtlMs: number;
  /** 0: off. */
  readonly catalogueRefreshMs: number;
  readonly apiKeyCacheTtlMs: number;
  readonly confirmSensitive: boolean;
  readonly rateLimitEnabled: boolean;
  readonly rateLimitAuth: Rate;
  readonly rateLimitApi: Rate;
  readonly ordersPerDay: number;
  readonly rateLimitStrangerMails: Rate;
  readonly streamFlushMs: number;
  readonly streamsPerKey: number;
  readonly streamsPerUser: number;
  readonly streamsMax: number;
  readonly fastLane: boolean;
  /** Whether `POST /mcp` is there. */
  readonly mcp: boolean;
  readonly metricsPort: number | undefined;
  readonly accessLog: boolean;
  readonly traceUpstream: boolean;
  readonly logLevel: CoreValues['LOG_LEVEL'];

  readonly #extension: ReadonlyMap<string, unknown>;

  private constructor(values: CoreValues & GeneratedValues, extension: ReadonlyMap<string, unknown>) {
    this.host = values.HOST;
    this.port = values.PORT;
    this.publicUrl = values.PUBLIC_URL ?? `http://localhost:${values.PORT}`;
    this.trustProxy = values.TRUST_PROXY;
    this.dataDir = resolve(values.DATA_DIR);
    this.databaseUrl = values.DATABASE_URL;
    this.migrationDatabaseUrl = values.MIGRATION_DATABASE_URL;
    this.databasePoolMax = values.DATABASE_POOL_MAX;
    this.redisUrl = values.REDIS_URL;
    this.accessMode = values.ACCESS_MODE;
    this.whitelistEmails = values.WHITELIST_EMAILS;
    this.jwtSecrets = values.JWT_SECRET;
    this.accessTokenTtlMs = values.ACCESS_TOKEN_TTL;
    this.refreshTokenTtlMs = values.REFRESH_TOKEN_TTL;
    this.encryptionKeys = values.ENCRYPTION_KEYS;
    this.passwordPepper = values.PASSWORD_PEPPER;
    this.bcryptCost = values.BCRYPT_COST;
    this.smtpUrl = values.SMTP_URL;
    this.mailFrom = values.MAIL_FROM;
    this.google = googleSettings(values);
    this.github = githubSettings(values);
    this.oauthRedirectUris = values.OAUTH_REDIRECT_URIS ?? [`${this.publicUrl}/dashboard/oauth/callback`];
    this.corsOrigins = values.CORS_ORIGINS ?? defaultOrigins(this.publicUrl, values);
    this.upstreamTimeoutMs = values.UPSTREAM_TIMEOUT;
    this.marketDataCacheTtlMs = values.MARKET_DATA_CACHE_TTL;
    this.catalogueRefreshMs = values.CATALOGUE_REFRESH;
    this.apiKeyCacheTtlMs = values.API_KEY_CACHE_TTL;
    this.confirmSensitive = values.CONFIRM_SENSITIVE;
    this.rateLimitEnabled = values.RATE_LIMIT_ENABLED;
    this.rateLimitAuth = values.RATE_LIMIT_AUTH;
    this.rateLimitApi = values.RATE_LIMIT_API;
    this.ordersPerDay = values.ORDERS_PER_DAY;
    this.rateLimitStrangerMails = values.RATE_LIMIT_STRANGER_MAILS;
    this.streamFlushMs = values.STREAM_FLUSH;
    this.streamsPerKey = values.STREAMS_PER_KEY;
    this.streamsPerUser = values.STREAMS_PER_USER;
    this.streamsMax = values.STREAMS_MAX;
    this.fastLane = values.FAST_LANE;
    this.mcp = values.MCP;
    this.metricsPort = values.METRICS_PORT;
    this.accessLog = values.ACCESS_LOG;
    this.traceUpstream = values.TRACE_UPSTREAM;
    this.logLevel = values.LOG_LEVEL;
    this.#extension = extension;
    Object.freeze(this);
  }

  /**
   * Reads and checks everything; `extension` holds the settings of the exchanges. Outside production missing secrets are
   * generated once into `DATA_DIR`. Throws SettingsError with all faults together.
   */
  static read(environment: Environment, extension: SettingTable = {}): Settings {
    const core = readTable(environment, CORE_SETTINGS);
    const more = readTable(environment, extension);
    const together = [
      ...uniformSecrets(core.values),
      ...productionFaults(core.values, more.values),
      ...dataDirFaults(core.values),
    ];
    const faults = [...core.faults, ...more.faults, ...together];
    if (faults.length > 0) throw new SettingsError(faults);
    const values = Object.fromEntries(core.values) as CoreValues;
    return new Settings({ ...values, ...completeSecrets(values) }, more.values);
  }

  /** Reads only the settings that name the database, for a process that needs no others. */
  static readDatabase(environment: Environment): Pick<Settings, 'databaseUrl' | 'migrationDatabaseUrl' | 'dataDir'> {
    const { DATA_DIR, DATABASE_URL, MIGRATION_DATABASE_URL } = CORE_SETTINGS;
    const { values, faults } = readTable(environment, { DATA_DIR, DATABASE_URL, MIGRATION_DATABASE_URL });
    if (faults.length > 0) throw new SettingsError(faults);
    const read = Object.fromEntries(values) as CoreValues;
    return {
      databaseUrl: read.DATABASE_URL,
      migrationDatabaseUrl: read.MIGRATION_DATABASE_URL,
      dataDir: resolve(read.DATA_DIR),
    };
  }

  /** The values of one exchange's own settings. */
  extension<Table extends SettingTable>(table: Table): SettingValues<Table> {
    return Object.fromEntries(
      Object.keys(table).map((name) => [name, this.#extension.get(name)]),
    ) as SettingValues<Table>;
  }
}

type GeneratedValues = Required<{
  [Name in 'JWT_SECRET' | 'ENCRYPTION_KEYS' | 'PASSWORD_PEPPER']: NonNullable<CoreValues[Name]>;
}>;

function completeSecrets(values: CoreValues): GeneratedValues {
  const { JWT_SECRET, ENCRYPTION_KEYS, PASSWORD_PEPPER } = values;
  if (JWT_SECRET && ENCRYPTION_KEYS && PASSWORD_PEPPER) return { JWT_SECRET, ENCRYPTION_KEYS, PASSWORD_PEPPER };
  const generated = readTable(generateSecrets(resolve(values.DATA_DIR)), {
    JWT_SECRET: CORE_SETTINGS.JWT_SECRET,
    ENCRYPTION_KEYS: CORE_SETTINGS.ENCRYPTION_KEYS,
    PASSWORD_PEPPER: CORE_SETTINGS.PASSWORD_PEPPER,
  });
  if (generated.faults.length > 0) throw new SettingsError(generated.faults);
  const fresh = Object.fromEntries(generated.values) as GeneratedValues;
  return {
    JWT_SECRET: JWT_SECRET ?? fresh.JWT_SECRET,
    ENCRYPTION_KEYS: ENCRYPTION_KEYS ?? fresh.ENCRYPTION_KEYS,
    PASSWORD_PEPPER: PASSWORD_PEPPER ?? fresh.PASSWORD_PEPPER,
  };
}

function googleSettings(values: CoreValues): Settings['google'] {
  const { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret, GOOGLE_ISSUER: issuer } = values;
  return clientId === undefined ? undefined : { clientId, clientSecret, issuer };
}

function githubSettings(values: CoreValues): Settings['github'] {
  const { GITHUB_CLIENT_ID: clientId, GITHUB_CLIENT_SECRET: clientSecret } = values;
  if (clientId === undefined) return undefined;
  return { clientId, clientSecret, url: values.GITHUB_URL, apiUrl: values.GITHUB_API_URL };
}

/** Origins of the pages of the service, and outside production of pages of this machine (S-43). */
function defaultOrigins(publicUrl: string, values: CoreValues): string[] {
  const local = [`http://localhost:${values.PORT}`, `http://127.0.0.1:${values.PORT}`];
  const origins = [new URL(publicUrl).origin, ...(values.NODE_ENV === 'production' ? [] : local)];
  return [...new Set(origins)];
}
