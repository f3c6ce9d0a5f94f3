import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Secret } from '../../src/platform/secrets/secret.js';
import { Settings } from '../../src/platform/config/settings.js';
import { UpstreamClients } from '../../src/platform/upstream/upstream-clients.js';
import type { Opened, Trading } from '../../src/exchanges/exchange.js';
import type { PolymarketCredentialsDto } from '../../src/exchanges/polymarket/polymarket.credentials.dto.js';
import { LongReads } from '../../src/exchanges/long-reads.js';
import { PolymarketExchange } from '../../src/exchanges/polymarket/polymarket.exchange.js';

/** What arrived, as received. */
export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** An answer, or what happens instead of one. */
export type FakeAnswer =
  | { readonly status?: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'hang'
  | 'reset';

type Handler = (request: FakeRequest) => FakeAnswer;

const SETTINGS = {
  NODE_ENV: 'test',
  JWT_SECRET: 'j'.repeat(32),
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  PASSWORD_PEPPER: 'p'.repeat(32),
  MARKET_DATA_CACHE_TTL: '0',
};

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
  readonly requests: FakeRequest[] = [];
  readonly exchange: PolymarketExchange;
  /** The exchange's clock is so far ahead of the host's. */
  clockAheadMs = 0;

  readonly #routes = new Map<string, Handler>();
  readonly #clients: UpstreamClients;

  private constructor(
    private readonly server: Server,
    url: string,
    environment: Readonly<Record<string, string>>,
  ) {
    const addresses = {
      POLYMARKET_CLOB_URL: `${url}/clob`,
      POLYMARKET_GAMMA_URL: `${url}/gamma`,
      POLYMARKET_DATA_URL: `${url}/data`,
    };
    const variables = { ...SETTINGS, ...addresses, UPSTREAM_TIMEOUT: '1s', ...environment };
    const settings = Settings.read(variables, PolymarketExchange.settings);
    this.#clients = new UpstreamClients(settings);
    this.exchange = new PolymarketExchange(settings, this.#clients, new LongReads(settings));
    this.on('GET /clob/time', () => ({ body: Math.floor((Date.now() + this.clockAheadMs) / 1_000) }));
  }

  /** `environment` is on top of a set-up without a cache. */
  static async start(environment: Readonly<Record<string, string>> = {}): Promise<FakePolymarket> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const fake = new FakePolymarket(server, `http://127.0.0.1:${port}`, environment);
    server.on('request', (request, response) => void fake.#serve(request, response));
    return fake;
  }

  /** `route` is `GET /gamma/markets/keyset`; the last word on a route counts. */
  on(route: string, handler: Handler): this {
    this.#routes.set(route, handler);
    return this;
  }

  /** What arrived at a route. */
  at(route: string): FakeRequest[] {
    return this.requests.filter(({ method, path }) => `${method} ${path}` === route);
  }

  trading(credentials: Readonly<Record<keyof typeof CREDENTIALS, string>> & Readonly<Record<string, string>>): Trading {
    const { api_key, secret, passphrase, wallet_address, signer_address, signature_type } = credentials;
    const opened: Opened<PolymarketCredentialsDto> = {
      api_key: new Secret(api_key),
      secret: new Secret(secret),
      passphrase: new Secret(passphrase),
      wallet_address: new Secret(wallet_address),
      signer_address: signer_address === undefined ? undefined : new Secret(signer_address),
      signature_type: signature_type === undefined ? undefined : new Secret(signature_type),
    };
    return this.exchange.trading(opened);
  }

  async close(): Promise<void> {
    await this.#clients.onApplicationShutdown();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await received(message);
    this.requests.push(request);
    const handler = this.#routes.get(`${request.method} ${request.path}`);
    const answer = handler === undefined ? { status: 404, body: { error: 'not found' } } : handler(request);
    if (answer === 'hang') return;
    if (answer === 'reset') message.socket.resetAndDestroy();
    else this.#send(response, answer);
  }

  #send(response: ServerResponse, answer: Exclude<FakeAnswer, string>): void {
    response.sendDate = false;
    response.writeHead(answer.status ?? 200, {
      'content-type': 'application/json',
      date: new Date(Date.now() + this.clockAheadMs).toUTCString(),
      ...answer.headers,
    });
    response.end(answer.body === undefined ? '' : JSON.stringify(answer.body));
  }
}

async function received(message: IncomingMessage): Promise<FakeRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  const { pathname: path, searchParams: query } = new URL(message.url ?? '/', 'http://localhost');
  const { method = 'GET', headers } = message;
  return { method, path, query, headers, body: Buffer.concat(chunks).toString('utf8') };
}

/** The wallet of the published vectors, and the account of the samples. */
export const CREDENTIALS = {
  api_key: '7b1e2d60-6f9a-4dd7-8f3e-21b8f94c77a2',
  secret: 'Zml4ZWQtdGVzdC1zZWNyZXQtZm9yLWwyLXZlY3RvcnMtMDE=',
  passphrase: '0f2d6a4c1b3e58790f2d6a4c1b3e58790f2d6a4c1b3e58790f2d6a4c1b3e5879',
  wallet_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
};
