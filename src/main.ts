import { EXCHANGE_SETTINGS } from './exchanges/exchange.registry.js';
import { processEnvironment } from './platform/config/environment.js';
import { Settings } from './platform/config/settings.js';
import { createLog } from './platform/logging/log.js';
import { runUntilSignal } from './run.js';
import { startService } from './service.js';

await runUntilSignal(async () => {
  const settings = Settings.read(processEnvironment(), EXCHANGE_SETTINGS);
  const log = createLog({ level: settings.logLevel, readable: process.stdout.isTTY });
  const service = await startService(settings, log);
  log.info({ address: `http://${settings.host}:${settings.port}`, public_url: settings.publicUrl }, 'listening');
  return { log, stop: (limitMs) => service.stop(limitMs) };
});
