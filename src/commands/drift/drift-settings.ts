import { tmpdir } from 'node:os';
import { parseEnv } from 'node:util';
import { EXCHANGE_SETTINGS } from '../../exchanges/exchange.registry.js';
import type { Environment } from '../../platform/config/environment.js';
import { freshSecrets } from '../../platform/config/generated-secrets.js';
import { Settings } from '../../platform/config/settings.js';

/**
 * The addresses of the exchanges and the time of a call, as the service has them. Nothing else is read, and the secrets are
 * made up, so that the command runs where the service is not set up, and writes nothing. Throws SettingsError.
 */
export function driftSettings(environment: Environment): Settings {
  const used = ['UPSTREAM_TIMEOUT', ...Object.keys(EXCHANGE_SETTINGS)].flatMap((name) => [name, `${name}_FILE`]);
  const taken = Object.fromEntries(used.map((name) => [name, environment[name]]));
  return Settings.read({ ...taken, ...parseEnv(freshSecrets()), DATA_DIR: tmpdir() }, EXCHANGE_SETTINGS);
}
