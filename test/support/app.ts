import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { DataSource } from 'typeorm';
import { EXCHANGE_SETTINGS } from '../../src/exchanges/exchange.registry.js';
import type { Environment } from '../../src/platform/config/environment.js';
import { Settings } from '../../src/platform/config/settings.js';
import { createLog } from '../../src/platform/logging/log.js';
import { startService } from '../../src/service.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { freePort } from './loopback.js';

/** The whole service, listening, on a database of its own. */
export interface TestApp {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly settings: Settings;
  readonly database: TestDatabase;
  readonly dataDir: string;
  /** Every line logged so far. */
  readonly logLines: readonly string[];
  /** A provider of the application, by its class. */
  get<T>(token: new (...dependencies: never[]) => T): T;
  /** Rows of one statement on the service's own database. */
  query(sql: string, parameters?: unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

const FIXED_SECRETS = {
  JWT_SECRET: 'test-jwt-secret-0123456789abcdefghijklmnop',
  ENCRYPTION_KEYS: `t1:${Buffer.alloc(32, 7).toString('base64')}`,
  PASSWORD_PEPPER: 'test-pepper-0123456789abcdefghijklmnopqrst',
};

/** No test calls an exchange's own host: one that starts no sandbox finds nobody behind the port that is reserved for that. */
export const NO_EXCHANGES: Environment = Object.fromEntries(
  Object.keys(EXCHANGE_SETTINGS)
    .filter((name) => name.endsWith('_URL'))
    .map((name) => [name, name.endsWith('_WS_URL') ? 'ws://127.0.0.1:9' : 'http://127.0.0.1:9']),
);

/** Those that a test file has started and not closed. */
const open = new Set<TestApp>();

/** Where instances on one database keep their files: any of them may send a mail that another was asked for. */
const dataDirs = new WeakMap<TestDatabase, string>();

// Of a test that failed before it closed them: they would go on, and write, beside the next file of this worker.
afterAll(async () => {
  for (const app of open) await app.close();
});

/** What a service of a test runs on: fixed secrets, cheap hashes, debug log lines. */
export function testEnvironment(place: { port: number; dataDir: string; database: TestDatabase }): Environment {
  return {
    NODE_ENV: 'test',
    PORT: String(place.port),
    DATA_DIR: place.dataDir,
    DATABASE_URL: place.database.url,
    BCRYPT_COST: '4',
    LOG_LEVEL: 'debug',
    RATE_LIMIT_ENABLED: 'false',
    API_KEY_CACHE_TTL: '0',
    CATALOGUE_REFRESH: '0',
    ...NO_EXCHANGES,
    ...FIXED_SECRETS,
  };
}

/** Starts the service as `npm start` would, with cheap hashes, debug log lines kept in memory, and `overrides`. */
export async function startTestApp(overrides: Environment = {}, database?: TestDatabase): Promise<TestApp> {
  const own = database ?? (await createTestDatabase());
  const shared = dataDirs.get(own);
  const dataDir = shared ?? (await mkdtemp(join(tmpdir(), 'trading-proxy-test-')));
  dataDirs.set(own, dataDir);
  const port = await freePort();
  const settings = Settings.read(
    { ...testEnvironment({ port, dataDir, database: own }), ...overrides },
    EXCHANGE_SETTINGS,
  );
  const logLines: string[] = [];
  const log = createLog({
    level: settings.logLevel,
    readable: false,
    destination: { write: (line) => void logLines.push(line) },
  });
  const service = await startService(settings, log);
  const started: TestApp = {
    url: `http://127.0.0.1:${port}`,
    settings,
    database: own,
    dataDir,
    logLines,
    get: (token) => service.app.get(token),
    query: (sql, parameters = []) => service.app.get(DataSource).query(sql, parameters),
    close: async () => {
      if (!open.delete(started)) return;
      await service.stop(0);
      if (database === undefined) await own.drop();
      if (shared === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
  open.add(started);
  return started;
}
