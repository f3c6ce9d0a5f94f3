import { join } from 'node:path';
import type { ExchangeId, ExchangeSetting } from '../../src/exchanges/exchange.registry.js';
import { CORE_SETTINGS } from '../../src/platform/config/core.settings.js';
import { type Environment, readVariable } from '../../src/platform/config/environment.js';
import { SettingsError } from '../../src/platform/config/settings.js';
import type { SandboxAddresses } from '../sandbox.js';

/** All that the demo takes from whoever starts it: nothing that leads to a database, a mail server, an exchange or a secret. */
const TAKEN = ['PORT', 'DATA_DIR', 'LOG_LEVEL', 'RATE_LIMIT_API', 'MCP'] as const;

function taken(base: Environment, name: (typeof TAKEN)[number] | 'DEMO_MOVES'): string | undefined {
  const value = readVariable(base, name);
  if (typeof value === 'object') throw new SettingsError([value]);
  return value;
}

/**
 * The whole environment of the demo: the service on loopback with play money, with all its data and secrets of its own in
 * `$DATA_DIR/demo` (S-57). Of `base` only PORT, DATA_DIR, LOG_LEVEL and RATE_LIMIT_API are read, so that settings for real, those
 * of today and those to come, never reach it. Throws SettingsError where one of the four cannot be read.
 */
export function demoEnvironment(base: Environment): Environment & { readonly DATA_DIR: string } {
  const [port, dataDir, logLevel, rateLimitApi, mcp] = TAKEN.map((name) => taken(base, name));
  return {
    NODE_ENV: 'development',
    PORT: port,
    DATA_DIR: join(dataDir ?? CORE_SETTINGS.DATA_DIR.fallback, 'demo'),
    LOG_LEVEL: logLevel ?? 'warn',
    RATE_LIMIT_API: rateLimitApi,
    MCP: mcp,
  };
}

/** `DEMO_MOVES`, `true` where it is left out: whether a made-up trader moves the markets of the sandbox. Throws SettingsError. */
export function demoMoves(base: Environment): boolean {
  const value = taken(base, 'DEMO_MOVES') ?? 'true';
  if (value !== 'true' && value !== 'false')
    throw new SettingsError([{ name: 'DEMO_MOVES', expected: 'true or false' }]);
  return value === 'true';
}

/** Where the exchanges of the sandbox are: all settings of all exchanges, so that no real one is called (S-57). */
export function exchangeAddresses({ kalshi, polymarket }: SandboxAddresses): Readonly<Record<ExchangeSetting, string>> {
  return {
    KALSHI_API_URL: kalshi.api_url,
    KALSHI_WS_URL: kalshi.ws_url,
    // Unset: an example of the whole environment holds no key.
    KALSHI_STREAM_ACCESS_KEY: '',
    KALSHI_STREAM_PRIVATE_KEY: '',
    POLYMARKET_WS_URL: polymarket.ws_url,
    POLYMARKET_CLOB_URL: polymarket.clob_url,
    POLYMARKET_GAMMA_URL: polymarket.gamma_url,
    POLYMARKET_DATA_URL: polymarket.data_url,
    // The sandbox judges no addresses: it answers 404.
    POLYMARKET_GEOBLOCK_URL: `${polymarket.clob_url}/geoblock`,
    POLYMARKET_RELAYER_URL: polymarket.relayer_url,
  };
}

/** The settings with which the operator's own account of the sandbox makes streams of what is polled else. */
export function streamKeys({ kalshi }: SandboxAddresses): Readonly<Record<string, string>> {
  return { KALSHI_STREAM_ACCESS_KEY: kalshi.access_key, KALSHI_STREAM_PRIVATE_KEY: kalshi.private_key };
}

/** The bodies of `PUT /account/credentials/{exchange}` that name the sandbox's own accounts. */
export function exchangeCredentials({ kalshi, polymarket }: SandboxAddresses): Readonly<Record<ExchangeId, object>> {
  const { access_key, private_key } = kalshi;
  const { api_key, secret, passphrase, wallet_address } = polymarket;
  return { kalshi: { access_key, private_key }, polymarket: { api_key, secret, passphrase, wallet_address } };
}
