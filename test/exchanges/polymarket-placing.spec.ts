import 'reflect-metadata';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { readFileSync } from 'node:fs';
import { CREDENTIALS, FakePolymarket, sample, sampleObject, type FakeAnswer } from '../support/fake-polymarket.js';
import { AppError } from '../../src/platform/errors/app-error.js';
import type { PreparedOrder } from '../../src/exchanges/exchange.js';
import { OrderSearch } from '../../src/exchanges/order-search.js';
import { PolymarketOrderDto } from '../../src/exchanges/polymarket/trading/order.dto.js';

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
const [BUY, SELL] = vectors;
if (BUY === undefined || SELL === undefined) throw new Error('There are no vectors.');

const HASH = BUY.eip712_hash;
const ORDER = BUY.post_order_body.order;
const TOKEN = String(ORDER.tokenId);
const MARKET = `0x${'7'.repeat(64)}`;
const KEYSET = 'GET /gamma/markets/keyset';
const POST = 'POST /clob/order';
const READ = `GET /clob/data/order/${HASH}`;
const USER_TRADES = 'GET /clob/data/trades';
const NEVER_SENT = { requests: 0 };

const listed = {
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

const taken = {
  ...userTrade,
  taker_order_id: HASH,
  market: MARKET,
  asset_id: TOKEN,
  size: '4',
};

function tradesPage(trades: readonly object[]): FakeAnswer {
  return { body: { data: trades, next_cursor: 'LTE=', limit: 100, count: trades.length } };
}

let fake: FakePolymarket;

beforeEach(async () => {
  fake = await FakePolymarket.start();
  const market = {
    ...sampleObject('gamma-market'),
    conditionId: MARKET,
    outcomes: '["Up","Down"]',
    clobTokenIds: JSON.stringify([TOKEN, '5']),
  };
  fake.on(KEYSET, ({ query }) => ({ body: { markets: query.get('closed') === 'false' ? [market] : [] } }));
  fake.on(USER_TRADES, () => tradesPage([]));
});

afterEach(async () => {
  await fake.close();
});

function request(change: Readonly<Record<string, unknown>> = {}, rest: object = {}): object {
  return plainToInstance(PolymarketOrderDto, { signed_order: { ...ORDER, ...change }, ...rest });
}

async function prepare(
  change: Readonly<Record<string, unknown>> = {},
  rest: object = {},
  credentials: typeof CREDENTIALS & Readonly<Record<string, string>> = CREDENTIALS,
): Promise<PreparedOrder> {
  return await fake.trading(credentials).prepareOrder(request(change, rest), 'unused');
}

async function fate(answer: FakeAnswer): Promise<unknown> {
  fake.on(POST, () => answer);
  const order = await prepare();
  return await order.place().catch((error: unknown) => error);
}

describe('prepareOrder', () => {
  it('unified.md 7 computes the published order hash and sends nothing', async () => {
    expect((await prepare()).reference.details).toEqual({ order_id: HASH });
    expect(fake.at(POST)).toHaveLength(NEVER_SENT.requests);
  });

  it('polymarket.md 3 hashes for the contract of neg-risk markets, asking the CLOB where Gamma does not say', async () => {
    const market = { ...sampleObject('gamma-market'), conditionId: MARKET, negRisk: undefined };
    const tokens = { clobTokenIds: JSON.stringify([TOKEN, '5']) };
    fake.on(KEYSET, () => ({ body: { markets: [{ ...market, ...tokens }] } }));
    fake.on('GET /clob/neg-risk', () => ({ body: { neg_risk: true } }));
    const { order } = SELL.post_order_body;
    const prepared = await prepare(order, { time_in_force: 'gtd', post_only: true });
    expect(prepared.reference.details).toEqual({ order_id: SELL.eip712_hash });
  });

  it.each([
    ['signed_order.maker', { maker: `0x${'1'.repeat(40)}` }],
    ['signed_order.signer', { signer: `0x${'1'.repeat(40)}` }],
    ['signed_order.signatureType', { signatureType: 1 }],
    ['signed_order.tokenId', { tokenId: '9'.repeat(78) }],
    ['signed_order.expiration', { expiration: '1792003660' }],
  ])('DESIGN 5 refuses another %s and does not call the exchange', async (field, change) => {
    const refused = { code: 'bad_request', details: { fields: [{ field }] } };
    await expect(prepare(change)).rejects.toMatchObject(refused);
    expect(fake.requests).toEqual([]);
  });

  it.each([
    ['signed_order.expiration', { time_in_force: 'gtd' }],
    ['post_only', { time_in_force: 'fok', post_only: true }],
    ['post_only', { time_in_force: 'ioc', post_only: true }],
  ])('unified.md 7 refuses on %s with %j', async (field, rest) => {
    await expect(prepare({}, rest)).rejects.toMatchObject({ code: 'bad_request', details: { fields: [{ field }] } });
  });

  it('unified.md 7 takes addresses in any spelling', async () => {
    const wallet_address = CREDENTIALS.wallet_address.toLowerCase();
    expect((await prepare({}, {}, { ...CREDENTIALS, wallet_address })).reference.details).toEqual({ order_id: HASH });
  });

  it.each([
    ['1', 'signer'],
    ['2', 'signer'],
    ['3', 'wallet'],
  ])('unified.md 7 wants an order of type %s signed by the %s', async (type, by) => {
    const wallet = `0x${'a'.repeat(40)}`;
    const credentials = {
      ...CREDENTIALS,
      wallet_address: wallet,
      signer_address: CREDENTIALS.wallet_address,
      signature_type: type,
    };
    const signedBy = (signer: string) =>
      prepare({ maker: wallet, signer, signatureType: Number(type) }, {}, credentials);
    const [right, wrong] =
      by === 'wallet' ? [wallet, CREDENTIALS.wallet_address] : [CREDENTIALS.wallet_address, wallet];
    await expect(signedBy(right)).resolves.toBeDefined();
    await expect(signedBy(wrong)).rejects.toMatchObject({ details: { fields: [{ field: 'signed_order.signer' }] } });
  });

  it('unified.md 7 answers not_found for a token of no market, and looks in the CLOB first', async () => {
    fake.on(KEYSET, () => ({ body: { markets: [] } }));
    await expect(prepare()).rejects.toMatchObject({ code: 'not_found' });
    expect(fake.at(`GET /clob/markets-by-token/${TOKEN}`)).toHaveLength(1);
    fake.on(`GET /clob/markets-by-token/${TOKEN}`, () => ({ body: { condition_id: MARKET } }));
    const info = {
      c: MARKET,
      t: [
        { t: TOKEN, o: 'Yes' },
        { t: '5', o: 'No' },
      ],
    };
    fake.on(`GET /clob/clob-markets/${MARKET}`, () => ({ body: info }));
    fake.on('GET /clob/neg-risk', () => ({ body: { neg_risk: false } }));
    expect((await prepare()).reference.details).toEqual({ order_id: HASH });
  });

  it.each([500, 429])('unified.md 7 reports a failing look-up (%i) as a read error', async (status) => {
    fake.on(KEYSET, () => ({ status, body: { error: 'no' } }));
    const code = status === 429 ? 'exchange_rate_limited' : 'exchange_error';
    await expect(prepare()).rejects.toMatchObject({ code });
  });
});

describe('place', () => {
  it('unified.md 7 sends the published body, signed, and answers the order', async () => {
    fake.on(POST, () => ({ body: sample('post-order.response') }));
    const order = await (await prepare()).place();
    expect(order).toEqual({
      exchange: 'polymarket',
      id: HASH,
      client_order_id: null,
      market_id: MARKET,
      outcome: { id: TOKEN, index: 0, label: 'Up' },
      side: 'buy',
      type: 'limit',
      time_in_force: 'gtc',
      post_only: false,
      price: '0.52',
      size: '10',
      filled_size: '0',
      remaining_size: '10',
      average_fill_price: null,
      fees: null,
      currency: 'PUSD',
      status: 'open',
      status_reason: null,
      created_at: null,
      updated_at: null,
      expires_at: null,
      trade_ids: [],
    });
    const [sent, ...more] = fake.at(POST);
    expect(more).toEqual([]);
    expect(sent?.body).toBe(BUY.post_order_body_raw);
  });

  it.each([
    ['gtc', {}, 'GTC'],
    ['gtd', { expiration: '1792003660' }, 'GTD'],
    ['ioc', {}, 'FAK'],
    ['fok', {}, 'FOK'],
  ])('unified.md 7 sends %s as the type of the exchange', async (time_in_force, change, orderType) => {
    fake.on(POST, () => ({ body: sample('post-order.response') }));
    const order = await (await prepare(change, { time_in_force })).place();
    expect(JSON.parse(fake.at(POST)[0]?.body ?? '')).toMatchObject({ orderType, owner: CREDENTIALS.api_key });
    expect(order).toMatchObject({
      time_in_force,
      expires_at: time_in_force === 'gtd' ? '2026-10-14T18:47:40.000Z' : null,
    });
  });

  it('unified.md 7 derives price and size of a sale from the amounts', async () => {
    const market = { ...sampleObject('gamma-market'), clobTokenIds: JSON.stringify(['5', TOKEN]), negRisk: true };
    fake.on(KEYSET, () => ({ body: { markets: [market] } }));
    const body = { success: true, errorMsg: '', orderID: SELL.eip712_hash, status: 'live' };
    fake.on(POST, () => ({ body }));
    const order = await (await prepare(SELL.post_order_body.order, { time_in_force: 'gtd' })).place();
    expect(order).toMatchObject({ side: 'sell', price: '0.52', size: '10', outcome: { index: 1, label: 'No' } });
  });

  it.each([
    ['delayed', 'pending'],
    ['unmatched', 'open'],
    ['LIVE', 'open'],
  ])('unified.md 7 answers %s as %s', async (status, unified) => {
    const body = { success: true, errorMsg: '', orderID: HASH, status };
    expect(await fate({ body })).toMatchObject({ id: HASH, status: unified });
  });

  it('polymarket.md 7 reads an order that matched instead of trusting the amounts', async () => {
    fake.on(READ, () => ({ body: listed }));
    const body = {
      success: true,
      errorMsg: '',
      orderID: HASH,
      status: 'matched',
      takingAmount: '10',
      makingAmount: '5',
    };
    const order = await fate({ body });
    expect(order).toMatchObject({
      status: 'partially_filled',
      filled_size: '4',
      remaining_size: '6',
      trade_ids: ['t1'],
    });
  });

  it.each([
    [{ takingAmount: '10' }, 'gtc', 'filled', '10'],
    [{ takingAmount: '10000000' }, 'gtc', 'filled', '10'],
    [{ takingAmount: '2500000' }, 'gtc', 'partially_filled', '2.5'],
    [{ takingAmount: '2.5' }, 'ioc', 'cancelled', '2.5'],
    [{ takingAmount: '' }, 'fok', 'filled', '10'],
  ])(
    'polymarket.md 7 makes do with %j (%s) where it cannot read it',
    async (amounts, time_in_force, status, filled) => {
      const body = { success: true, errorMsg: '', orderID: HASH, status: 'matched', tradeIDs: ['t9'], ...amounts };
      fake.on(POST, () => ({ body }));
      const order = await (await prepare({}, { time_in_force })).place();
      expect(order).toMatchObject({ status, filled_size: filled, trade_ids: ['t9'] });
    },
  );

  it('polymarket.md 7 does not trust a read that lags behind the match', async () => {
    fake.on(READ, () => ({ body: { ...listed, size_matched: '0' } }));
    const body = { success: true, errorMsg: '', orderID: HASH, status: 'matched', takingAmount: '4' };
    expect(await fate({ body })).toMatchObject({ status: 'partially_filled', filled_size: '4' });
  });

  it('polymarket.md 2 keeps the name that the exchange gives the order', async () => {
    const orderID = `0x${'B'.repeat(64)}`;
    const body = { success: true, errorMsg: '', orderID, status: 'live' };
    expect(await fate({ body })).toMatchObject({ id: orderID.toLowerCase(), status: 'open' });
  });

  it.each([
    [400, 'not enough balance / allowance', 'insufficient_funds'],
    [400, 'invalid post-only order: order crosses book', 'would_cross'],
    [400, `order ${HASH} crosses the book`, 'would_cross'],
    [400, "order couldn't be fully filled. FOK orders are fully filled or killed.", 'not_filled'],
    [400, 'no orders found to match with FAK order. FAK orders are partially filled or killed.', 'not_filled'],
    [400, 'the market is not yet ready to process new orders', 'market_closed'],
    [400, 'the orderbook 123 does not exist', 'market_closed'],
    [404, 'No orderbook exists for the requested token id', 'market_closed'],
    [400, `order ${HASH} is invalid. Price (0.521) breaks minimum tick size rule: 0.01`, 'invalid_order'],
    [400, `order ${HASH} is invalid. Size (1) lower than the minimum: 5`, 'invalid_order'],
    [400, 'invalid expiration', 'invalid_order'],
    [400, 'the order owner has to be the owner of the API KEY', 'invalid_order'],
    [400, 'the order signer address has to be the address of the API KEY', 'invalid_order'],
    [400, 'Invalid order payload', 'invalid_order'],
    [400, "'0x1234' address banned", 'permission_denied'],
    [400, "'0x1234' address in closed only mode", 'permission_denied'],
    [403, 'Trading restricted in your region, please refer to available regions', 'permission_denied'],
  ])('unified.md 11 maps %i %s to %s', async (status, error, reason) => {
    const refusal = { code: 'exchange_rejected', details: { reason, exchange: { id: 'polymarket', status } } };
    expect(await fate({ status, body: { error } })).toMatchObject(refusal);
    expect(fake.at(POST)).toHaveLength(1);
  });

  it.each([
    ['not enough balance / allowance', 'insufficient_funds'],
    ['the market is not yet ready to process new orders', 'market_closed'],
    ['anything else', 'invalid_order'],
  ])('polymarket.md 7 takes a success that says "%s" for a refusal', async (errorMsg, reason) => {
    const body = { success: true, errorMsg, orderID: '', status: '' };
    expect(await fate({ body })).toMatchObject({ code: 'exchange_rejected', details: { reason } });
  });

  it('polymarket.md 10 takes a delayed match for a pending order', async () => {
    const errorMsg = 'order match delayed due to market conditions';
    const body = { success: true, errorMsg, orderID: HASH, status: 'delayed' };
    expect(await fate({ body })).toMatchObject({ id: HASH, status: 'pending' });
  });

  it.each([
    [401, 'Unauthorized/Invalid api key', 'credentials_rejected'],
    [425, 'the matching engine is restarting', 'exchange_unavailable'],
    [429, 'Too Many Requests', 'exchange_rate_limited'],
    [503, 'Trading is currently cancel-only. New orders are not accepted.', 'exchange_unavailable'],
  ])('R-15 maps %i %s of an order to %s', async (status, error, code) => {
    expect(await fate({ status, body: { error } })).toMatchObject({ code });
  });

  it('R-15 tells how long the exchange takes post-only orders only, and at most a minute', async () => {
    const error = 'post-only mode: only post-only orders and cancels are allowed';
    const body = { error, code: 'post_only_mode', retry_after_seconds: 79 };
    const refusal = { code: 'exchange_unavailable', retryAfterSeconds: 60 };
    expect(await fate({ status: 503, body })).toMatchObject(refusal);
  });

  it.each<[string, FakeAnswer]>([
    ['no answer', 'hang'],
    ['a reset', 'reset'],
    ['a 500', { status: 500, body: { error: 'order timed out' } }],
    ['a 502', { status: 502 }],
    ['a 503 of someone else', { status: 503, body: 'busy' }],
    ['a 425 without a word', { status: 425, body: {} }],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' } }],
    ['no body', { status: 200 }],
    ['another body', { status: 200, body: { ok: true } }],
    ['a success without an id', { body: { success: true, errorMsg: '', status: 'live' } }],
    ['no success and no reason', { body: { success: false, errorMsg: '', orderID: HASH, status: '' } }],
    ['trouble of its own', { body: { success: true, errorMsg: 'could not insert order', orderID: '', status: '' } }],
  ])('R-13 says after %s that the outcome is unknown, having sent it once', async (_name, answer) => {
    expect(await fate(answer)).toMatchObject({
      code: 'order_outcome_unknown',
      retryable: true,
      details: { order_id: HASH },
    });
    expect(fake.at(POST)).toHaveLength(1);
  });

  it('R-13 says that nothing was sent where there is no connection', async () => {
    const order = await prepare();
    await fake.close();
    const failed = await order.place().catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'exchange_error' });
    fake = await FakePolymarket.start();
  });

  it.each([
    ['of another sort', {}, { order_type: 'FAK', status: 'MATCHED' }],
    ['that expires, asked for gtc', {}, { order_type: null, expiration: '1792003600' }],
    ['that rests, asked for fok', { time_in_force: 'fok' }, { order_type: null }],
    ['that rests, asked for ioc', { time_in_force: 'ioc' }, { order_type: null }],
  ])('unified.md 11 refuses a duplicate %s', async (_name, asked, found) => {
    fake.on(READ, () => ({ body: { ...listed, ...found } }));
    fake.on(POST, () => ({ status: 400, body: { error: `order ${HASH} is invalid. Duplicated.` } }));
    const order = await prepare({}, asked);
    await expect(order.place()).rejects.toMatchObject({
      code: 'exchange_rejected',
      details: { reason: 'duplicate_order' },
    });
    expect(await order.find(new OrderSearch())).toMatchObject({ isAsAsked: false });
  });

  it('S-39 shows no credential in an error, whatever the exchange repeats', async () => {
    const error = `bad key ${CREDENTIALS.api_key} ${CREDENTIALS.passphrase} ${CREDENTIALS.secret}`;
    const failed = await fate({ status: 400, body: { error } });
    const shown = failed instanceof AppError ? JSON.stringify(failed.details) : '';
    expect(shown).toContain('invalid_order');
    for (const secret of [CREDENTIALS.api_key, CREDENTIALS.passphrase, CREDENTIALS.secret]) {
      expect(shown).not.toContain(secret);
    }
  });

  it('S-39 keeps no API key in a prepared order', async () => {
    expect(JSON.stringify(await prepare())).not.toContain(CREDENTIALS.api_key);
  });
});

