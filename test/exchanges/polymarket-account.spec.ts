import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Trading } from '../../src/exchanges/trading.contract.js';
import { CREDENTIALS, FakePolymarket, sample, sampleObject } from '../support/fake-polymarket.js';
import type { FakeAnswer } from '../support/fake-server.js';
import {
  BALANCE,
  CREDENTIALS_OF_SAFE,
  FIRST,
  KEYSET,
  MARKET,
  NO,
  openOrder,
  ORDERS,
  paged,
  readAll,
  startWithAccount,
  USER_TRADES,
  WALLET,
  YES,
} from './polymarket-account.fixture.js';

let fake: FakePolymarket;
let trading: Trading;

beforeEach(async () => {
  fake = await startWithAccount();
  trading = fake.trading(CREDENTIALS_OF_SAFE);
});

afterEach(async () => {
  await fake.close();
});

describe('getBalance', () => {
  it('unified-schema.md 8 gives money, what open orders to buy hold back, and the value of positions', async () => {
    expect(await trading.getBalance()).toEqual({
      exchange: 'polymarket',
      currency: 'PUSD',
      available: '152.34',
      reserved: '0.84',
      total: null,
      portfolio_value: '31.6675',
      breakdown: [],
      updated_at: null,
    });
    expect(Object.fromEntries(fake.at(BALANCE)[0]?.query ?? [])).toEqual({
      asset_type: 'COLLATERAL',
      signature_type: '2',
    });
    expect(fake.at('GET /data/v2/value')[0]?.query.get('user')).toBe(WALLET);
  });

  it('unified-schema.md 1 says null for what it cannot learn beside the balance', async () => {
    fake.on('GET /data/v2/value', () => ({ status: 500, body: { error: 'x' } }));
    fake.on(ORDERS, () => ({ status: 500, body: { error: 'x' } }));
    expect(await trading.getBalance()).toMatchObject({ available: '152.34', reserved: null, portfolio_value: null });
  });

  it('unified-schema.md 8 holds nothing back for an order that cannot trade any more', async () => {
    const states = ['LIVE', 'ORDER_STATUS_CANCELED', 'INVALID', 'CANCELED_MARKET_RESOLVED', 'MATCHED', 'DELAYED'];
    fake.on(ORDERS, () => ({
      body: {
        data: states.map((status) => ({ ...openOrder, status, ...(status === 'MATCHED' && { size_matched: '10' }) })),
        next_cursor: 'LTE=',
      },
    }));
    expect(await trading.getBalance()).toMatchObject({ reserved: '1.68' });
  });

  it.each([
    [152_340_000, '152.34'],
    [0, '0'],
    ['0', '0'],
  ])('takes the balance %j, in millionths, as a number too', async (balance, available) => {
    fake.on(BALANCE, () => ({ body: { balance } }));
    expect(await trading.getBalance()).toMatchObject({ available });
  });

  it.each([1.5, -1, 2 ** 60, '', null])('S-50 a balance of %j is none', async (balance) => {
    fake.on(BALANCE, () => ({ body: { balance } }));
    await expect(trading.getBalance()).rejects.toMatchObject({ code: 'exchange_error' });
  });

  it('polymarket.md 3 takes type 0 where none is stored', async () => {
    await fake.trading(CREDENTIALS).verify();
    expect(fake.at(BALANCE)[0]?.query.get('signature_type')).toBe('0');
  });
});

