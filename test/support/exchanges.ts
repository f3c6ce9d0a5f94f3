import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { PolymarketTrader as Wallet } from '../../sandbox/polymarket/trader.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { EXCHANGE_IDS, type ExchangeId } from '../../src/exchanges/exchange.registry.js';
import type { TestApp } from './app.js';

export const EXCHANGES = EXCHANGE_IDS;
export type ExchangeName = ExchangeId;
export const KINDS = ['public', 'signed', 'order', 'cancel'] as const;
export type Kind = (typeof KINDS)[number];

/** Where an order is to be made; `key` reads the market of it. */
interface OrderPlace {
  readonly app: Pick<TestApp, 'url'>;
  readonly sandbox: Pick<Sandbox, 'addresses'>;
  readonly key: string;
  /** Of the exchange. */
  readonly clock?: () => Date;
}

/** An order that the exchange has, whatever became of it: `name` is what it was sent under, `size` in whole millionths. */
export interface HeldOrder {
  readonly id: string;
  readonly name: string;
  readonly size: bigint;
}

type FundsRefusal = readonly [status: number, body: object];

/** A refusal as the exchange words it. */
type Refusal = readonly [name: string, status: number, body: object];

/** What a test that runs for every exchange must know of one. */
export interface ExchangeUnderTest {
  readonly id: ExchangeName;
  /** A market of the sandbox with a book and trades, and its event. */
  readonly market: string;
  readonly event: string;
  /** In the exchange's own form, of nothing that it has. */
  readonly unknownMarket: string;
  readonly unknownOrder: string;
  /** A public and a signed read of the service, each one call at the exchange. */
  readonly book: string;
  readonly signedRead: string;
  /** Lists that no other exchange has, as name and path. */
  readonly ownLists: readonly [name: string, path: string][];
  /** How a kind of call reaches the exchange: the method and the path that it is counted and faulted by. */
  readonly wire: Readonly<Record<Kind, readonly [method: string, path: string]>>;
  /** Where several orders are cancelled by one call. */
  readonly cancelMany: string;
  /** Headers of a signed call. */
  readonly signature: readonly string[];
  /** The read of the exchange's clock. */
  readonly clockPath: string;
  /** What an instance reads before its first order. */
  readonly preparingPath: string;
  /** Where an order of unknown fate is looked up, in turn. */
  readonly lookUps: readonly [first: string, then: string];
  /** What says which order it is: in the details of an error, and in an order. */
  readonly reference: readonly [inDetails: 'client_order_id' | 'order_id', inOrder: 'client_order_id' | 'id'];
  /** What a cancel is answered that the exchange calls unknown while it still lists the order. */
  readonly strayNotFound: readonly [status: number, code: string, reason?: string];
  /** Whether an order without a key may be sent again: it is the same one then. */
  readonly resendIsSafe: boolean;
  /** Flags of an order that may be left out, and what an order with them must be. */
  readonly flags: readonly (readonly [flag: string, terms: object])[];
  /** What it says where money is missing. */
  readonly fundsRefusals: readonly [FundsRefusal, ...FundsRefusal[]];
  /** What it says to a resend, of which each is a refusal of a first sending. */
  readonly refusals: readonly Refusal[];
  /** A 400 for any other reason. */
  readonly refusal: object;
  /** A fresh order that rests in the book of `market`; `lots` is its size. */
  readonly anOrder: (place: OrderPlace, lots?: number) => Promise<object>;
  /** The size of one lot of `anOrder`. */
  readonly lot: string;
  /** The order with an end, in Unix seconds, under a name that the exchange takes once whoever sends it. */
  readonly expiring: (order: object, seconds: number) => object;
  /** Every order that the sandbox has had of the owner of the stored credentials, or of this wallet. */
  readonly held: (sandbox: Sandbox, wallet: string) => HeldOrder[];
  /** The order under an id of the client's own; null where none of its names can be the client's. */
  readonly named: ((order: object, id: string) => object) | null;
}

const TICKER = 'KXHIGHNY-TODAY-B55.5';
const SLUG = 'will-bitcoin-reach-130k-this-year';

