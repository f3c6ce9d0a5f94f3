import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AssetType, Chain, ClobClient, OrderType, Side, SignatureTypeV2 } from '@polymarket/clob-client-v2';
import axios from 'axios';
import {
  AccountApi,
  ApiKeysApi,
  BookSide,
  Configuration,
  type CreateOrderV2Request,
  EventsApi,
  ExchangeApi,
  GetMarketsStatusEnum,
  MarketApi,
  OrdersApi,
  PortfolioApi,
  SelfTradePreventionType,
} from 'kalshi-typescript';
import { createWalletClient, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { type KalshiAccount } from '../sandbox/kalshi/sandbox.js';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.js';

const TICKER = 'KXHIGHNY-TODAY-B55.5';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

type HttpClient = NonNullable<ConstructorParameters<typeof MarketApi>[2]>;

function newHttpClient(): HttpClient {
  // One class with two declarations: the client is typed against that of CommonJS, this file sees the other.
  const client: unknown = axios.create();
  return client as HttpClient;
}

/** The official Kalshi client of one member. It signs through the HTTP client it is given, so each member has one of their own. */
function kalshiClient({ api_url, access_key, private_key }: KalshiAccount) {
  const configuration = new Configuration({ apiKey: access_key, privateKeyPem: private_key, basePath: api_url });
  const own = newHttpClient();
  return {
    markets: new MarketApi(configuration, undefined, own),
    events: new EventsApi(configuration, undefined, own),
    orders: new OrdersApi(configuration, undefined, own),
    portfolio: new PortfolioApi(configuration, undefined, own),
    account: new AccountApi(configuration, undefined, own),
    keys: new ApiKeysApi(configuration, undefined, own),
    exchange: new ExchangeApi(configuration, undefined, own),
  };
}

type KalshiClient = ReturnType<typeof kalshiClient>;

function kalshiOrder(overrides: Partial<CreateOrderV2Request> = {}): CreateOrderV2Request {
  return {
    ticker: TICKER,
    client_order_id: randomUUID(),
    side: BookSide.Bid,
    count: '10.00',
    price: '0.0500',
    time_in_force: 'good_till_canceled',
    self_trade_prevention_type: SelfTradePreventionType.TakerAtCross,
    ...overrides,
  };
}

async function restingIds({ orders }: KalshiClient): Promise<string[]> {
  const { data } = await orders.getOrders(TICKER, undefined, undefined, undefined, 'resting');
  return data.orders.map((order) => order.order_id);
}

describe('contract.md 7 kalshi-typescript drives the Kalshi stand-in unchanged', () => {
  let client: KalshiClient;

  beforeAll(async () => {
    client = kalshiClient(await sandbox.kalshi.addAccount({ balanceDollars: '500.00' }));
  });

  it('lists open markets page by page, each once', async () => {
    const tickers: string[] = [];
    let cursor: string | undefined;
    do {
      const { data } = await client.markets.getMarkets(
        3,
        cursor,
        ...([
          undefined,
          undefined,
          undefined,
          undefined,
          undefined,
          undefined,
          undefined,
          undefined,
          undefined,
        ] as const),
        GetMarketsStatusEnum.Open,
      );
      expect(data.markets.map(({ status }) => status)).toEqual(data.markets.map(() => 'active'));
      tickers.push(...data.markets.map(({ ticker }) => ticker));
      cursor = data.cursor;
    } while (cursor !== '');
    expect(tickers).toContain(TICKER);
    expect(tickers.length).toBeGreaterThan(6);
    expect(new Set(tickers).size).toBe(tickers.length);
  });

  it('reads a market, its event, its book and its trades', async () => {
    const market = (await client.markets.getMarket(TICKER)).data.market;
    expect(market).toMatchObject({ ticker: TICKER, yes_bid_dollars: '0.4200', yes_ask_dollars: '0.4400' });
    const event = (await client.events.getEvent(market.event_ticker, true)).data.event;
    expect(event.markets?.map(({ ticker }) => ticker)).toContain(TICKER);
    const book = (await client.markets.getMarketOrderbook(TICKER)).data.orderbook_fp;
    expect(book.yes_dollars.at(-1)?.[0]).toBe('0.4200');
    expect(book.no_dollars.at(-1)?.[0]).toBe('0.5600');
    const { trades } = (await client.markets.getTrades(5, undefined, TICKER)).data;
    expect(trades.map(({ ticker }) => ticker)).toEqual([TICKER, TICKER, TICKER, TICKER, TICKER]);
  });

  it('creates an order that rests, finds it, and cancels it', async () => {
    const request = kalshiOrder();
    const created = await client.orders.createOrderV2(request);
    expect(created.status).toBe(201);
    expect(created.data).toMatchObject({
      client_order_id: request.client_order_id,
      fill_count: '0.00',
      remaining_count: '10.00',
    });
    const { order_id: id } = created.data;
    expect(await restingIds(client)).toEqual([id]);
    expect((await client.orders.getOrder(id)).data.order).toMatchObject({
      order_id: id,
      status: 'resting',
      book_side: 'bid',
      yes_price_dollars: '0.0500',
      initial_count_fp: '10.00',
    });
    const cancelled = await client.orders.cancelOrderV2(id, undefined, undefined, TICKER);
    expect(cancelled.data).toMatchObject({ order_id: id, reduced_by: '10.00' });
    expect(await restingIds(client)).toEqual([]);
    expect((await client.orders.getOrder(id)).data.order.status).toBe('canceled');
    await expect(client.orders.cancelOrderV2(id)).rejects.toMatchObject({
      response: { status: 404, data: { error: { code: 'not_found' } } },
    });
  });

  it('creates an order that fills: fill, position and balance say the same', async () => {
    const before = (await client.portfolio.getBalance()).data;
    expect(before).toMatchObject({ balance: 50_000, balance_dollars: '500.0000' });
    const { data: created } = await client.orders.createOrderV2(kalshiOrder({ price: '0.4400', count: '7.77' }));
    expect(created).toMatchObject({ fill_count: '7.77', remaining_count: '0.00', average_fill_price: '0.4400' });
    const { fills } = (await client.portfolio.getFills(undefined, created.order_id)).data;
    expect(fills).toMatchObject([
      { order_id: created.order_id, ticker: TICKER, count_fp: '7.77', yes_price_dollars: '0.4400', is_taker: true },
    ]);
    const { market_positions: positions } = (await client.portfolio.getPositions()).data;
    expect(positions).toMatchObject([{ ticker: TICKER, position_fp: '7.77' }]);
    const after = Number((await client.portfolio.getBalance()).data.balance_dollars);
    expect(500 - after).toBeCloseTo(7.77 * 0.44 + Number(fills[0]?.fee_cost), 4);
  });

  it('moves money to another shard, trades there, and cancels by the market', async () => {
    const { portfolio, orders, exchange } = client;
    const request = kalshiOrder({ ticker: 'KXBTCD-FRIDAY-T110000' });
    await expect(orders.createOrderV2(request)).rejects.toMatchObject({
      response: { status: 404, data: { error: { code: 'insufficient_shard_balance' } } },
    });
    const { data: moved } = await portfolio.intraExchangeInstanceTransfer({
      source: 'event_contract',
      destination: 'event_contract',
      amount: 200_000,
      destination_exchange_shard: 2,
    });
    sandbox.kalshi.exchange.transfers.advance(Date.now() + 60_000);
    expect((await portfolio.getIntraExchangeInstanceTransfer(moved.transfer_id)).data.transfer).toMatchObject({
      amount: '20.0000',
      status: 'complete',
    });
    const { data: created } = await orders.createOrderV2(request);
    expect((await portfolio.getBalance()).data.balance_breakdown?.[2]).toEqual({
      exchange_index: 2,
      balance: '19.5000',
    });
    const { data: value } = await portfolio.getPortfolioRestingOrderTotalValue();
    expect(value.resting_order_value_breakdown).toEqual([{ exchange_index: 2, balance: '0.5000' }]);
    await expect(orders.getOrder(created.order_id)).rejects.toMatchObject({ response: { status: 404 } });
    const cancelled = await orders.cancelOrderV2(created.order_id, undefined, undefined, request.ticker);
    expect(cancelled.data.order_id).toBe(created.order_id);
    expect((await exchange.getExchangeStatus()).data.exchange_index_statuses).toHaveLength(4);
  });

  it('lists the keys of the account, and may do with each what its scopes say', async () => {
    const { api_keys: keys } = (await kalshiClient(sandbox.kalshi.account).keys.getApiKeys()).data;
    expect(keys.map(({ scopes }) => scopes)).toContainEqual(['read', 'write::trade']);
    const readOnly = kalshiClient(await sandbox.kalshi.addAccount({ scopes: ['read'] }));
    expect((await readOnly.portfolio.getBalance()).status).toBe(200);
    await expect(readOnly.orders.createOrderV2(kalshiOrder())).rejects.toMatchObject({ response: { status: 403 } });
  });

  it('creates a batch of which one is refused, changes what rests, and cancels it as a batch', async () => {
    const { account, orders } = client;
    expect((await account.getAccountApiLimits()).data.write).toEqual({ refill_rate: 300, bucket_capacity: 900 });
    expect((await account.getAccountEndpointCosts()).data.default_cost).toBe(10);
    const asked = [kalshiOrder(), kalshiOrder({ price: '0.0550' }), kalshiOrder({ price: '0.0400' })];
    const { data, status } = await orders.batchCreateOrdersV2({ orders: asked });
    expect(status).toBe(201);
    expect(data.orders.map(({ client_order_id: id, error }) => [id, error?.code])).toEqual([
      [asked[0]?.client_order_id, undefined],
      [asked[1]?.client_order_id, 'invalid_price'],
      [asked[2]?.client_order_id, undefined],
    ]);
    const [first = '', last = ''] = data.orders.flatMap(({ order_id: id }) => id ?? []);
    const change = { ticker: TICKER, side: BookSide.Bid, price: '0.0600', count: '8.00' };
    const { data: amended } = await orders.amendOrderV2(first, { ...change, updated_client_order_id: randomUUID() });
    expect(amended).toMatchObject({ order_id: first, remaining_count: '8.00', fill_count: '0.00' });
    const { data: decreased } = await orders.decreaseOrderV2(last, { reduce_to: '3.00' });
    expect(decreased).toMatchObject({ order_id: last, remaining_count: '3.00' });
    const { data: gone } = await orders.batchCancelOrdersV2({
      orders: [first, last, randomUUID()].map((order_id) => ({ order_id })),
    });
    expect(gone.orders.map((order) => order.reduced_by)).toEqual(['8.00', '3.00', '0.00']);
    expect(await restingIds(client)).toEqual([]);
  });

  it('is refused what the exchange refuses', async () => {
    const request = kalshiOrder();
    const { data } = await client.orders.createOrderV2(request);
    await expect(client.orders.createOrderV2(request)).rejects.toMatchObject({
      response: { status: 409, data: { error: { code: 'order_already_exists' } } },
    });
    await client.orders.cancelOrderV2(data.order_id);
    await expect(client.orders.createOrderV2(kalshiOrder({ count: '900000.00' }))).rejects.toMatchObject({
      response: { status: 400, data: { error: { code: 'insufficient_balance' } } },
    });
  });

  it('reads the past of the account that the sandbox starts with', async () => {
    const own = kalshiClient(sandbox.kalshi.account);
    const { settlements } = (await own.portfolio.getSettlements()).data;
    expect(settlements.map(({ ticker }) => ticker)).toContain('KXHIGHNY-YESTERDAY-B52.5');
  });

  it('signs for two members at once, each with the key of its own', async () => {
    const accounts = [
      await sandbox.kalshi.addAccount({ balanceDollars: '250.00' }),
      await sandbox.kalshi.addAccount({ balanceDollars: '75.50' }),
    ];
    const clients = accounts.map(kalshiClient);
    const seen = sandbox.log.list('kalshi').length;
    const rounds = Array.from({ length: 10 }, () =>
      clients.map(async ({ orders, portfolio }) => {
        const { data } = await orders.createOrderV2(kalshiOrder({ count: '1.00', price: '0.0100' }));
        await orders.cancelOrderV2(data.order_id);
        await portfolio.getBalance();
      }),
    );
    await Promise.all(rounds.flat());
    const balances = await Promise.all(clients.map(async ({ portfolio }) => (await portfolio.getBalance()).data));
    expect(balances.map((balance) => balance.balance_dollars)).toEqual(['250.0000', '75.5000']);
    const counts = await Promise.all(clients.map(async ({ orders }) => (await orders.getOrders()).data.orders.length));
    expect(counts).toEqual([10, 10]);
    const keys = sandbox.log
      .list('kalshi')
      .slice(seen)
      .map(({ headers }) => headers['kalshi-access-key']);
    expect(accounts.map(({ access_key }) => keys.filter((key) => key === access_key).length)).toEqual([32, 32]);
    expect(keys).toHaveLength(64);
  });
});

const ALIENS = '107505882767731489358349912513945399560393482969656700824895970500493757150417';
const ALIENS_MARKET = '0x747dc809fb79e1b05be09c42d6179459a58de2ef3e40f02484a4e1260f741f75';
const NEWSOM = '59875190760595879086210047068932732543507232128320818147490565132631198483666';

const V2_YES = BigInt(`0x013009decfd1e0532df9db26862e9635ef${'0'.repeat(30)}`).toString();
const V2_MAYOR = BigInt(`0x02a4d1f0937c2be658d01993f4c7ab22e60003${'0'.repeat(26)}`).toString();

/** A wallet as a bot has it. */
function walletOf(privateKey: `0x${string}`) {
  const account = privateKeyToAccount(privateKey);
  // No call of the client goes to a chain; the transport is there for the type.
  return createWalletClient({ account, transport: http('http://127.0.0.1:9') });
}

/** The official Polymarket client of a wallet that the exchange does not know yet: it makes credentials first. */
async function newTrader(): Promise<{ client: ClobClient; address: string }> {
  const signer = walletOf(generatePrivateKey());
  const options = { host: sandbox.polymarket.account.clob_url, chain: Chain.POLYGON, signer };
  const creds = await new ClobClient(options).createOrDeriveApiKey();
  return { client: new ClobClient({ ...options, creds }), address: signer.account.address };
}

async function openIds(client: ClobClient): Promise<string[]> {
  return (await client.getOpenOrders()).map((order) => order.id);
}

describe('contract.md 7 @polymarket/clob-client-v2 drives the CLOB stand-in unchanged', () => {
  let client: ClobClient;
  let address: string;

  beforeAll(async () => {
    ({ client, address } = await newTrader());
  });

  it('derives the same API key again, and starts with play money', async () => {
    const { clob_url: host } = sandbox.polymarket.account;
    const signer = walletOf(generatePrivateKey());
    const unknown = new ClobClient({ host, chain: Chain.POLYGON, signer });
    const creds = await unknown.createOrDeriveApiKey();
    expect(creds.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(await unknown.deriveApiKey()).toEqual(creds);
    const known = new ClobClient({ host, chain: Chain.POLYGON, signer, creds });
    expect((await known.getApiKeys()).apiKeys).toEqual([creds.key]);
    expect(await known.getClosedOnlyMode()).toEqual({ closed_only: false });
    expect(await known.getBalanceAllowance({ asset_type: AssetType.COLLATERAL })).toMatchObject({
      balance: '10000000000',
    });
  });

  it('lists markets and reads one', async () => {
    expect(await client.getOk()).toBe('OK');
    expect(Math.abs((await client.getServerTime()) - Date.now() / 1_000)).toBeLessThan(5);
    const all = await client.getMarkets();
    const sampling = await client.getSamplingMarkets();
    const simplified = await client.getSimplifiedMarkets();
    expect(all.next_cursor).toBe('LTE=');
    expect(all.count).toBe(simplified.count);
    expect(sampling.count).toBeLessThan(all.count);
    expect(all.data).toEqual(expect.arrayContaining([expect.objectContaining({ condition_id: ALIENS_MARKET })]));
    expect(await client.getMarket(ALIENS_MARKET)).toMatchObject({
      question: 'Will the US confirm that aliens exist?',
      minimum_tick_size: 0.001,
      tokens: [{ token_id: ALIENS, outcome: 'Yes', winner: false }, { outcome: 'No' }],
    });
    expect(await client.getClobMarketInfo(ALIENS_MARKET)).toMatchObject({ c: ALIENS_MARKET, mos: 5 });
  });

  it('reads a book whose hash is the one the client counts', async () => {
    const book = await client.getOrderBook(ALIENS);
    expect(book.bids.at(-1)?.price).toBe('0.084');
    expect(book.asks.at(-1)?.price).toBe('0.086');
    const { hash } = book;
    expect(await client.getOrderBookHash(book)).toBe(hash);
    expect((await client.getOrderBooks([{ token_id: ALIENS, side: Side.BUY }])).map((one) => one.asset_id)).toEqual([
      ALIENS,
    ]);
    expect([await client.getTickSize(ALIENS), await client.getNegRisk(NEWSOM)]).toEqual(['0.001', true]);
    expect(await client.getMidpoint(ALIENS)).toEqual({ mid_price: '0.085' });
    expect(await client.getPricesHistory({ market: ALIENS, startTs: 1, endTs: 2 })).toEqual({ history: [] });
  });

  it.each([
    ['an ordinary market', ALIENS],
    ['a neg-risk market', NEWSOM],
  ])('signs and posts an order that rests in %s, finds it, and cancels it', async (_where, tokenID) => {
    const order = await client.createOrder({ tokenID, price: 0.01, size: 10, side: Side.BUY });
    const posted = await client.postOrder(order, OrderType.GTC);
    expect(posted).toMatchObject({ success: true, errorMsg: '', status: 'live' });
    expect(await openIds(client)).toEqual([posted.orderID]);
    expect(await client.getOrder(posted.orderID)).toMatchObject({
      id: posted.orderID,
      status: 'LIVE',
      asset_id: tokenID,
      side: 'BUY',
      price: '0.01',
      original_size: '10',
      size_matched: '0',
      maker_address: address,
    });
    expect(await client.cancelOrder({ orderID: posted.orderID })).toEqual({
      canceled: [posted.orderID],
      not_canceled: {},
    });
    expect(await openIds(client)).toEqual([]);
    expect(await client.cancelOrder({ orderID: posted.orderID })).toMatchObject({
      canceled: [],
      not_canceled: { [posted.orderID]: expect.any(String) },
    });
  });

  it('posts a batch of which one is refused, and cancels the others as a batch', async () => {
    const rests = (price: number) => client.createOrder({ tokenID: ALIENS, price, size: 10, side: Side.BUY });
    const tooMuch = await client.createOrder({ tokenID: ALIENS, price: 0.05, size: 900_000, side: Side.BUY });
    const batch = [await rests(0.01), tooMuch, await rests(0.02)].map((order) => ({ order, orderType: OrderType.GTC }));
    const posted = await client.postOrders(batch);
    expect(posted.map(({ errorMsg, status }) => errorMsg || status)).toEqual([
      'live',
      'not enough balance / allowance',
      'live',
    ]);
    const ids = posted.flatMap(({ orderID }) => (orderID === '' ? [] : [orderID]));
    expect(await openIds(client)).toEqual(ids);
    expect(await client.cancelOrders(ids)).toEqual({ canceled: ids, not_canceled: {} });
  });

  it('posts an order that fills: trade, hash, shares, money and position say the same', async () => {
    const posted = await client.createAndPostOrder({ tokenID: ALIENS, price: 0.086, size: 100, side: Side.BUY });
    expect(posted).toMatchObject({ success: true, status: 'matched', makingAmount: '8.6', takingAmount: '100' });
    expect(posted.transactionsHashes).toEqual([expect.stringMatching(/^0x[0-9a-f]{64}$/)]);
    const trades = await client.getTrades({ asset_id: ALIENS });
    expect(trades).toMatchObject([
      { id: posted.tradeIDs?.[0], taker_order_id: posted.orderID, size: '100', price: '0.086', trader_side: 'TAKER' },
    ]);
    const shares = await client.getBalanceAllowance({ asset_type: AssetType.CONDITIONAL, token_id: ALIENS });
    expect(shares.balance).toBe('100000000');
    const money = await client.getBalanceAllowance({ asset_type: AssetType.COLLATERAL });
    expect(money.balance).toBe('9991400000');
    const positions = await fetch(`${sandbox.polymarket.account.data_url}/v2/positions?user=${address}`);
    expect(await positions.json()).toMatchObject({ data: [{ token_id: ALIENS, current_size: 100 }] });
  });

  it('buys at the market for an amount of money, and sells again', async () => {
    const bought = await client.createAndPostMarketOrder({ tokenID: NEWSOM, amount: 50, side: Side.BUY });
    expect(bought).toMatchObject({ success: true, status: 'matched' });
    const sold = await client.createAndPostMarketOrder({ tokenID: NEWSOM, amount: 100, side: Side.SELL });
    expect(sold).toMatchObject({ success: true, status: 'matched', makingAmount: '100' });
    expect((await client.getTrades({ asset_id: NEWSOM })).map((trade) => trade.side)).toEqual(['SELL', 'BUY']);
  });

  it('is refused what the exchange refuses, and cancels what is left', async () => {
    const size = { tokenID: ALIENS, price: 0.05, side: Side.BUY };
    expect(await client.createAndPostOrder({ ...size, size: 900_000 })).toMatchObject({
      error: 'not enough balance / allowance',
      status: 400,
    });
    await client.createAndPostOrder({ ...size, size: 10 });
    await client.createAndPostOrder({ ...size, size: 20 });
    const ids = await openIds(client);
    expect(ids).toHaveLength(2);
    expect(await client.cancelAll()).toEqual({ canceled: ids, not_canceled: {} });
    expect(await openIds(client)).toEqual([]);
  });

  it('trades a V2 market once it is told that its orders are of version 3', async () => {
    const bought = await client.createAndPostOrder(
      { tokenID: V2_YES, price: 0.54, size: 10, side: Side.BUY },
      { version: 3 },
    );
    expect(bought).toMatchObject({ success: true, status: 'matched', takingAmount: '10' });
    const rests = await client.createOrder(
      { tokenID: V2_MAYOR, price: 0.02, size: 10, side: Side.BUY },
      { version: 3 },
    );
    const posted = await client.postOrder(rests, OrderType.GTC);
    expect(posted).toMatchObject({ success: true, status: 'live' });
    expect(await client.getOrder(posted.orderID)).toMatchObject({ asset_id: V2_MAYOR, price: '0.02' });
    expect(await client.cancelOrder({ orderID: posted.orderID })).toMatchObject({ canceled: [posted.orderID] });
    const amount = { tokenID: V2_YES, amount: 5, price: 0.99, side: Side.BUY };
    const market = await client.createAndPostMarketOrder(amount, { version: 3 });
    expect(market).toMatchObject({ success: true, status: 'matched' });
    expect(Number(market.takingAmount)).toBeGreaterThan(9);
    const book = await client.getOrderBook(V2_YES);
    const { hash } = book;
    expect(await client.getOrderBookHash(book)).toBe(hash);
  });

  it('is refused in a V2 market with the version that the exchange names', async () => {
    const order = { tokenID: V2_YES, price: 0.02, size: 10, side: Side.BUY };
    expect(await client.createAndPostOrder(order)).toMatchObject({ error: 'order_version_mismatch', status: 400 });
  });

  it.each([
    ['the key itself', SignatureTypeV2.EOA, 0],
    ['a proxy wallet', SignatureTypeV2.POLY_PROXY, 1],
    ['a safe', SignatureTypeV2.POLY_GNOSIS_SAFE, 2],
    ['a deposit wallet', SignatureTypeV2.POLY_1271, 3],
  ] as const)('trades for %s in markets of both protocols', async (_wallet, signatureType, type) => {
    const account = sandbox.polymarket.addAccount({ signatureType: type, balance: '40' });
    const { wallet_private_key, wallet_address: funderAddress, api_key: key, secret, passphrase } = account;
    const own = new ClobClient({
      host: sandbox.polymarket.account.clob_url,
      chain: Chain.POLYGON,
      signer: walletOf(`0x${wallet_private_key.slice(2)}`),
      creds: { key, secret, passphrase },
      signatureType,
      funderAddress,
    });
    const posted = await own.createAndPostOrder({ tokenID: ALIENS, price: 0.01, size: 10, side: Side.BUY });
    expect(posted).toMatchObject({ success: true, status: 'live' });
    expect(await own.getOpenOrders()).toMatchObject([{ id: posted.orderID, maker_address: funderAddress, owner: key }]);
    expect(await own.getBalanceAllowance({ asset_type: AssetType.COLLATERAL })).toMatchObject({ balance: '40000000' });
    const v2 = { tokenID: V2_YES, price: 0.03, size: 10, side: Side.BUY };
    expect(await own.createAndPostOrder(v2, { version: 3 })).toMatchObject({ success: true, status: 'live' });
  });
});