describe('listFills', () => {
  it('unified-schema.md 8 gives the own part of each trade, as taker and as maker', async () => {
    const { items, next } = await trading.listFills({}, FIRST);
    expect(next).toBeNull();
    expect(items).toEqual([
      {
        exchange: 'polymarket',
        id: '7766e7af-c371-4e23-ad26-2caf06175e7e',
        order_id: '0x2e23f8b81d15612b4207db47bbf507d085ed15e02bb33a7d8ac657c511f5ecdc',
        market_id: MARKET,
        outcome: { id: YES, index: 0, label: 'Yes' },
        side: 'buy',
        price: '0.086',
        size: '10',
        fee: null,
        role: 'taker',
        status: 'confirmed',
        timestamp: '2026-11-20T14:45:00.000Z',
        transaction_hash: '0x4e0336dd9c284e3921a9ef79816de80bd5eda6b7364955ab48cebe7c767bf84a',
      },
      {
        exchange: 'polymarket',
        id: '8787b68d-6cef-44c6-a55d-8f72555835cb:0x9250b9912ee91d6b46e23299459ecd6eb8154451d62558a3a0a708a77926ad04',
        order_id: '0x9250b9912ee91d6b46e23299459ecd6eb8154451d62558a3a0a708a77926ad04',
        market_id: MARKET,
        outcome: { id: YES, index: 0, label: 'Yes' },
        side: 'sell',
        price: '0.09',
        size: '50',
        fee: null,
        role: 'maker',
        status: 'pending',
        timestamp: '2026-11-20T14:55:00.000Z',
        transaction_hash: null,
      },
    ]);
    expect(fake.at(USER_TRADES)[0]?.query.get('maker_address')).toBe(WALLET);
  });

  const [, made = {}] = (sample('clob-user-trades') as { data: Record<string, unknown>[] }).data;
  const [own = {}, other = {}] = made.maker_orders as Record<string, unknown>[];

  it.each([
    ['another token', YES, 'buy'],
    ['the same token', NO, 'sell'],
  ])('polymarket.md 9.1 infers the side of a maker in %s where it is left out', async (_name, token, side) => {
    const makers = [{ ...own, asset_id: token, side: undefined, owner: 'an older key' }, other];
    fake.on(USER_TRADES, () => ({ body: { data: [{ ...made, maker_orders: makers }], next_cursor: 'LTE=' } }));
    const { items } = await trading.listFills({}, FIRST);
    expect(items).toMatchObject([{ side, outcome: { id: token }, role: 'maker' }]);
  });

  it.each([
    ['key', { maker_address: `0x${'1'.repeat(40)}` }],
    ['wallet', { owner: 'an older key', maker_address: WALLET.toLowerCase() }],
  ])('polymarket.md 9.1 knows the own part of a trade by %s', async (_name, change) => {
    const makers = [{ ...own, ...change }, other];
    fake.on(USER_TRADES, () => ({ body: { data: [{ ...made, maker_orders: makers }], next_cursor: 'LTE=' } }));
    expect((await trading.listFills({}, FIRST)).items).toMatchObject([{ order_id: own.order_id }]);
  });

  it.each([undefined, null, []])(
    'S-50 answers exchange_error to a trade of a maker whose orders are left out: %j',
    async (makers) => {
      fake.on(USER_TRADES, () => ({ body: { data: [{ ...made, maker_orders: makers }], next_cursor: 'LTE=' } }));
      await expect(trading.listFills({}, FIRST)).rejects.toMatchObject({ code: 'exchange_error' });
    },
  );

  it.each([
    ['TRADE_STATUS_MINED', 'pending'],
    ['RETRYING', 'pending'],
    ['TRADE_STATUS_CONFIRMED', 'confirmed'],
    ['FAILED', 'failed'],
  ])('unified-schema.md 8 maps the status %s to %s', async (status, unified) => {
    fake.on(USER_TRADES, () => ({ body: { data: [{ ...made, status }], next_cursor: 'LTE=' } }));
    expect((await trading.listFills({}, FIRST)).items).toMatchObject([{ status: unified }]);
  });

  it('unified-schema.md 9 filters by order and by a half-open time', async () => {
    const at = 1_795_186_500;
    const list = async (filters: Parameters<Trading['listFills']>[0]) =>
      (await trading.listFills(filters, FIRST)).items;
    expect(await list({ order_id: String(own.order_id).toUpperCase().replace('0X', '0x') })).toHaveLength(1);
    expect(await list({ order_id: '0x1' })).toEqual([]);
    expect(await list({ start: new Date(at * 1_000) })).toHaveLength(1);
    expect(await list({ start: new Date(at * 1_000 + 1) })).toEqual([]);
    expect(await list({ end: new Date(at * 1_000) })).toHaveLength(1);
    expect(await list({ end: new Date(at * 1_000 + 1) })).toHaveLength(2);
    const query = fake.at(USER_TRADES).at(-1)?.query;
    expect(query?.get('before')).toBe(String(at + 1));
  });

  it('unified-schema.md 9 cuts trades of many own orders to the limit', async () => {
    const makers = [0, 1, 2].map((number) => ({ ...own, order_id: `0x${number}` }));
    fake.on(
      USER_TRADES,
      paged((number) => ({ ...made, id: `t${number}`, maker_orders: makers }), 2, 1),
    );
    const pages = await readAll((paging) => trading.listFills({}, paging), 2);
    const ids = ['t0:0x0', 't0:0x1', 't0:0x2', 't1:0x0', 't1:0x1', 't1:0x2'];
    expect(pages.flat().map(({ id }) => id)).toEqual(ids);
  });
});

