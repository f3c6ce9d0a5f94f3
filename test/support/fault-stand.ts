import { request as rawRequest } from 'node:http';
import request, { type Response } from 'supertest';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { startTestApp, type TestApp } from './app.js';
import { EXCHANGE, type ExchangeName, type Kind } from './exchanges.js';
import { Gateway } from './gateway.js';
import { aTrader, type Trader } from './sandbox.js';

export interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly retryable: boolean;
    readonly details?: { readonly reason?: string; readonly exchange?: Readonly<Record<string, unknown>> };
  };
}

/** S-42, S-50: the service's own header lines. */
const OWN_HEADERS = new RegExp(
  '^(access-control-(expose-headers|allow-credentials)|cache-control|connection|content-length|content-security-policy' +
    '|content-type|cross-origin-.*|date|etag|idempotency-replayed|keep-alive|origin-agent-cluster|ratelimit.*' +
    '|referrer-policy|retry-after|strict-transport-security|vary' +
    '|x-(content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies' +
    '|request-id|xss-protection))$',
);

/** Names of header lines that the service does not write itself. */
export function foreignHeaders(answer: Response): string[] {
  return Object.keys(answer.headers as object).filter((name) => !OWN_HEADERS.test(name));
}

/** The service in front of gateways in front of the sandbox, with one trader. */
export class FaultStand {
  /** Of the exchanges, beside the host's. */
  clockAheadMs = 0;

  private constructor(
    readonly sandbox: Sandbox,
    readonly gateways: Readonly<Record<'kalshi' | 'clob' | 'gamma' | 'data', Gateway>>,
    readonly app: TestApp,
    readonly trader: Trader,
  ) {}

  /** Nothing is asked of the exchanges yet. */
  static async start(
    upstreamTimeoutMs: number,
    clockAheadMs = 0,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<FaultStand> {
    const holder: { stand?: FaultStand } = {};
    const sandbox = await startSandbox({
      clock: () => new Date(Date.now() + (holder.stand?.clockAheadMs ?? clockAheadMs)),
    });
    const { kalshi, polymarket } = sandbox.addresses;
    const gateways = {
      kalshi: await Gateway.to(kalshi.api_url),
      clob: await Gateway.to(polymarket.clob_url),
      gamma: await Gateway.to(polymarket.gamma_url),
      data: await Gateway.to(polymarket.data_url),
    };
    const app = await startTestApp({
      KALSHI_API_URL: gateways.kalshi.url,
      POLYMARKET_CLOB_URL: gateways.clob.url,
      POLYMARKET_GAMMA_URL: gateways.gamma.url,
      POLYMARKET_DATA_URL: gateways.data.url,
      MARKET_DATA_CACHE_TTL: '0',
      UPSTREAM_TIMEOUT: `${upstreamTimeoutMs}ms`,
      ...settings,
    });
    const trader = await aTrader({ app, sandbox, close: () => app.close() });
    const stand = new FaultStand(sandbox, gateways, app, trader);
    stand.clockAheadMs = clockAheadMs;
    holder.stand = stand;
    return stand;
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.sandbox.close();
    for (const gateway of Object.values(this.gateways)) await gateway.close();
  }

  /** Takes all faults away. */
  heal(): void {
    this.sandbox.faults.clear();
    for (const gateway of Object.values(this.gateways)) gateway.heal();
  }

  /** In front of all that the exchange has. */
  gatewaysOf(exchange: ExchangeName): readonly [Gateway, ...Gateway[]] {
    const { kalshi, clob, gamma, data } = this.gateways;
    return { kalshi: [kalshi] as const, polymarket: [clob, gamma, data] as const }[exchange];
  }

  /** In front of what books, orders and private reads go to. */
  gatewayOf(exchange: ExchangeName): Gateway {
    return this.gatewaysOf(exchange)[0];
  }

  send(
    method: 'get' | 'post' | 'delete',
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const agent = request(this.app.url);
    const sent = agent[method](path).auth(this.trader.key, { type: 'bearer' }).set(headers).send(body);
    return sent.then((answer) => answer);
  }

  /** A signed read whose client can hang up. */
  hangingUp(path: string): { hangUp: () => void } {
    const headers = { authorization: `Bearer ${this.trader.key}` };
    const call = rawRequest(`${this.app.url}${path}`, { headers }).on('error', () => undefined);
    call.end();
    return { hangUp: () => void call.destroy() };
  }

  /** Calls that go well, for the breaker looks at the share of those that fail. Throws where one does not. */
  async healthy(exchange: ExchangeName, times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      const { status, text } = await this.send('get', EXCHANGE[exchange].book);
      if (status !== 200) throw new Error(`${exchange} is not well: ${status} ${text}`);
    }
  }

  anOrder(exchange: ExchangeName): Promise<object> {
    const { app, sandbox } = this;
    const clock = (): Date => new Date(Date.now() + this.clockAheadMs);
    return EXCHANGE[exchange].anOrder({ app, sandbox, key: this.trader.key, clock });
  }

  /** What a kind of call needs beforehand; the answer makes the call. */
  async ready(exchange: ExchangeName, kind: Kind): Promise<() => Promise<Response>> {
    if (kind === 'public') return () => this.send('get', EXCHANGE[exchange].book);
    if (kind === 'signed') return () => this.send('get', EXCHANGE[exchange].signedRead);
    const order = await this.anOrder(exchange);
    if (kind === 'order') return () => this.send('post', `/${exchange}/orders`, order);
    const made = await this.send('post', `/${exchange}/orders`, order);
    if (made.status !== 200) throw new Error(`no order to cancel: ${made.status} ${made.text}`);
    return () => this.send('delete', `/${exchange}/orders/${(made.body as { id: string }).id}`);
  }
}
