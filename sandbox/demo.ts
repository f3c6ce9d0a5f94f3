import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EXCHANGE_SETTINGS } from '../src/exchanges/exchange.registry.js';
import { processEnvironment } from '../src/platform/config/environment.js';
import { Settings } from '../src/platform/config/settings.js';
import { createLog } from '../src/platform/logging/log.js';
import { runUntilSignal } from '../src/run.js';
import { startService } from '../src/service.js';
import { DemoAccount } from './demo/account.js';
import { demoEnvironment, demoMoves, exchangeAddresses, streamKeys } from './demo/environment.js';
import { demoText } from './demo/text.js';
import { startSandbox, writeAddresses } from './sandbox.js';

/** Earlier versions kept the demo's account among the real ones, which the demo leaves alone now (S-57). */
function noteEarlierDemo(dataDir: string): void {
  const above = dirname(dataDir);
  if (!existsSync(join(above, 'demo.json'))) return;
  process.stdout.write(
    `\nAn earlier demo left its account in ${above}; this one keeps everything in ${dataDir} and leaves that alone.\n` +
      'To clear up: npm run users -- delete demo@example.com, then remove demo.json and sandbox.json there.\n',
  );
}

await runUntilSignal(async () => {
  const base = processEnvironment(null);
  const environment = demoEnvironment(base);
  const sandbox = await startSandbox({ moves: demoMoves(base), many: true });
  try {
    const settings = Settings.read(
      { ...environment, ...exchangeAddresses(sandbox.addresses), ...streamKeys(sandbox.addresses) },
      EXCHANGE_SETTINGS,
    );
    const log = createLog({ level: settings.logLevel, readable: true });
    const service = await startService(settings, log, { persistAuthorization: true });
    // Only now: a second start on a taken port must not overwrite what the first one wrote.
    await writeAddresses(settings.dataDir, sandbox.addresses);
    const address = `http://127.0.0.1:${settings.port}`;
    const account = await DemoAccount.open(address, settings.dataDir);
    await account.storeCredentials(sandbox);
    const key = await account.renewApiKey();
    const agentKey = settings.mcp ? await account.renewAgentKey() : null;
    const text = await demoText({ address, key, account, outbox: join(settings.dataDir, 'outbox'), agentKey });
    process.stdout.write(text);
    noteEarlierDemo(settings.dataDir);
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
