import { isIP } from 'node:net';
import { Secret } from '../secrets/secret.js';
import {
  baseUrl,
  duration,
  flag,
  oneOf,
  rate,
  secretText,
  type Setting,
  splitList,
  text,
  wholeNumber,
} from './setting.js';
import { STREAM_SETTINGS } from './stream.settings.js';

const DAY_MS = 86_400_000;
const MIN_SECRET_BYTES = 32;

/** One key of the ring that seals credentials (S-38). */
export interface EncryptionKey {
  readonly id: string;
  readonly key: Secret;
}

function all<T>(items: readonly (T | null)[]): T[] | null {
  const good = items.filter((item) => item !== null);
  return good.length === items.length && good.length > 0 ? good : null;
}

function isDistinct(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

function parseSecrets(value: string): Secret[] | null {
  const parts = splitList(value);
  const good = parts.every((part) => Buffer.byteLength(part) >= MIN_SECRET_BYTES) && isDistinct(parts);
  return good && parts.length > 0 ? parts.map((part) => new Secret(part)) : null;
}

function parseEncryptionKey(value: string): EncryptionKey | null {
  const match = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/.exec(value);
  const [, id, key] = match ?? [];
  return id !== undefined && key !== undefined ? { id, key: new Secret(key) } : null;
}

function parseEncryptionKeys(value: string): EncryptionKey[] | null {
  const keys = all(splitList(value).map(parseEncryptionKey));
  const distinct =
    keys !== null && isDistinct(keys.map(({ id }) => id)) && isDistinct(keys.map(({ key }) => key.reveal()));
  return distinct ? keys : null;
}

function parsePublicUrl(value: string): string | null {
  return baseUrl({ description: '', fallback: undefined }).parse(value);
}

/** Names that Express knows for groups of addresses. */
const KNOWN_NETWORKS = new Set(['loopback', 'linklocal', 'uniquelocal']);

function isNetwork(text: string): boolean {
  const [address = '', bits] = text.split('/', 2);
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return (
    KNOWN_NETWORKS.has(text) ||
    (longest > 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest)))
  );
}

function parseTrustProxy(value: string): number | string[] | null {
  if (/^([1-9]|10)$/.test(value)) return Number(value);
  const networks = splitList(value);
  return networks.length > 0 && networks.every(isNetwork) ? networks : null;
}

function parseOrigins(value: string): string[] | null {
  const origins = splitList(value);
  return origins.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin) ? origins : null;
}

