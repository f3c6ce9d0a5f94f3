import { readFileSync } from 'node:fs';
import { Secret } from '../../src/platform/secrets/secret.js';
import { Settings } from '../../src/platform/config/settings.js';
import { UpstreamClients } from '../../src/platform/upstream/upstream-clients.js';
import type { Opened } from '../../src/exchanges/credentials.contract.js';
import type { OpenedSessionKey } from '../../src/exchanges/session-keys.contract.js';
import type { Trading } from '../../src/exchanges/trading.contract.js';
import type { PolymarketCredentialsDto } from '../../src/exchanges/polymarket/polymarket.credentials.dto.js';
import { LongReads } from '../../src/exchanges/long-reads.js';
import { MarketDirectory } from '../../src/exchanges/polymarket/market-data/directory/market-directory.js';
import { MarketFinder } from '../../src/exchanges/polymarket/market-data/directory/market-finder.js';
import { PolymarketClient } from '../../src/exchanges/polymarket/connection/client.js';
import { PolymarketSessionKeys } from '../../src/exchanges/polymarket/session-keys/session-keys.js';
import { PolymarketExchange } from '../../src/exchanges/polymarket/polymarket.exchange.js';
import { type ArrivedRequest, type FakeHandler, FakeServer } from './fake-server.js';
import { ADAPTER_SETTINGS } from './settings.js';

/** A sample answer of `test/vectors/polymarket`. */
export function sample(name: string): unknown {
  const file = new URL(`../vectors/polymarket/polymarket-${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** A sample that is an object, to be changed. */
export function sampleObject(name: string): Record<string, unknown> {
  return sample(name) as Record<string, unknown>;
}

/**
 * All three of Polymarket's hosts on one loopback port, below `/clob`, `/gamma` and `/data`, answering what a test says.
 * A route nobody answers is 404.
 */
export class FakePolymarket {
  readonly exchange: PolymarketExchange;
  readonly #settings: Settings;
  readonly #clients: UpstreamClients;

  private constructor(
    private readonly server: FakeServer,
    environment: Readonly<Record<string, string>>,
  ) {
    const addresses = {
      POLYMARKET_CLOB_URL: `${server.url}/clob`,
      POLYMARKET_GAMMA_URL: `${server.url}/gamma`,
      POLYMARKET_DATA_URL: `${server.url}/data`,
    };
    const variables = {
      ...ADAPTER_SETTINGS,
      ...addresses,
      MARKET_DATA_CACHE_TTL: '0',
      UPSTREAM_TIMEOUT: '1s',
      ...environment,
    };
    this.#settings = Settings.read(variables, PolymarketExchange.settings);
    this.#clients = new UpstreamClients(this.#settings);
    this.exchange = new PolymarketExchange(this.#settings, this.#clients, new LongReads(this.#settings));
    server.otherwise = () => ({ status: 404, body: { error: 'not found' } });
    this.on('GET /clob/time', () => ({ body: Math.floor((Date.now() + server.skewMs) / 1_000) }));
  }

  /** `environment` is on top of a set-up without a cache. */
  static async start(environment: Readonly<Record<string, string>> = {}): Promise<FakePolymarket> {
    return new FakePolymarket(await FakeServer.start(), environment);
  }

  /** The exchange's clock is so far ahead of the host's. */
  set clockAheadMs(aheadMs: number) {
    this.server.skewMs = aheadMs;
  }

  get arrived(): readonly ArrivedRequest[] {
    return this.server.arrived;
  }

  /** `route` is `GET /gamma/markets/keyset`; the last word on a route counts. */
  on(route: string, handler: FakeHandler): this {
    this.server.on(route, handler);
    return this;
  }

  /** What arrived at a route. */
  at(route: string): ArrivedRequest[] {
    return this.server.at(route);
  }

  /** Trading by stored credentials, by a session key or by both. */
  trading(credentials: TestCredentials | null, sessionKey: OpenedSessionKey | null = null): Trading {
    return this.exchange.trading(credentials === null ? null : openedOf(credentials), null, sessionKey);
  }

  /** Session keys that are asked for no longer than a test waits; `totalMs` and `pauseMs` as in `Patience`. */
  sessionKeys(totalMs: number, pauseMs: number): PolymarketSessionKeys {
    return new PolymarketSessionKeys(new PolymarketClient(this.#settings, this.#clients), { totalMs, pauseMs });
  }

  /** What is kept of markets, by a clock of the test. */
  directory(nowMs: () => number): MarketDirectory {
    const client = new PolymarketClient(this.#settings, this.#clients);
    return new MarketDirectory(client, new MarketFinder(client), nowMs);
  }

  async close(): Promise<void> {
    await this.#clients.onApplicationShutdown();
    await this.server.close();
  }
}

/** Stored credentials, before they are opened. */
export type TestCredentials = Readonly<Record<keyof typeof CREDENTIALS, string>> & Readonly<Record<string, string>>;

function openedOf(credentials: TestCredentials): Opened<PolymarketCredentialsDto> {
  const { api_key, secret, passphrase, wallet_address, signer_address, signature_type } = credentials;
  return {
    api_key: new Secret(api_key),
    secret: new Secret(secret),
    passphrase: new Secret(passphrase),
    wallet_address: new Secret(wallet_address),
    signer_address: signer_address === undefined ? undefined : new Secret(signer_address),
    signature_type: signature_type === undefined ? undefined : new Secret(signature_type),
  };
}

/** The wallet of the published vectors, and the account of the samples. */
export const CREDENTIALS = {
  api_key: '7b1e2d60-6f9a-4dd7-8f3e-21b8f94c77a2',
  secret: 'Zml4ZWQtdGVzdC1zZWNyZXQtZm9yLWwyLXZlY3RvcnMtMDE=',
  passphrase: '0f2d6a4c1b3e58790f2d6a4c1b3e58790f2d6a4c1b3e58790f2d6a4c1b3e5879',
  wallet_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
};
