import type { Page, Paging } from '../../src/exchanges/paging.contract.js';
import { CREDENTIALS, FakePolymarket, sample } from '../support/fake-polymarket.js';
import type { FakeAnswer } from '../support/fake-server.js';

export const WALLET = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
export const MARKET = '0x747dc809fb79e1b05be09c42d6179459a58de2ef3e40f02484a4e1260f741f75';
export const YES = '107505882767731489358349912513945399560393482969656700824895970500493757150417';
export const NO = '7305630249804085635496399869905769372294302716159034447326228509068694952392';
export const FIRST = { limit: 50, cursor: null };

export const KEYSET = 'GET /gamma/markets/keyset';
export const ORDERS = 'GET /clob/data/orders';
export const USER_TRADES = 'GET /clob/data/trades';
export const BALANCE = 'GET /clob/balance-allowance';

/** A safe that the wallet of the vectors signs for. */
export const CREDENTIALS_OF_SAFE = {
  ...CREDENTIALS,
  wallet_address: WALLET,
  signer_address: CREDENTIALS.wallet_address,
  signature_type: '2',
};

export const [openOrder = {}] = (sample('clob-open-orders') as { data: Record<string, unknown>[] }).data;

/** An exchange that knows one market, and the account of the samples. */
export async function startWithAccount(): Promise<FakePolymarket> {
  const fake = await FakePolymarket.start();
  fake.on(KEYSET, ({ query }) => ({
    body: { markets: query.get('closed') === 'false' ? [sample('gamma-market')] : [] },
  }));
  fake.on(BALANCE, () => ({ body: sample('clob-balance-allowance') }));
  fake.on(ORDERS, () => ({ body: sample('clob-open-orders') }));
  fake.on(USER_TRADES, () => ({ body: sample('clob-user-trades') }));
  fake.on('GET /data/v2/value', () => ({ body: sample('data-v2-value') }));
  return fake;
}

/** Every page of a list. */
export async function readAll<T>(list: (paging: Paging) => Promise<Page<T>>, limit: number): Promise<T[][]> {
  const pages: T[][] = [];
  let cursor: string | null = null;
  do {
    const page: Page<T> = await list({ limit, cursor });
    pages.push([...page.items]);
    cursor = page.next;
  } while (cursor !== null);
  return pages;
}

/** A private list of `count` entries in pages of `size`, with base64 offsets for cursors as there. */
export function paged(entry: (number: number) => object, count: number, size: number) {
  return ({ query }: { query: URLSearchParams }): FakeAnswer => {
    const cursor = query.get('next_cursor');
    const offset = cursor === null ? 0 : Number(Buffer.from(cursor, 'base64').toString('utf8'));
    const end = Math.min(offset + size, count);
    const data = Array.from({ length: end - offset }, (_, i) => entry(offset + i));
    const next = end < count ? Buffer.from(String(end)).toString('base64') : 'LTE=';
    return { body: { data, next_cursor: next, limit: size, count: data.length } };
  };
}
