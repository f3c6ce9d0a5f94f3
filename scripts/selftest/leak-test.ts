import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { exchangeAddresses, exchangeCredentials } from '../../sandbox/demo/environment.js';
import { type SandboxAddresses, startSandbox } from '../../sandbox/sandbox.js';
import { EXCHANGE_SETTINGS } from '../../src/exchanges/exchange.registry.js';
import type { Environment } from '../../src/platform/config/environment.js';
import { Settings } from '../../src/platform/config/settings.js';
import { createLog } from '../../src/platform/logging/log.js';
import { startService } from '../../src/service.js';
import { Driver, type Stand } from './drive.js';
import { LeakHunt } from './leak-hunt.js';
import { MailSink } from './mail-sink.js';

const SMTP_USER = 'mailer';

/** What was driven, and what was found. */
export interface LeakReport {
  readonly operations: number;
  /** Answers that the answer lane or what keeps finished answers repeated. */
  readonly repeated: number;
  /** Of the secrets that were looked for. */
  readonly kinds: readonly string[];
  /** Those that were seen where the contract shows them. */
  readonly shown: readonly string[];
  /** `kind in place`; empty where nothing leaks. */
  readonly findings: readonly string[];
}

/** Settings whose secrets are planted, as many kinds as there are; the exchanges are those of the sandbox. */
function plantedSettings(hunt: LeakHunt): Environment {
  const fresh = (): string => randomBytes(32).toString('base64url');
  const masterKey = hunt.plant('master key', randomBytes(32).toString('base64'));
  hunt.plant('master key', Buffer.from(masterKey, 'base64').toString('hex'));
  return {
    NODE_ENV: 'test',
    BCRYPT_COST: '4',
    LOG_LEVEL: 'trace',
    ACCESS_LOG: 'true',
    JWT_SECRET: hunt.plant('JWT secret', fresh()),
    PASSWORD_PEPPER: hunt.plant('pepper', fresh()),
    ENCRYPTION_KEYS: `k1:${masterKey}`,
    GITHUB_CLIENT_ID: 'client',
    GITHUB_CLIENT_SECRET: hunt.plant('OAuth client secret', fresh()),
    GITHUB_URL: 'http://127.0.0.1:9',
    GITHUB_API_URL: 'http://127.0.0.1:9',
    UPSTREAM_TIMEOUT: '2s',
    RATE_LIMIT_AUTH: '1000000/1m',
    RATE_LIMIT_API: '1000000/1m',
  };
}

function plantCredentials(hunt: LeakHunt, { kalshi, polymarket }: SandboxAddresses): void {
  hunt.plant('Kalshi private key', kalshi.private_key.split('\n').slice(1, -2).join(''));
  hunt.plant('Kalshi private key', kalshi.private_key.split('\n')[3] ?? '');
  hunt.plant('Kalshi access key', kalshi.access_key);
  hunt.plant('Polymarket API key', polymarket.api_key);
  hunt.plant('Polymarket secret', polymarket.secret);
  hunt.plant('Polymarket passphrase', polymarket.passphrase);
}

/** Every row of every table as text: what a dump of the database holds. */
async function noteTables(hunt: LeakHunt, database: DataSource): Promise<void> {
  const tables: { name: string }[] = await database.query(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  for (const { name } of tables) {
    // eslint-disable-next-line own/constant-sql -- names that the database has quoted
    const rows: { row: string }[] = await database.query(`SELECT t::text AS row FROM ${name} t`);
    hunt.note(`table ${name}`, rows.map(({ row }) => row).join('\n'));
  }
}

/** What one round gives: how many operations were driven, and how many answers were repeated. */
type Round = Pick<LeakReport, 'operations' | 'repeated'>;

/** Starts the service, drives all of it, and notes its log, metrics and tables. */
async function drive(
  environment: Environment & { readonly PORT: string },
  stand: Omit<Stand, 'url'>,
  hunt: LeakHunt,
): Promise<Round> {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLog({ level: 'trace', readable: false, destination });
  const service = await startService(Settings.read(environment, EXCHANGE_SETTINGS), log);
  try {
    const url = `http://127.0.0.1:${environment.PORT}`;
    const operations = await new Driver({ ...stand, url }, hunt).run();
    const metrics = await (await fetch(`${url}/metrics`)).text();
    hunt.note('metrics', metrics);
    await noteTables(hunt, service.app.get(DataSource));
    const [, repeated] = /^trading_proxy_answer_cache_uses_total\{result="hit"\} (\d+)$/m.exec(metrics) ?? [];
    return { operations, repeated: Number(repeated ?? 0) };
  } finally {
    await service.stop(0);
    hunt.note('log', lines.join(''));
  }
}

/**
 * Starts the service with planted secrets, drives every operation, and looks for the secrets in all that came out and all that is
 * kept (S-28, S-36, S-39, S-40, S-45): once with the answer lane, and once with a Redis, which there is no lane beside. `place` says
 * where the service listens and stores.
 */
export async function testForLeaks(place: Environment & { readonly PORT: string }): Promise<LeakReport> {
  const hunt = new LeakHunt();
  const smtpPassword = hunt.plant('SMTP password', randomBytes(32).toString('base64url'));
  const redisPassword = hunt.plant('Redis password', randomBytes(32).toString('base64url'));
  const mails = new MailSink(SMTP_USER, smtpPassword);
  const smtpUrl = `smtp://${SMTP_USER}:${smtpPassword}@127.0.0.1:${await mails.listen()}`;
  const sandbox = await startSandbox();
  try {
    plantCredentials(hunt, sandbox.addresses);
    const environment = {
      ...plantedSettings(hunt),
      SMTP_URL: smtpUrl,
      ...exchangeAddresses(sandbox.addresses),
      ...place,
    };
    const stand = { mails, credentials: exchangeCredentials(sandbox.addresses) };
    const withLane = await drive({ ...environment, FAST_LANE: 'true' }, { ...stand, people: 'lane' }, hunt);
    const redisUrl = `redis://:${redisPassword}@127.0.0.1:9`;
    await drive({ ...environment, REDIS_URL: redisUrl }, { ...stand, people: 'redis' }, hunt);
    for (const { text } of mails.mails) hunt.note('mail', text);
    return { ...withLane, kinds: hunt.kinds, shown: hunt.shown(), findings: hunt.findings() };
  } finally {
    await mails.close();
    await sandbox.close();
  }
}
