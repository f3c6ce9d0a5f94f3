import { unixSeconds } from '../times.js';
import { type OrderType } from './order.js';
import { type PolymarketAccount } from './sandbox.js';
import { type ApiCredentials, l2Headers } from './signing/l2-signature.js';
import { type OrderExtras, type OrderTerms, SandboxWallet, type WireOrder } from './signing/wallet.js';

export interface Answer {
  status: number;
  body: unknown;
  headers: Headers;
}

/** What comes beside the signed order in POST /order. */
export interface Posting {
  orderType?: OrderType;
  postOnly?: boolean;
  owner?: string;
}

/** A trader who speaks to the CLOB directly, as wallet software does; for tests. */
export class PolymarketTrader {
  readonly wallet: SandboxWallet;
  readonly credentials: ApiCredentials;

  constructor(
    private readonly clobUrl: string,
    readonly account: PolymarketAccount,
    private readonly clock: () => Date = () => new Date(),
  ) {
    this.wallet = SandboxWallet.fromPrivateKey(account.wallet_private_key);
    const { api_key: apiKey, secret, passphrase } = account;
    this.credentials = { address: this.wallet.address, apiKey, secret, passphrase };
  }

  /** Signs an order by this wallet; the order's own timestamp follows the trader's clock. */
  sign(terms: OrderTerms, extras: OrderExtras = {}): WireOrder {
    return this.wallet.signOrder(terms, { timestamp: String(this.clock().getTime()), ...extras });
  }

  /** Posts a signed order as GTC unless told otherwise. */
  post(order: WireOrder, { orderType = 'GTC', postOnly = false, owner }: Posting = {}): Promise<Answer> {
    const body = { deferExec: false, postOnly, order, owner: owner ?? this.credentials.apiKey, orderType };
    return this.call('POST', '/order', body);
  }

  /** A private call; `path` may carry a query, which is not signed. */
  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const call = { method, path: path.split('?')[0] ?? path, body: text };
    const headers = l2Headers(this.credentials, call, unixSeconds(this.clock()));
    return request(`${this.clobUrl}${path}`, { method, headers, ...(text === '' ? {} : { body: text }) });
  }
}

/** A session key that speaks to the CLOB for a deposit wallet, with API credentials made now (polymarket.md 11.2). */
export async function aSessionTrader(
  clobUrl: string,
  { key, wallet }: { key: SandboxWallet; wallet: string },
  clock: () => Date = () => new Date(),
): Promise<PolymarketTrader> {
  const { body } = await request(`${clobUrl}/auth/derive-api-key`, { headers: key.l1Headers(unixSeconds(clock())) });
  const { apiKey, secret, passphrase } = body as Record<'apiKey' | 'secret' | 'passphrase', string>;
  const account = { wallet_address: wallet, wallet_private_key: key.privateKey, api_key: apiKey, secret, passphrase };
  return new PolymarketTrader(clobUrl, account, clock);
}

/** Any call; the body is parsed where it is JSON. */
export async function request(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
}
