import { join } from 'node:path';
import { EXCHANGE_SETTINGS } from '../src/exchanges/exchange.registry.js';
import { type Environment, processEnvironment } from '../src/platform/config/environment.js';
import { Settings } from '../src/platform/config/settings.js';
import { createLog } from '../src/platform/logging/log.js';
import { runUntilSignal } from '../src/run.js';
import { startService } from '../src/service.js';
import { DemoAccount } from './demo-account.js';
import { demoText } from './demo-text.js';
import { type Sandbox, startSandbox, writeAddresses } from './sandbox.js';

/** The demo is the whole service on loopback with play money: never a real database, mail server or exchange. */
function demoEnvironment(sandbox: Sandbox, base: Environment): Environment {
  return {
    ...base,
    NODE_ENV: 'development',
    DATABASE_URL: undefined,
    DATABASE_URL_FILE: undefined,
    REDIS_URL: undefined,
    REDIS_URL_FILE: undefined,
    SMTP_URL: undefined,
    SMTP_URL_FILE: undefined,
    LOG_LEVEL: base.LOG_LEVEL ?? 'warn',
    KALSHI_API_URL: sandbox.addresses.kalshi.api_url,
    POLYMARKET_CLOB_URL: sandbox.addresses.polymarket.clob_url,
    POLYMARKET_GAMMA_URL: sandbox.addresses.polymarket.gamma_url,
    POLYMARKET_DATA_URL: sandbox.addresses.polymarket.data_url,
  };
}

await runUntilSignal(async () => {
  const base = processEnvironment(null);
  const dataDir = base.DATA_DIR ?? '.data';
  const sandbox = await startSandbox();
  try {
    const settings = Settings.read(demoEnvironment(sandbox, base), EXCHANGE_SETTINGS);
    const log = createLog({ level: settings.logLevel, readable: true });
    const service = await startService(settings, log);
    // Only now: a second start on a taken port must not overwrite what the first one wrote.
    await writeAddresses(dataDir, sandbox.addresses);
    const address = `http://127.0.0.1:${settings.port}`;
    const account = await DemoAccount.open(address, settings.dataDir);
    await account.storeCredentials(sandbox.addresses);
    const key = await account.renewApiKey();
    const text = await demoText({ address, key, account, sandbox, outbox: join(settings.dataDir, 'outbox') });
    process.stdout.write(text);
    return {
      log,
      stop: async (limitMs) => {
        await service.stop(limitMs);
        await sandbox.close();
      },
    };
  } catch (error) {
    await sandbox.close();
    throw error;
  }
});
