import { tmpdir } from 'node:os';
import { parseEnv } from 'node:util';
import { PolymarketClient } from '../../exchanges/polymarket/connection/client.js';
import { POLYMARKET_ERRORS } from '../../exchanges/polymarket/polymarket.errors.js';
import { POLYMARKET_SETTINGS } from '../../exchanges/polymarket/polymarket.settings.js';
import { type Environment } from '../../platform/config/environment.js';
import { freshSecrets } from '../../platform/config/generated-secrets.js';
import { Settings, SettingsError } from '../../platform/config/settings.js';
import { UpstreamClients } from '../../platform/upstream/upstream-clients.js';
import { PolymarketRelayer } from './relayer.js';
import { CommandFailure } from './failure.js';

const USED = ['POLYMARKET_RELAYER_URL', 'POLYMARKET_CLOB_URL'] as const;

/** Both servers of Polymarket that the command talks to. */
export class Servers {
  readonly relayerUrl: string;
  readonly exchangeUrl: string;
  readonly relayer: PolymarketRelayer;
  readonly exchange: PolymarketClient;
  readonly #clients: UpstreamClients;

  /**
   * Takes two addresses of the environment and nothing else: the service's own settings are made up, so that the command
   * runs where no service is. Throws CommandFailure for an address that cannot be used.
   */
  constructor(environment: Environment) {
    const settings = readSettings(environment);
    const urls = settings.extension(POLYMARKET_SETTINGS);
    for (const name of USED) checkAddress(name, urls[name]);
    this.relayerUrl = urls.POLYMARKET_RELAYER_URL;
    this.exchangeUrl = urls.POLYMARKET_CLOB_URL;
    this.#clients = new UpstreamClients(settings);
    this.exchange = new PolymarketClient(settings, this.#clients);
    this.relayer = new PolymarketRelayer(
      this.#clients.create({
        name: 'polymarket-relayer',
        baseUrl: this.relayerUrl,
        readFault: POLYMARKET_ERRORS.readFault,
      }),
    );
  }

  close(): Promise<void> {
    return this.#clients.onApplicationShutdown();
  }
}

function readSettings(environment: Environment): Settings {
  const addresses = Object.fromEntries(USED.map((name) => [name, environment[name]]));
  try {
    return Settings.read({ ...addresses, ...parseEnv(freshSecrets()), DATA_DIR: tmpdir() }, POLYMARKET_SETTINGS);
  } catch (error) {
    if (error instanceof SettingsError) throw new CommandFailure(error.message, 2);
    throw error;
  }
}

/** Signatures and API credentials go there: only this machine may do without TLS. */
function checkAddress(name: string, url: string): void {
  const { protocol, hostname } = new URL(url);
  const isHere = hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
  if (protocol !== 'https:' && !isHere) throw new CommandFailure(`${name} must be an https: address.`, 2);
}
