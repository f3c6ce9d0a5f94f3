import { constants, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Trading } from '../../src/exchanges/exchange.js';
import { KalshiExchange } from '../../src/exchanges/kalshi/kalshi.exchange.js';
import type { KalshiOrderRequestDto } from '../../src/exchanges/kalshi/trading/order.dto.js';
import { LongReads } from '../../src/exchanges/long-reads.js';
import { Settings } from '../../src/platform/config/settings.js';
import { Secret } from '../../src/platform/secrets/secret.js';
import { UpstreamClients } from '../../src/platform/upstream/upstream-clients.js';
import { type ArrivedRequest, type FakeAnswer, type FakeHandler, FakeServer } from './fake-server.js';
import { ADAPTER_SETTINGS } from './settings.js';

const read = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../vectors/${path}`, import.meta.url), 'utf8'));

/** A sample answer of `test/vectors/kalshi`. */
export function sample(name: string): Record<string, unknown> {
  return read(`kalshi/kalshi-${name}.json`) as Record<string, unknown>;
}

/** The published key of the vectors. */
export const { kalshi: VECTORS } = read('exchange-vectors.json') as {
  kalshi: { api_key_id_TEST: string; test_rsa_key: { private_key_pkcs1_pem: string; public_key_spki_pem: string } };
};

/** What the paths of the API begin with. */
export const API = '/trade-api/v2';
export const CREATE = '/portfolio/events/orders';
export const TICKER = 'KXHIGHNY-26NOV20-B55.5';

const CLOCK = '/exchange/status';

/** Kalshi on a loopback port, answering what a test says, and the adapter in front of it. */
export class FakeKalshi {
  readonly exchange: KalshiExchange;
  readonly #clients: UpstreamClients;

  private constructor(
    readonly server: FakeServer,
    environment: Readonly<Record<string, string>>,
  ) {
    const variables = { ...ADAPTER_SETTINGS, KALSHI_API_URL: `${server.url}${API}`, ...environment };
    const settings = Settings.read(variables, KalshiExchange.settings);
    this.#clients = new UpstreamClients(settings);
    this.exchange = new KalshiExchange(settings, this.#clients, new LongReads(settings));
  }

  static async start(environment: Readonly<Record<string, string>> = {}): Promise<FakeKalshi> {
    return new FakeKalshi(await FakeServer.start(), environment);
  }

  /** `route` is `GET /portfolio/orders`. */
  on(route: string, handler: FakeHandler): void {
    this.server.on(route.replace(' ', ` ${API}`), handler);
  }

  serve(route: string, body: unknown, status = 200): void {
    this.on(route, (): FakeAnswer => ({ status, body }));
  }

  /** What arrived beside the reading of the clock, as `GET /path?query`. */
  calls(): string[] {
    return this.server.targets.filter((target) => !target.endsWith(CLOCK)).map((target) => target.replace(API, ''));
  }

  sent(method: string): ArrivedRequest[] {
    return this.server.arrived.filter((request) => request.method === method);
  }

  /** Trading with the published key, at an exchange that tells the time. */
  trading(): Trading {
    this.serve(`GET ${CLOCK}`, { exchange_active: true, trading_active: true });
    return this.exchange.trading({
      access_key: new Secret(VECTORS.api_key_id_TEST),
      private_key: new Secret(VECTORS.test_rsa_key.private_key_pkcs1_pem),
    });
  }

  /** An order to buy ten of the first outcome at 42 cents, as a client asks for it. */
  orderRequest(change: object = {}): KalshiOrderRequestDto {
    return Object.assign(new this.exchange.OrderRequest(), {
      market_id: TICKER,
      outcome: 'yes',
      side: 'buy',
      price: '0.42',
      size: '10',
      ...change,
    });
  }

  async close(): Promise<void> {
    await this.#clients.onApplicationShutdown();
    await this.server.close();
  }
}

/** An order of the samples. */
export const ORDER = sample('order').order as Record<string, unknown>;

/** How the order of `orderRequest()` is read. */
export function sameOrder(change: object = {}): object {
  return {
    ...ORDER,
    order_id: 'o-1',
    client_order_id: 'c-1',
    ticker: TICKER,
    outcome_side: 'yes',
    book_side: 'bid',
    yes_price_dollars: '0.4200',
    no_price_dollars: '0.5800',
    expiration_time: null,
    ...change,
  };
}

/** Whether the published key signed it. */
export function isSigned({ method, path, headers }: ArrivedRequest): boolean {
  const key = createPublicKey(VECTORS.test_rsa_key.public_key_spki_pem);
  return verify(
    'sha256',
    Buffer.from(`${String(headers['kalshi-access-timestamp'])}${method}${path}`),
    { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
    Buffer.from(String(headers['kalshi-access-signature']), 'base64'),
  );
}
