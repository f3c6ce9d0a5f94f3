import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { readFileSync } from 'node:fs';
import { CREDENTIALS, FakePolymarket, sample, sampleObject } from '../support/fake-polymarket.js';
import type { FakeAnswer } from '../support/fake-server.js';
import type { PreparedOrder } from '../../src/exchanges/orders.contract.js';
import { PolymarketOrderDto } from '../../src/exchanges/polymarket/trading/order.dto.js';
import { naming } from '../support/naming.js';

interface Published {
  readonly polymarket: {
    readonly v2_orders: readonly {
      readonly eip712_hash: string;
      readonly post_order_body: { readonly order: Readonly<Record<string, unknown>> };
      readonly post_order_body_raw?: string;
    }[];
    readonly l2_hmac: { readonly vectors: readonly { readonly name: string; readonly body: string | null }[] };
  };
}

const file = new URL('../vectors/exchange-vectors.json', import.meta.url);
const { v2_orders: vectors } = (JSON.parse(readFileSync(file, 'utf8')) as Published).polymarket;
const [buy, sell] = vectors;
if (buy === undefined || sell === undefined) throw new Error('There are no vectors.');

/** The published orders. */
export const BUY = buy;
export const SELL = sell;

export const HASH = BUY.eip712_hash;
const ORDER = BUY.post_order_body.order;
export const TOKEN = String(ORDER.tokenId);
export const MARKET = `0x${'7'.repeat(64)}`;
export const KEYSET = 'GET /gamma/markets/keyset';
export const POST = 'POST /clob/order';
export const READ = `GET /clob/data/order/${HASH}`;
export const USER_TRADES = 'GET /clob/data/trades';

export const listed = {
  id: HASH,
  status: 'LIVE',
  owner: CREDENTIALS.api_key,
  maker_address: CREDENTIALS.wallet_address,
  market: MARKET,
  asset_id: TOKEN,
  side: 'BUY',
  original_size: '10',
  size_matched: '4',
  price: '0.52',
  outcome: 'Up',
  expiration: '0',
  order_type: 'GTC',
  associate_trades: ['t1'],
  created_at: 1_792_000_001,
};

const [userTrade = { id: '' }] = (sample('clob-user-trades') as { data: { id: string }[] }).data;

export const taken = {
  ...userTrade,
  taker_order_id: HASH,
  market: MARKET,
  asset_id: TOKEN,
  size: '4',
};

export function tradesPage(trades: readonly object[]): FakeAnswer {
  return { body: { data: trades, next_cursor: 'LTE=', limit: 100, count: trades.length } };
}

/** An exchange that lists the market of the published orders. */
export async function startWithMarket(environment: Readonly<Record<string, string>> = {}): Promise<FakePolymarket> {
  const fake = await FakePolymarket.start(environment);
  const market = {
    ...sampleObject('gamma-market'),
    conditionId: MARKET,
    outcomes: '["Up","Down"]',
    clobTokenIds: JSON.stringify([TOKEN, '5']),
  };
  fake.on(KEYSET, ({ query }) => ({ body: { markets: query.get('closed') === 'false' ? [market] : [] } }));
  fake.on(USER_TRADES, () => tradesPage([]));
  return fake;
}

function request(change: Readonly<Record<string, unknown>>, rest: object): object {
  return plainToInstance(PolymarketOrderDto, { signed_order: { ...ORDER, ...change }, ...rest });
}

/** Prepares the published order to buy, changed. */
export async function prepareAt(
  fake: FakePolymarket,
  change: Readonly<Record<string, unknown>> = {},
  rest: object = {},
  credentials: typeof CREDENTIALS & Readonly<Record<string, string>> = CREDENTIALS,
): Promise<PreparedOrder> {
  return fake.trading(credentials).prepareOrder(request(change, rest), naming());
}
