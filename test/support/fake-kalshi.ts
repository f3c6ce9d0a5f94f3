import { constants, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { KeyFacts } from '../../src/exchanges/credentials.contract.js';
import type { KnownOrder } from '../../src/exchanges/orders.contract.js';
import { KalshiExchange } from '../../src/exchanges/kalshi/kalshi.exchange.js';
import type { KalshiTrading } from '../../src/exchanges/kalshi/trading/trading.js';
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

/** The adapter in front of whatever answers at an address. */
export class KalshiAdapter {
  readonly exchange: KalshiExchange;
  readonly #clients: UpstreamClients;

  constructor(apiUrl: string, environment: Readonly<Record<string, string>> = {}) {
    const variables = { ...ADAPTER_SETTINGS, KALSHI_API_URL: apiUrl, ...environment };
    const settings = Settings.read(variables, KalshiExchange.settings);
    this.#clients = new UpstreamClients(settings);
    this.exchange = new KalshiExchange(settings, this.#clients, new LongReads(settings));
  }

  close(): Promise<void> {
    return this.#clients.onApplicationShutdown();
  }
}

/** An order to buy ten of the first outcome at 42 cents, as a client asks for it. */
export function orderRequest(exchange: KalshiExchange, change: object = {}): KalshiOrderRequestDto {
  const asked = { market_id: TICKER, outcome: 'yes', side: 'buy', price: '0.42', size: '10' };
  return Object.assign(new exchange.OrderRequest(), asked, change);
}

/** Kalshi on a loopback port, answering what a test says, and the adapter in front of it. */
export class FakeKalshi {
  readonly exchange: KalshiExchange;
  readonly #adapter: KalshiAdapter;

  private constructor(
    readonly server: FakeServer,
    environment: Readonly<Record<string, string>>,
  ) {
    this.#adapter = new KalshiAdapter(`${server.url}${API}`, environment);
    this.exchange = this.#adapter.exchange;
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

  /** The same but for the fills that an order's trades are read from, which only add to an answer. */
  callsForOrders(): string[] {
    return this.calls().filter((call) => !call.startsWith('GET /portfolio/fills'));
  }

  sent(method: string): ArrivedRequest[] {
    return this.server.arrived.filter((request) => request.method === method);
  }

  /** Trading with the published key, of which the exchange said `key`, at an exchange that tells the time. */
  trading(key?: Partial<KeyFacts>): KalshiTrading {
    this.serve(`GET ${CLOCK}`, { exchange_active: true, trading_active: true });
    const credentials = {
      access_key: new Secret(VECTORS.api_key_id_TEST),
      private_key: new Secret(VECTORS.test_rsa_key.private_key_pkcs1_pem),
    };
    return this.exchange.trading(credentials, key && { key: { ...UNKNOWN_KEY, ...key }, missingAllowances: null });
  }

  /** Serves some orders as the exchange does: on their own shard alone, by market, state and subaccount (kalshi.md 9.2). */
  serveOrders(
    orders: readonly Record<string, unknown>[],
    { archive = [] as readonly Record<string, unknown>[] } = {},
  ): void {
    const list =
      (all: readonly Record<string, unknown>[]): FakeHandler =>
      ({ query }) => {
        const [ticker, status] = [query.get('ticker'), query.get('status')];
        const fits = (order: Record<string, unknown>) =>
          (ticker === null || order.ticker === ticker) && (status === null || order.status === status);
        return { body: { orders: all.filter(fits), cursor: '' } };
      };
    this.on('GET /portfolio/orders', list(orders));
    this.on('GET /historical/orders', list(archive));
    for (const order of orders) {
      const id = String(order.order_id);
      this.on(`GET /portfolio/orders/${id}`, ({ query }) => routed(order, query, { order }));
      this.on(`DELETE ${CREATE}/${id}`, ({ query }) =>
        routed(order, query, { order_id: id, reduced_by: '10.00', ts_ms: 1795186809112 }),
      );
    }
  }

  orderRequest(change: object = {}): KalshiOrderRequestDto {
    return orderRequest(this.exchange, change);
  }

  async close(): Promise<void> {
    await this.#adapter.close();
    await this.server.close();
  }
}

const UNKNOWN_KEY: KeyFacts = { scopes: null, subaccount: null, isBound: null, attestationExpiresAt: null };

export const NOT_FOUND = { error: { code: 'not_found', message: 'not found' } };

/** Only a call that names the market reaches another shard than 0, and only the right market. */
function routed(order: Record<string, unknown>, query: URLSearchParams, body: unknown): FakeAnswer {
  const market = query.get('market_ticker');
  const isReached = market === null ? (order.exchange_index ?? 0) === 0 : market === order.ticker;
  return isReached ? { body } : { status: 404, body: NOT_FOUND };
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

/** What our records say of an order that was made on a market. */
export function madeOn(marketId: string, cancelledMsAgo: number | null = null): KnownOrder {
  return { marketId, outcomeIndex: 0, size: '10', status: 'open', madeMsAgo: 60_000, cancelledMsAgo };
}