describe('find', () => {
  it('DESIGN 5 gives the order as the exchange lists it, with the terms that the hash proves', async () => {
    fake.on(READ, () => ({ body: { ...listed, status: 'ORDER_STATUS_LIVE' } }));
    const { order, isAsAsked } = (await (await prepare({}, { post_only: true })).find(new OrderSearch())) ?? {};
    expect(isAsAsked).toBe(true);
    expect(order).toMatchObject({
      id: HASH,
      side: 'buy',
      outcome: { id: TOKEN },
      price: '0.52',
      size: '10',
      time_in_force: 'gtc',
      // The exchange does not tell it.
      post_only: null,
      expires_at: null,
      status: 'partially_filled',
      filled_size: '4',
      created_at: '2026-10-14T17:46:41.000Z',
    });
  });

  it.each<[string, FakeAnswer]>([
    ['404', { status: 404, body: { error: 'Order not found' } }],
    ['an empty answer', { status: 200 }],
    ['null', { body: null }],
  ])('DESIGN 5 knows after %s and no trade that it is not there', async (_name, answer) => {
    fake.on(READ, () => answer);
    expect(await (await prepare()).find(new OrderSearch())).toBeNull();
    const [trades] = fake.at(USER_TRADES);
    expect(Object.fromEntries(trades?.query ?? [])).toEqual({
      maker_address: CREDENTIALS.wallet_address,
      market: MARKET,
      after: String(1_792_000_001 - 86_400),
    });
  });

  it('polymarket.md 7 finds an order that is listed no more in the trades, on any page', async () => {
    const pages = new Map([
      ['', { data: [taken], next_cursor: 'MTAw' }],
      ['MTAw', { data: [{ ...taken, id: 'second', size: '6' }], next_cursor: 'LTE=' }],
    ]);
    fake.on(USER_TRADES, ({ query }) => ({ body: pages.get(query.get('next_cursor') ?? '') }));
    const { order } = (await (await prepare()).find(new OrderSearch())) ?? {};
    expect(order).toMatchObject({ status: 'filled', filled_size: '10', trade_ids: [taken.id, 'second'] });
    // Trades do not tell how long their order was to live.
    expect(order).toMatchObject({ time_in_force: null, post_only: null, expires_at: null });
  });

  it('polymarket.md 7 finds it as a maker, and does not count failed trades', async () => {
    const maker = {
      order_id: HASH,
      owner: CREDENTIALS.api_key,
      maker_address: CREDENTIALS.wallet_address,
      matched_amount: '3',
      price: '0.52',
      asset_id: TOKEN,
      side: 'BUY',
    };
    const made = { ...taken, id: 'made', trader_side: 'MAKER', taker_order_id: '0x1', maker_orders: [maker] };
    fake.on(USER_TRADES, () => tradesPage([made, { ...taken, status: 'FAILED' }]));
    const { order } = (await (await prepare()).find(new OrderSearch())) ?? {};
    expect(order).toMatchObject({ status: 'cancelled', filled_size: '3', remaining_size: '7', trade_ids: ['made'] });
  });

  it('DESIGN 5 tells the expiry that the order has at the exchange', async () => {
    fake.on(READ, () => ({ body: { ...listed, order_type: 'GTD', expiration: '1792003600' } }));
    const order = await prepare({ expiration: '1792003600' }, { time_in_force: 'gtd' });
    expect((await order.find(new OrderSearch()))?.order).toMatchObject({
      time_in_force: 'gtd',
      expires_at: '2026-10-14T18:46:40.000Z',
    });
    fake.on(READ, () => ({ body: { ...listed, order_type: 'GTD', expiration: '1792003601' } }));
    expect(await order.find(new OrderSearch())).toMatchObject({ isAsAsked: false });
  });

  it.each([{ asset_id: '5' }, { side: 'SELL' }])(
    'S-50 believes no order that its hash disproves: %j',
    async (change) => {
      fake.on(READ, () => ({ body: { ...listed, ...change } }));
      await expect((await prepare()).find(new OrderSearch())).rejects.toMatchObject({ code: 'exchange_error' });
    },
  );

  it.each<[string, FakeAnswer]>([
    ['the order', { status: 500, body: { error: 'Internal server error' } }],
    ['it in time', 'hang'],
  ])('DESIGN 5 proves nothing where it cannot read %s', async (_name, answer) => {
    fake.on(READ, () => answer);
    await expect((await prepare()).find(new OrderSearch())).rejects.toMatchObject({ name: 'AppError' });
  });

  it('R-25 reads no trades from before the first sending, less the clocks’ slack', async () => {
    const sentAt = Math.floor(Date.now() / 1_000) - 60;
    const order = await prepare({ timestamp: String(Date.now()) });
    await order.find(new OrderSearch(60_000));
    const after = Number(fake.at(USER_TRADES)[0]?.query.get('after'));
    expect(Math.abs(after - (sentAt - 300))).toBeLessThan(10);
  });

  it('R-25 gives up after 30 calls, and announces each', async () => {
    let page = 0;
    fake.on(USER_TRADES, () => ({ body: { data: [], next_cursor: `p${(page += 1)}` } }));
    let announced = 0;
    const search = new OrderSearch(null, () => Promise.resolve(void (announced += 1)));
    await expect((await prepare()).find(search)).rejects.toMatchObject({
      code: 'exchange_unavailable',
      details: { reason: 'search_incomplete' },
    });
    expect([announced, page]).toEqual([30, 29]);
  });

  it('DESIGN 5 proves nothing where the trades repeat themselves', async () => {
    fake.on(USER_TRADES, () => ({ body: { data: [], next_cursor: 'MTAw' } }));
    await expect((await prepare()).find(new OrderSearch())).rejects.toMatchObject({ code: 'exchange_error' });
  });
});