describe('listPositions', () => {
  const POSITIONS = 'GET /data/v2/positions';
  const raw = sampleObject('data-v2-positions') as { data: Record<string, unknown>[]; pagination: object };
  const [row = {}] = raw.data;
  const page = (rows: readonly object[], next: string | null = null) => ({
    body: { data: rows, pagination: { limit: 50, offset: 0, has_more: next !== null, next_cursor: next } },
  });

  it('unified-schema.md 8 maps positions of both protocols, by what is held now', async () => {
    fake.on(POSITIONS, () => page(raw.data));
    const { items, next } = await trading.listPositions({}, FIRST);
    expect(items).toEqual([
      {
        exchange: 'polymarket',
        market_id: row.condition_id,
        event_id: '410233',
        outcome: { id: row.token_id, index: 0, label: 'Yes' },
        size: '40',
        average_price: '0.51',
        cost_basis: '20.4',
        current_price: '0.525',
        market_value: '21',
        unrealized_pnl: '0.6',
        realized_pnl: '1.25',
        fees_paid: '0.4998',
        currency: 'PUSD',
        status: 'open',
        title: 'Will the example index close above 100 on December 31?',
        updated_at: '2026-11-20T14:48:20.000Z',
      },
      expect.objectContaining({ market_id: MARKET, outcome: { id: YES, index: 0, label: 'Yes' }, size: '125.5' }),
      expect.objectContaining({
        outcome: expect.objectContaining({ index: 1 }),
        status: 'redeemable',
        market_value: '0',
      }),
    ]);
    expect(next).toBeNull();
  });

  it('polymarket.md 6.1 sends every filter again with each cursor', async () => {
    fake.on(POSITIONS, ({ query }) => page([row], query.has('cursor') ? null : 'signed.cursor'));
    const pages = await readAll((paging) => trading.listPositions({ market_id: MARKET.slice(0, -2) }, paging), 1);
    expect(pages.map(({ length }) => length)).toEqual([1, 1]);
    const asked = fake.at(POSITIONS).map(({ query }) => Object.fromEntries(query));
    const filters = { user: WALLET, filter_amount: '0.000001', limit: '1', condition: `${MARKET.slice(0, -2)}00` };
    expect(asked).toEqual([filters, { ...filters, cursor: 'signed.cursor' }]);
  });

  it('unified-schema.md 9 leaves out empty positions, and takes no more than the limit of a page', async () => {
    fake.on(POSITIONS, ({ query }) =>
      query.has('cursor')
        ? page([5, 6].map((current_size) => ({ ...row, current_size })))
        : page(
            [1, 0, 3, 1e-6].map((current_size) => ({ ...row, current_size })),
            'next',
          ),
    );
    const pages = await readAll((paging) => trading.listPositions({}, paging), 2);
    expect(pages.map((each) => each.map(({ size }) => size))).toEqual([['1', '3'], ['0.000001'], ['5', '6']]);
  });

  const COMBO = sampleObject('data-v2-trades-v2-market') as { data: Record<string, unknown>[] };

  it('polymarket.md 6.2 leaves out combinations, and nothing that only looks a little like one', async () => {
    const { token_id, condition_id } = COMBO.data[2] ?? {};
    const named = { slug: '', outcome: '' };
    const v1 = { condition_id: `0x03${'9'.repeat(62)}`, token_id: String(BigInt(`0x03${'9'.repeat(62)}`)) };
    const rows = [
      { ...row, token_id, condition_id },
      { ...row, token_id },
      { ...row, condition_id: `${String(condition_id)}00` },
      { ...row, ...named, condition_id: String(row.condition_id).slice(0, -2) },
      { ...row, condition_id: String(row.condition_id).slice(0, -2), current_size: 2 },
      { ...row, ...v1, current_size: 3 },
      { ...row, slug: '', current_size: 4 },
    ];
    fake.on(POSITIONS, () => page(rows));
    const { items } = await trading.listPositions({}, FIRST);
    expect(items.map(({ size }) => size)).toEqual(['2', '3', '4']);
    expect(items[0]?.market_id).toBe(row.condition_id);
  });

  it.each([
    [{ status: 'OPEN', redeemable: false }, 'open'],
    [{ status: 'OPEN', redeemable: true }, 'redeemable'],
    [{ status: 'REDEEMABLE', redeemable: null }, 'redeemable'],
    [{ status: 'CLOSED', redeemable: false }, 'settled'],
    [{ status: undefined, redeemable: undefined }, 'open'],
  ])('unified-schema.md 8 calls a position with %j %s', async (change, status) => {
    fake.on(POSITIONS, () => page([{ ...row, ...change, last_event_at: 0, event_id: '' }]));
    const { items } = await trading.listPositions({}, FIRST);
    expect(items).toMatchObject([{ status, updated_at: null, event_id: null }]);
  });

  it.each([
    [999, 'Yes', { index: null, label: 'Yes' }],
    [999, '', { index: null, label: null }],
    [null, null, { index: null, label: null }],
    [1, undefined, { index: 1, label: null }],
  ])('unified-schema.md 1 a position whose outcome is %j, %j hides no other', async (outcome_index, outcome, told) => {
    fake.on(POSITIONS, () => page([{ ...row, outcome_index, outcome }, row]));
    const { items } = await trading.listPositions({}, FIRST);
    expect(items.map((position) => position.outcome)).toEqual([
      { id: row.token_id, ...told },
      { id: row.token_id, index: 0, label: 'Yes' },
    ]);
  });

  it.each<[string, FakeAnswer, string]>([
    ['rows that are no positions', page([sampleObject('gamma-market')]), 'exchange_error'],
    ['a page without its pagination', { body: { data: [] } }, 'exchange_error'],
    ['a route that is gone', { status: 404, body: { error: 'not found', code: 'not_found' } }, 'exchange_error'],
    ['an edge that refuses without JSON', { status: 429, body: 'error code: 1015' }, 'exchange_rate_limited'],
    ['a 503 of Data v2', { status: 503, body: { error: 'x', code: 'dependency_unavailable' } }, 'exchange_unavailable'],
  ])('S-50 answers %s as an error', async (_name, answer, code) => {
    fake.on(POSITIONS, () => answer);
    await expect(trading.listPositions({}, FIRST)).rejects.toMatchObject({ code });
    await expect(trading.listPositions({}, { limit: 5, cursor: 'foreign' })).rejects.toMatchObject({
      code: 'bad_request',
    });
  });
});

