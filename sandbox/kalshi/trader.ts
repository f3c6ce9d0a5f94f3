import { constants, createPrivateKey, randomUUID, sign } from 'node:crypto';
import { type KalshiAccount } from './sandbox.js';

export interface Answer {
  status: number;
  body: unknown;
}

/** What a test may bend of a signed request. */
export interface Bend {
  timestamp?: number;
  accessKey?: string;
  signedPath?: string;
  saltLength?: number;
  leaveOut?: string;
}

/** Signs requests as kalshi.md 2 says, written apart from the sandbox's own check. */
export class KalshiTrader {
  constructor(
    private readonly account: Omit<KalshiAccount, 'ws_url'>,
    private readonly now: () => number = Date.now,
  ) {}

  async get(path: string, query = ''): Promise<Answer> {
    return this.call('GET', path, { query });
  }

  /** Without any signature. */
  async open(path: string, query = ''): Promise<Answer> {
    const response = await fetch(`${this.account.api_url}${path}${query}`);
    return { status: response.status, body: await response.json() };
  }

  async call(
    method: string,
    path: string,
    options: { query?: string; body?: unknown; rawBody?: string; bend?: Bend } = {},
  ): Promise<Answer> {
    const { query = '', body, bend = {} } = options;
    const text = options.rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${this.account.api_url}${path}${query}`, {
      method,
      headers: this.headers(method, new URL(`${this.account.api_url}${path}`).pathname, bend),
      ...(text === undefined ? {} : { body: text }),
    });
    return { status: response.status, body: await response.json() };
  }

  /** A create with sensible defaults and a fresh client order id. */
  async order(overrides: Record<string, unknown> = {}): Promise<Answer> {
    return this.call('POST', '/portfolio/events/orders', {
      body: {
        ticker: 'KXHIGHNY-TODAY-B55.5',
        client_order_id: randomUUID(),
        side: 'bid',
        count: '10.00',
        price: '0.4200',
        time_in_force: 'good_till_canceled',
        self_trade_prevention_type: 'taker_at_cross',
        ...overrides,
      },
    });
  }

  /** The header lines of a signed request or handshake. */
  headers(method: string, path: string, bend: Bend = {}): Record<string, string> {
    const timestamp = String(bend.timestamp ?? this.now());
    const message = Buffer.from(`${timestamp}${method}${bend.signedPath ?? path}`);
    const key = createPrivateKey(this.account.private_key);
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    const signature =
      key.asymmetricKeyType === 'ed25519'
        ? sign(null, message, key)
        : sign('sha256', message, { key, padding, saltLength: bend.saltLength ?? 32 });
    const headers = {
      'KALSHI-ACCESS-KEY': bend.accessKey ?? this.account.access_key,
      'KALSHI-ACCESS-TIMESTAMP': timestamp,
      'KALSHI-ACCESS-SIGNATURE': signature.toString('base64'),
    };
    return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== bend.leaveOut));
  }
}