function parseRedirectUris(value: string): string[] | null {
  const uris = splitList(value);
  return uris.length > 0 && uris.every((uri) => URL.canParse(uri) && new URL(uri).hash === '') ? uris : null;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

function parseIssuer(value: string): string | null {
  const url = baseUrl({ description: '', fallback: undefined }).parse(value);
  return url === null || url.startsWith('https:') || LOOPBACK.has(new URL(url).hostname) ? url : null;
}

function parseConnection(value: string, protocols: RegExp): Secret | null {
  return URL.canParse(value) && protocols.test(new URL(value).protocol) ? new Secret(value) : null;
}

function optional<T>(facts: Omit<Setting<T>, 'fallback'>): Setting<T> & { readonly fallback: undefined } {
  return { ...facts, fallback: undefined };
}

function withFallback<T>(
  facts: Setting<T> & { readonly fallback: string },
): Setting<T> & { readonly fallback: string } {
  return facts;
}

/** Every setting of the service itself, in the order of contract.md 2; the folder of each exchange has its settings. */
export const CORE_SETTINGS = {
  NODE_ENV: oneOf(['development', 'production', 'test'], {
    description: 'production refuses generated secrets, the embedded database and the file outbox',
    fallback: 'development',
  }),
  HOST: withFallback({
    description: 'address to listen on',
    expected: 'an IP address or localhost',
    fallback: '127.0.0.1',
    parse: (value) => (isIP(value) !== 0 || value === 'localhost' ? value : null),
  }),
  PORT: wholeNumber({
    description: 'port to listen on; a taken one is an error',
    fallback: '3000',
    min: 1,
    max: 65535,
  }),
  PUBLIC_URL: optional({
    description: 'base of links in mails, OAuth and docs; http://localhost:$PORT where unset',
    expected: 'an http: or https: address without user, query and fragment (https: in production)',
    parse: parsePublicUrl,
  }),
  TRUST_PROXY: optional({
    description: 'trusted reverse proxies: how many hops, or their addresses, comma-separated',
    expected: 'a whole number from 1 to 10, or addresses such as 10.0.0.0/8, comma-separated',
    parse: parseTrustProxy,
  }),
  DATA_DIR: text({
    description: 'embedded database, generated secrets (mode 0600), mail outbox',
    fallback: '.data',
  }),
  DATABASE_URL: optional({
    description: 'PostgreSQL; unset means the embedded one',
    expected: 'a postgres: or postgresql: address',
    parse: (value) => parseConnection(value, /^postgres(ql)?:$/),
  }),
  MIGRATION_DATABASE_URL: optional({
    description:
      'the same database as the owner of its schema, who makes the role of DATABASE_URL; unset: DATABASE_URL',
    expected: 'a postgres: or postgresql: address',
    parse: (value) => parseConnection(value, /^postgres(ql)?:$/),
  }),
  DATABASE_POOL_MAX: wholeNumber({ description: 'connections to PostgreSQL', fallback: '10', min: 1, max: 1000 }),
  REDIS_URL: optional({
    description: 'request rates shared over several instances; unset means per process',
    expected: 'a redis: or rediss: address',
    parse: (value) => parseConnection(value, /^rediss?:$/),
  }),
  ACCESS_MODE: oneOf(['open', 'whitelist'], { description: 'who may sign up', fallback: 'open' }),
  WHITELIST_EMAILS: withFallback({
    description: 'pre-approved addresses, comma-separated, beside those in the database',
    expected: 'e-mail addresses, comma-separated',
    fallback: '',
    parse: (value) => {
      const emails = splitList(value).map((email) => email.toLowerCase());
      return emails.every((email) => /^[^@\s]+@[^@\s]+$/.test(email)) ? emails : null;
    },
  }),
  JWT_SECRET: optional({
    description: 'signs access tokens; a comma-separated list verifies with all and signs with the first',
    expected: 'one or more different texts of 32 bytes or more, comma-separated',
    parse: parseSecrets,
  }),
  ACCESS_TOKEN_TTL: duration({
    description: 'life of an access token',
    fallback: '15m',
    minMs: 1_000,
    maxMs: 30 * DAY_MS,
    range: 'from 1s to 30d',
  }),
  REFRESH_TOKEN_TTL: duration({
    description: 'life of a session, counted from sign-in',
    fallback: '30d',
    minMs: 1_000,
    maxMs: 400 * DAY_MS,
    range: 'from 1s to 400d',
  }),
  ENCRYPTION_KEYS: optional({
    description: 'seal exchange credentials; the first encrypts, all decrypt',
    expected: 'different keys in the form id:base64 of 32 bytes, comma-separated',
    parse: parseEncryptionKeys,
  }),
  PASSWORD_PEPPER: optional({
    description: 'mixed into every password before it is hashed',
    expected: 'a text of 32 bytes or more',
    parse: (value) => (Buffer.byteLength(value) >= MIN_SECRET_BYTES ? new Secret(value) : null),
  }),
  BCRYPT_COST: wholeNumber({
    description: 'cost of a password hash; at least 10 in production',
    fallback: '12',
    min: 4,
    max: 20,
  }),
  SMTP_URL: optional({
    description: 'mail server; unset means files in $DATA_DIR/outbox',
    expected: 'an smtp: or smtps: address',
    parse: (value) => parseConnection(value, /^smtps?:$/),
  }),
  SMTP_ALLOW_PLAINTEXT: flag({
    description: 'lets production send mails, and the links in them, over an SMTP_URL without verified TLS',
    fallback: 'false',
  }),
  MAIL_FROM: withFallback({
    description: 'sender of mails',
    expected: 'an address on one line, such as Trading Proxy <no-reply@example.com>',
    fallback: 'Trading Proxy <no-reply@localhost>',
    parse: (value) => (/^[^\r\n<>]*<[^@\s<>]+@[^@\s<>]+>$|^[^@\s<>]+@[^@\s<>]+$/.test(value) ? value : null),
  }),
  GOOGLE_CLIENT_ID: optional({
    description: 'OAuth client at Google; unset: off',
    expected: 'a text',
    parse: (v) => v,
  }),
  GOOGLE_CLIENT_SECRET: secretText({ description: 'its secret', fallback: undefined }),
  GOOGLE_ISSUER: withFallback({
    description: 'OpenID issuer',
    expected: 'an https: address without user, query and fragment (http: on loopback, outside production)',
    fallback: 'https://accounts.google.com',
    parse: parseIssuer,
  }),
  GITHUB_CLIENT_ID: optional({
    description: 'OAuth client at GitHub; unset: off',
    expected: 'a text',
    parse: (v) => v,
  }),
  GITHUB_CLIENT_SECRET: secretText({ description: 'its secret', fallback: undefined }),
  GITHUB_URL: baseUrl({ description: 'where GitHub asks its users', fallback: 'https://github.com' }),
  GITHUB_API_URL: baseUrl({ description: 'where GitHub answers programs', fallback: 'https://api.github.com' }),
  OAUTH_REDIRECT_URIS: optional({
    description: 'exact allow-list, comma-separated; $PUBLIC_URL/dashboard/oauth/callback where unset',
    expected: 'absolute addresses without a fragment, comma-separated',
    parse: parseRedirectUris,
  }),
  CORS_ORIGINS: optional({
    description: 'exact allow-list, comma-separated; the origin of $PUBLIC_URL where unset',
    expected: 'origins such as https://example.com, comma-separated',
    parse: parseOrigins,
  }),
  UPSTREAM_TIMEOUT: duration({
    description: 'one exchange call, whole; one without header lines ends after 5s, whatever this is',
    fallback: '10s',
    minMs: 1,
    maxMs: 60_000,
    range: 'from 1ms to 60s',
  }),
  MARKET_DATA_CACHE_TTL: duration({
    description: 'how long public market data is kept; 0 is off',
    fallback: '250ms',
    minMs: 0,
    maxMs: 60_000,
    range: 'from 0 to 60s',
  }),
  CATALOGUE_REFRESH: duration({
    description: 'how often the open markets of all exchanges are walked, for GET /markets; 0 is off',
    fallback: '10m',
    minMs: 0,
    maxMs: DAY_MS,
    range: 'from 0 to 1d',
  }),
  API_KEY_CACHE_TTL: duration({
    description: 'how long the facts of an API key are kept; 0 is off',
    fallback: '1s',
    minMs: 0,
    maxMs: 5_000,
    range: 'from 0 to 5s',
  }),
  CONFIRM_SENSITIVE: flag({
    description: 'a session older than 30 minutes confirms before it makes a key that trades or stores credentials',
    fallback: 'true',
  }),
  RATE_LIMIT_ENABLED: flag({ description: 'request and log-in-failure limits; mail limits stay', fallback: 'true' }),
  RATE_LIMIT_AUTH: rate({ description: 'per client address on the public POST /auth/*', fallback: '30/1m' }),
  RATE_LIMIT_API: rate({
    description: 'per user for API keys and, counted apart, for sessions; cancels have a limit of their own',
    fallback: '1200/1m',
  }),
  ORDERS_PER_DAY: wholeNumber({
    description: 'orders and transfers that one user may ask for on a UTC day; never off',
    fallback: '200000',
    min: 1,
    max: 10_000_000,
  }),
  RATE_LIMIT_STRANGER_MAILS: rate({
    description: 'mails to addresses without an account, whoever asks; never off',
    fallback: '200/1h',
  }),
  ...STREAM_SETTINGS,
  FAST_LANE: flag({
    description: 'public market data that was just answered is answered again before the framework',
    fallback: 'true',
  }),
  MCP: flag({
    description: 'tools for AI agents at POST /mcp, for keys of bots alone',
    fallback: 'false',
  }),
  METRICS_PORT: wholeNumber({
    description: 'own port of /metrics; unset: on PORT, for this machine alone',
    fallback: undefined,
    min: 1,
    max: 65535,
  }),
  ACCESS_LOG: flag({
    description: 'a JSON line a request, at every LOG_LEVEL: route, status, bytes, time, caller',
    fallback: 'false',
  }),
  TRACE_UPSTREAM: flag({
    description: 'sends traceparent and tracestate of a request with its calls to the exchanges',
    fallback: 'false',
  }),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    description: 'JSON lines; readable on a terminal',
    fallback: 'info',
  }),
};