describe('what the account has', () => {
  const POSITIONS = 'GET /data/v2/positions';
  const VALUE = 'GET /data/v2/value';
  const READS = 2;

  beforeEach(async () => {
    await fake.close();
    fake = await FakePolymarket.start({ MARKET_DATA_CACHE_TTL: '1m' });
    trading = fake.trading(CREDENTIALS_OF_SAFE);
    fake.on(BALANCE, () => ({ body: sample('clob-balance-allowance') }));
    fake.on(ORDERS, () => ({ body: sample('clob-open-orders') }));
    fake.on(VALUE, () => ({ body: sample('data-v2-value') }));
    fake.on(POSITIONS, () => ({ body: sample('data-v2-positions') }));
  });

  it('contract.md 5 reads positions and their value anew each time, and merges no reads', async () => {
    await Promise.all([trading.listPositions({}, FIRST), trading.listPositions({}, FIRST)]);
    expect(fake.at(POSITIONS)).toHaveLength(READS);
    await trading.getBalance();
    await trading.getBalance();
    expect(fake.at(VALUE)).toHaveLength(READS);
  });

  it('contract.md 5 reads them while public reads are paused', async () => {
    fake.on('GET /clob/book', () => ({ status: 429, headers: { 'retry-after': '60' }, body: { error: 'slow down' } }));
    fake.on(KEYSET, () => ({ body: { markets: [sample('gamma-market')] } }));
    const book = { market_id: MARKET, outcome: '0' };
    const refused = { code: 'exchange_rate_limited' };
    await expect(fake.exchange.marketData.getOrderBook(book)).rejects.toMatchObject(refused);
    const paused = { code: 'exchange_unavailable' };
    await expect(fake.exchange.marketData.getOrderBook(book)).rejects.toMatchObject(paused);
    expect((await trading.listPositions({}, FIRST)).items).not.toEqual([]);
    expect((await trading.getBalance()).portfolio_value).not.toBeNull();
  });
});
