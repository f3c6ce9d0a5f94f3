import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { exchangeAddresses, exchangeCredentials } from '../../sandbox/demo/environment.js';
import { type SandboxAddresses, startSandbox } from '../../sandbox/sandbox.js';
import { EXCHANGE_SETTINGS } from '../../src/exchanges/exchange.registry.js';
import type { Environment } from '../../src/platform/config/environment.js';
import { Settings } from '../../src/platform/config/settings.js';
import { createLog } from '../../src/platform/logging/log.js';
import { startService } from '../../src/service.js';
import { Driver } from './drive.js';
import { LeakHunt } from './leak-hunt.js';
import { MailSink } from './mail-sink.js';

const SMTP_USER = 'mailer';

/** What was driven, and what was found. */
export interface LeakReport {
  readonly operations: number;
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
    REDIS_URL: `redis://:${hunt.plant('Redis password', fresh())}@127.0.0.1:9`,
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

/**
 * Starts the service with planted secrets, drives every operation, and looks for the secrets in all that came out and all that is
 * kept (S-28, S-36, S-39, S-40, S-45). `place` says where the service listens and stores.
 */
export async function testForLeaks(place: Environment & { readonly PORT: string }): Promise<LeakReport> {
  const hunt = new LeakHunt();
  const smtpPassword = hunt.plant('SMTP password', randomBytes(32).toString('base64url'));
  const mails = new MailSink(SMTP_USER, smtpPassword);
  const smtpUrl = `smtp://${SMTP_USER}:${smtpPassword}@127.0.0.1:${await mails.listen()}`;
  const sandbox = await startSandbox();
  const closing: (() => Promise<unknown>)[] = [() => mails.close(), () => sandbox.close()];
  try {
    plantCredentials(hunt, sandbox.addresses);
    const environment = {
      ...plantedSettings(hunt),
      SMTP_URL: smtpUrl,
      ...exchangeAddresses(sandbox.addresses),
      ...place,
    };
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const log = createLog({ level: 'trace', readable: false, destination });
    const service = await startService(Settings.read(environment, EXCHANGE_SETTINGS), log);
    closing.unshift(() => service.stop(0));
    const url = `http://127.0.0.1:${place.PORT}`;
    const credentials = exchangeCredentials(sandbox.addresses);
    const operations = await new Driver({ url, mails, credentials }, hunt).run();
    hunt.note('metrics', await (await fetch(`${url}/metrics`)).text());
    for (const { text } of mails.mails) hunt.note('mail', text);
    hunt.note('log', lines.join(''));
    await noteTables(hunt, service.app.get(DataSource));
    return { operations, kinds: hunt.kinds, shown: hunt.shown(), findings: hunt.findings() };
  } finally {
    for (const close of closing) await close();
  }
}