const KALSHI: ExchangeUnderTest = {
  id: 'kalshi',
  market: TICKER,
  event: 'KXHIGHNY-TODAY',
  unknownMarket: 'KXNONE-1',
  unknownOrder: '9b51d2a0-babb-4ed0-8c3f-000000000001',
  book: `/kalshi/orderbooks?market_id=${TICKER}`,
  signedRead: '/kalshi/positions',
  ownLists: [['closed orders', '/kalshi/orders?status=closed']],
  wire: {
    public: ['GET', `/markets/${TICKER}/orderbook`],
    signed: ['GET', '/portfolio/positions'],
    order: ['POST', '/portfolio/events/orders'],
    cancel: ['DELETE', '/portfolio/events/orders'],
  },
  cancelMany: '/portfolio/events/orders/batched',
  signature: ['kalshi-access-key', 'kalshi-access-signature', 'kalshi-access-timestamp'],
  clockPath: '/exchange/status',
  preparingPath: '/exchange/status',
  lookUps: ['/portfolio/orders', '/historical/orders'],
  reference: ['client_order_id', 'client_order_id'],
  // Another shard may be the one that knows it (kalshi.md 9.2).
  strayNotFound: [502, 'exchange_error'],
  resendIsSafe: false,
  flags: [
    ['post_only', {}],
    ['reduce_only', { time_in_force: 'ioc', price: '0.99' }],
  ],
  fundsRefusals: [
    [404, { error: { code: 'insufficient_shard_balance', message: 'insufficient shard balance' } }],
    [400, { error: { code: 'insufficient_balance', message: 'insufficient balance' } }],
  ],
  refusals: [
    ['a lack of funds', 400, { error: { code: 'insufficient_balance', message: 'insufficient balance' } }],
    ['a lack of funds on the shard', 404, { error: { code: 'insufficient_shard_balance', message: 'no' } }],
    ['a fill-or-kill without a match', 409, { error: { code: 'fill_or_kill_insufficient_resting_volume' } }],
    ['a market that has closed', 400, { error: { code: 'market_closed', message: 'market is closed' } }],
    ['a rate limit', 429, { error: 'too many requests' }],
    ['a pause', 503, { error: { code: 'exchange_paused', message: 'exchange is paused' } }],
  ],
  refusal: { error: { code: 'invalid_price' } },
  anOrder: (_place, lots = 1) =>
    Promise.resolve({ market_id: TICKER, outcome: 'yes', side: 'buy', price: '0.02', size: String(lots) }),
  lot: '1',
  expiring: (order, seconds) => ({
    ...order,
    client_order_id: randomUUID(),
    time_in_force: 'gtd',
    expires_at: new Date(seconds * 1_000).toISOString(),
  }),
  held: ({ kalshi }) =>
    [...kalshi.exchange.accounts.values()].flatMap(({ orders }) =>
      [...orders.values()].map(({ id, clientOrderId, initial }) => ({ id, name: clientOrderId, size: initial })),
    ),
  named: (order, id) => ({ ...order, client_order_id: id }),
};

const POLYMARKET: ExchangeUnderTest = {
  id: 'polymarket',
  market: SLUG,
  event: '77103',
  unknownMarket: `0x${'9'.repeat(64)}`,
  unknownOrder: `0x${'ab'.repeat(32)}`,
  book: `/polymarket/orderbooks?market_id=${SLUG}`,
  signedRead: '/polymarket/orders',
  ownLists: [['found markets', '/polymarket/markets?search=bitcoin']],
  wire: {
    public: ['GET', '/book'],
    signed: ['GET', '/data/orders'],
    order: ['POST', '/order'],
    cancel: ['DELETE', '/order'],
  },
  cancelMany: '/orders',
  signature: ['poly_address', 'poly_api_key', 'poly_passphrase', 'poly_signature', 'poly_timestamp'],
  clockPath: '/time',
  preparingPath: '/markets/keyset',
  lookUps: ['/data/order', '/data/trades'],
  reference: ['order_id', 'id'],
  strayNotFound: [502, 'exchange_error'],
  resendIsSafe: true,
  flags: [['post_only', {}]],
  fundsRefusals: [[400, { error: 'not enough balance / allowance' }]],
  refusals: [
    ['a lack of funds', 400, { error: 'not enough balance / allowance' }],
    [
      'a fill-or-kill without a match',
      400,
      { error: "order couldn't be fully filled. FOK orders are fully filled or killed." },
    ],
    ['a market that has closed', 400, { error: 'the market is not yet ready to process new orders' }],
    ['a rate limit', 429, { error: 'Too Many Requests' }],
  ],
  refusal: { error: 'invalid tick' },
  anOrder: async ({ app, sandbox, key, clock }, lots = 1) => {
    const market = await request(app.url).get(`/polymarket/markets/${SLUG}`).auth(key, { type: 'bearer' });
    const { outcomes, refs } = market.body as { outcomes: { id: string }[]; refs: { neg_risk?: boolean } };
    const { polymarket } = sandbox.addresses;
    const terms = { tokenId: outcomes[0]?.id ?? '', negRisk: refs.neg_risk === true, side: 'BUY' } as const;
    const wallet = new Wallet(polymarket.clob_url, polymarket, clock);
    return { signed_order: wallet.sign({ ...terms, price: '0.02', size: String(5 * lots) }) };
  },
  lot: '5',
  expiring: (order, seconds) => {
    const { signed_order } = order as { signed_order: object };
    return { signed_order: { ...signed_order, expiration: String(seconds) }, time_in_force: 'gtd' };
  },
  held: ({ polymarket }, wallet) => polymarket.ordersOf(wallet).map(({ id, size }) => ({ id, name: id, size })),
  named: (order) => order,
};

/** Polymarket for somebody who sends plain orders, which the service signs by a session key. */
const BY_SESSION_KEY: ExchangeUnderTest = {
  ...POLYMARKET,
  preparingPath: `/markets/slug/${SLUG}`,
  resendIsSafe: false,
  anOrder: (_place, lots = 1) =>
    Promise.resolve({ market_id: SLUG, outcome: 'yes', side: 'buy', price: '0.02', size: String(5 * lots) }),
  named: null,
};

/** One row an exchange: a test for all of them asks here, and does not branch. */
export const EXCHANGE: Readonly<Record<ExchangeName, ExchangeUnderTest>> = { kalshi: KALSHI, polymarket: POLYMARKET };

/** One row a way to order: who orders by it, and how. */
export const ORDER_WAYS: readonly (readonly [name: string, by: 'stored' | 'session', way: ExchangeUnderTest])[] = [
  ...EXCHANGES.map((id) => [id, 'stored', EXCHANGE[id]] as const),
  ['polymarket by a session key', 'session', BY_SESSION_KEY],
];

/** Any other exchange. */
export function otherThan(exchange: ExchangeName): ExchangeName {
  return EXCHANGES.find((one) => one !== exchange) ?? exchange;
}
