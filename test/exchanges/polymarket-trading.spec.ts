import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Trading } from '../../src/exchanges/trading.contract.js';
import { PolymarketSigner } from '../../src/exchanges/polymarket/polymarket.signer.js';
import { Secret } from '../../src/platform/secrets/secret.js';
import { CREDENTIALS, FakePolymarket, sample, sampleObject } from '../support/fake-polymarket.js';
import type { FakeAnswer } from '../support/fake-server.js';
import {
  BALANCE,
  CREDENTIALS_OF_SAFE,
  FIRST,
  KEYSET,
  MARKET,
  openOrder,
  ORDERS,
  paged,
  readAll,
  startWithAccount,
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

describe('signed calls', () => {
  it('S-49 sends the five signed headers and the fixed ones, nothing else', async () => {
    await trading.verify();
    const [request] = fake.at(BALANCE);
    const headers = request?.headers ?? {};
    const at = new Date(Number(headers.poly_timestamp) * 1_000);
    const signer = new PolymarketSigner({
      address: new Secret(CREDENTIALS.wallet_address),
      apiKey: new Secret(CREDENTIALS.api_key),
      secret: new Secret(CREDENTIALS.secret),
      passphrase: new Secret(CREDENTIALS.passphrase),
    });
    const signed = Object.entries(signer.sign({ method: 'GET', path: '/balance-allowance' }, at));
    expect(headers).toMatchObject(Object.fromEntries(signed.map(([name, value]) => [name.toLowerCase(), value])));
    const others = Object.keys(headers).filter((name) => !name.startsWith('poly_'));
    expect(others.toSorted()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
    expect(Math.abs(at.getTime() - Date.now())).toBeLessThan(5_000);
  });

  it.each([3_600_000, -3_600_000])(
    'contract.md 5 signs with the time of an exchange that is %i ms ahead',
    async (ms) => {
      fake.clockAheadMs = ms;
      await trading.verify();
      const signedMs = Number(fake.at(BALANCE)[0]?.headers.poly_timestamp) * 1_000;
      expect(Math.abs(signedMs - Date.now() - ms)).toBeLessThan(5_000);
      expect(fake.arrived.map(({ path }) => path)).toEqual(['/clob/time', '/clob/balance-allowance']);
    },
  );

  it('S-51 answers credentials_rejected to a 401', async () => {
    fake.on(BALANCE, () => ({ status: 401, body: { error: 'Unauthorized/Invalid api key' } }));
    await expect(trading.verify()).rejects.toMatchObject({ code: 'credentials_rejected' });
  });

  it('unified-schema.md 11 puts a 401 down to the clock where the signed time was far from the exchange', async () => {
    await trading.verify();
    fake.on(BALANCE, () => {
      fake.clockAheadMs = 600_000;
      return { status: 401, body: { error: 'Unauthorized/Invalid api key' } };
    });
    const skewed = { code: 'exchange_error', details: { reason: 'clock_skew' } };
    await expect(trading.verify()).rejects.toMatchObject(skewed);
    fake.on(BALANCE, () => ({ body: sample('clob-balance-allowance') }));
    await expect(trading.verify()).resolves.toBeUndefined();
  });

  it('contract.md 5 signs a repeated read anew, and judges the last attempt', async () => {
    await trading.verify();
    const aheadMs = 600_000;
    fake.on(BALANCE, (_, response) => {
      fake.clockAheadMs = aheadMs;
      fake.on(BALANCE, () => ({ status: 401, body: { error: 'Unauthorized/Invalid api key' } }));
      // Another answer tells the new time before this one does, so that both are believed.
      const tell = (): void => {
        const date = new Date(Date.now() + aheadMs).toUTCString();
        response.sendDate = false;
        response.writeHead(503, { 'content-type': 'application/json', date }).end('{"error":"restarting"}');
      };
      trading.listOrders({ status: 'open' }, FIRST).then(tell, tell);
      return 'hang';
    });
    await expect(trading.verify()).rejects.toMatchObject({ code: 'credentials_rejected' });
    const [, first = 0, second = 0] = fake.at(BALANCE).map(({ headers }) => Number(headers.poly_timestamp));
    expect(second - first).toBeGreaterThanOrEqual(599);
  });

  it('unified-schema.md 11 puts a 401 about the timestamp down to the clock', async () => {
    fake.on(BALANCE, () => ({ status: 401, body: { error: 'invalid timestamp: request expired' } }));
    await expect(trading.verify()).rejects.toMatchObject({ details: { reason: 'clock_skew' } });
  });

  it.each([
    [403, 'exchange_rejected'],
    [429, 'exchange_rate_limited'],
    [500, 'exchange_error'],
    [503, 'exchange_unavailable'],
  ])('R-15 maps a %i of a private read to %s', async (status, code) => {
    fake.on(BALANCE, () => ({ status, body: { error: 'text' } }));
    await expect(trading.verify()).rejects.toMatchObject({ code });
  });
});

describe('orders', () => {
  it('unified-schema.md 7 maps open orders', async () => {
    const { items, next } = await trading.listOrders({ status: 'open' }, FIRST);
    expect(next).toBeNull();
    expect(items).toEqual([
      expect.objectContaining({
        id: '0x043660974534eba3c2f4e8306c7bf76029e584feb909b7293de7cd7ea8b7c3a5',
        client_order_id: null,
        market_id: MARKET,
        outcome: { id: YES, index: 0, label: 'Yes' },
        side: 'buy',
        type: 'limit',
        time_in_force: 'gtc',
        post_only: null,
        price: '0.084',
        size: '10',
        filled_size: '0',
        remaining_size: '10',
        status: 'open',
        created_at: '2026-11-20T14:50:00.000Z',
        expires_at: null,
        trade_ids: [],
      }),
      expect.objectContaining({
        side: 'sell',
        time_in_force: 'gtd',
        size: '150.5',
        filled_size: '50',
        remaining_size: '100.5',
        status: 'partially_filled',
        expires_at: '2026-11-21T15:00:00.000Z',
        trade_ids: ['8787b68d-6cef-44c6-a55d-8f72555835cb'],
      }),
    ]);
  });

  it('unified-schema.md 7 tells each order of the list in its own state', async () => {
    const states = ['LIVE', 'ORDER_STATUS_CANCELED', 'CANCELED_MARKET_RESOLVED', 'INVALID', 'ORDER_STATUS_MATCHED'];
    fake.on(ORDERS, () => ({
      body: {
        data: states.map((status) => ({
          ...openOrder,
          status,
          ...(status.endsWith('_MATCHED') && { size_matched: '10' }),
        })),
        next_cursor: 'LTE=',
      },
    }));
    const { items } = await trading.listOrders({ status: 'open' }, FIRST);
    expect(items.map(({ status, status_reason: reason }) => [status, reason])).toEqual([
      ['open', null],
      ['cancelled', null],
      ['cancelled', 'market_resolved'],
      ['rejected', null],
      ['filled', null],
    ]);
  });

  it('unified-schema.md 9 cuts the pages of the exchange to the limit and loses nothing', async () => {
    fake.on(
      ORDERS,
      paged((number) => ({ ...openOrder, id: `0x${number}` }), 7, 3),
    );
    const pages = await readAll((paging) => trading.listOrders({ status: 'open' }, paging), 2);
    expect(pages.flat().map(({ id }) => id)).toEqual(['0x0', '0x1', '0x2', '0x3', '0x4', '0x5', '0x6']);
    expect(Math.max(...pages.map(({ length }) => length))).toBe(2);
  });

  it('contract.md 5 answers exchange_error to a page that repeats itself, bad_request to a foreign cursor', async () => {
    fake.on(ORDERS, () => ({ body: { data: [], next_cursor: 'MTAw' } }));
    const list = (cursor: string) => trading.listOrders({ status: 'open' }, { limit: 5, cursor });
    await expect(list('0:MTAw')).rejects.toMatchObject({ code: 'exchange_error' });
    await expect(list('MTAw')).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('unified-schema.md 9 filters by market, however it is named', async () => {
    fake.on('GET /gamma/markets/703257', () => ({ body: sample('gamma-market') }));
    await trading.listOrders({ status: 'open', market_id: '703257' }, FIRST);
    await trading.listOrders({ status: 'open', market_id: MARKET.toUpperCase().replace('0X', '0x') }, FIRST);
    expect(fake.at(ORDERS).map(({ query }) => query.get('market'))).toEqual([MARKET, MARKET]);
  });

  it('unified-schema.md 10 has no closed orders', async () => {
    const closed = trading.listOrders({ status: 'closed' }, FIRST);
    await expect(closed).rejects.toMatchObject({ code: 'not_supported' });
    expect(fake.arrived).toEqual([]);
  });

  it.each([
    ['LIVE', '0', 'open', null],
    ['ORDER_STATUS_LIVE', '5', 'partially_filled', null],
    ['MATCHED', '10', 'filled', null],
    ['MATCHED', '9.95', 'filled', null],
    ['MATCHED', '9.5', 'pending', 'unknown_status'],
    ['ORDER_STATUS_CANCELED', '5', 'cancelled', null],
    ['ORDER_STATUS_CANCELED_MARKET_RESOLVED', '0', 'cancelled', 'market_resolved'],
    ['INVALID', '0', 'rejected', null],
    ['DELAYED', '0', 'pending', null],
    ['SOMETHING_NEW', '0', 'pending', 'unknown_status'],
  ])('unified-schema.md 7 maps %s with %s matched to %s', async (status, matched, unified, reason) => {
    const id = `0x${'c'.repeat(64)}`;
    fake.on(`GET /clob/data/order/${id}`, () => ({ body: { ...openOrder, status, size_matched: matched } }));
    const order = await trading.getOrder(id.toUpperCase().replace('0X', '0x'));
    expect(order).toMatchObject({ status: unified, status_reason: reason, filled_size: matched });
  });

  it('unified-schema.md 7 an ioc order may have matched in part; less than nothing is the end of no order', async () => {
    const id = `0x${'c'.repeat(64)}`;
    const read = async (change: object) => {
      fake.on(`GET /clob/data/order/${id}`, () => ({ body: { ...openOrder, ...change } }));
      return trading.getOrder(id);
    };
    expect(await read({ status: 'MATCHED', order_type: 'FAK', size_matched: '5' })).toMatchObject({ status: 'filled' });
    expect(await read({ status: 'LIVE', size_matched: '-5' })).toMatchObject({
      status: 'pending',
      status_reason: 'unknown_status',
      filled_size: '0',
      remaining_size: '10',
    });
  });

  it.each<[string, FakeAnswer]>([
    ['404', { status: 404, body: { error: 'Order not found' } }],
    ['null', { body: null }],
    ['an empty answer', {}],
  ])('polymarket.md 7.2 answers not_found to %s', async (_name, answer) => {
    const id = `0x${'c'.repeat(64)}`;
    fake.on(`GET /clob/data/order/${id}`, () => answer);
    await expect(trading.getOrder(id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('unified-schema.md 2 knows markets that Gamma does not list from the CLOB', async () => {
    fake.on(KEYSET, () => ({ body: { markets: [] } }));
    fake.on(`GET /clob/clob-markets/${MARKET}`, () => ({ body: sample('clob-market-info') }));
    const { items } = await trading.listOrders({ status: 'open' }, FIRST);
    expect(items[0]?.outcome).toEqual({ id: YES, index: 0, label: 'Yes' });
  });

  it('unified-schema.md 7 lists orders from what the CLOB tells of their markets while Gamma fails, and does not keep it', async () => {
    fake.on(KEYSET, () => ({ status: 500, body: { error: 'x' } }));
    const info = sampleObject('clob-market-info') as { t: object[] };
    fake.on(`GET /clob/clob-markets/${MARKET}`, () => ({ body: { ...info, t: info.t.toReversed() } }));
    const list = async () => (await trading.listOrders({ status: 'open' }, FIRST)).items[0]?.outcome;
    expect(await list()).toEqual({ id: YES, index: 1, label: 'Yes' });
    fake.on(KEYSET, () => ({ body: { markets: [sample('gamma-market')] } }));
    expect(await list()).toEqual({ id: YES, index: 0, label: 'Yes' });
  });

  it('unified-schema.md 7 and 8 waits no 3 s for what only adds to an order or a balance', async () => {
    await fake.close();
    fake = await FakePolymarket.start({ UPSTREAM_TIMEOUT: '10s' });
    trading = fake.trading(CREDENTIALS_OF_SAFE);
    fake.on(ORDERS, () => ({ body: sample('clob-open-orders') }));
    fake.on(BALANCE, () => ({ body: sample('clob-balance-allowance') }));
    fake.on(KEYSET, () => 'hang');
    fake.on('GET /data/v2/value', () => 'hang');
    fake.on(`GET /clob/clob-markets/${MARKET}`, () => ({ body: sample('clob-market-info') }));
    const begun = performance.now();
    const [orders, balance] = await Promise.all([trading.listOrders({ status: 'open' }, FIRST), trading.getBalance()]);
    expect(orders.items[0]?.outcome).toEqual({ id: YES, index: 0, label: 'Yes' });
    expect(balance.portfolio_value).toBeNull();
    // Without a limit of its own such a call ends after 5 s.
    expect(performance.now() - begun).toBeLessThan(4_500);
  });

  it.each<[string, FakeAnswer]>([
    ['does not know', { status: 404, body: { error: 'not found' } }],
    ['fails to tell', { status: 500, body: { error: 'x' } }],
    ['tells unreadably', { body: {} }],
  ])(
    'unified-schema.md 1 of a market that nobody lists and the CLOB %s, orders and fills are told',
    async (_, answer) => {
      fake.on(KEYSET, () => ({ body: { markets: [] } }));
      fake.on(`GET /clob/clob-markets/${MARKET}`, () => answer);
      const unknown = { id: YES, index: null, label: 'Yes' };
      const orders = await trading.listOrders({ status: 'open' }, FIRST);
      expect(orders.items[0]).toMatchObject({ market_id: MARKET, outcome: unknown, price: '0.084', status: 'open' });
      const id = String(openOrder.id);
      fake.on(`GET /clob/data/order/${id}`, () => ({ body: openOrder }));
      expect(await trading.getOrder(id)).toMatchObject({ outcome: unknown });
      const fills = await trading.listFills({}, FIRST);
      expect(fills.items.length).toBeGreaterThan(0);
      expect(fills.items.every(({ outcome }) => outcome.index === null && outcome.label !== null)).toBe(true);
    },
  );

  it('S-50 answers exchange_error to an order of a token that its market does not have', async () => {
    fake.on(ORDERS, () => ({ body: { data: [{ ...openOrder, asset_id: '5' }], next_cursor: 'LTE=' } }));
    await expect(trading.listOrders({ status: 'open' }, FIRST)).rejects.toMatchObject({ code: 'exchange_error' });
  });
});

describe('cancelOrder', () => {
  const CANCEL = 'DELETE /clob/order';
  const id = '0x043660974534eba3c2f4e8306c7bf76029e584feb909b7293de7cd7ea8b7c3a5';

  it('unified-schema.md 7 cancels one order', async () => {
    fake.on(CANCEL, () => ({ body: sample('cancel-order.response') }));
    const answer = await trading.cancelOrder(id);
    expect(answer).toEqual({
      exchange: 'polymarket',
      id,
      status: 'cancelled',
      cancelled_size: null,
      filled_size: null,
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(fake.at(CANCEL)[0]?.body).toBe(`{"orderID":"${id}"}`);
  });

  it.each([
    ["order can't be found - already canceled or matched", { code: 'not_found' }],
    ['Order not found or already canceled', { code: 'not_found' }],
    ['Order already matched', { code: 'exchange_rejected', details: { reason: 'not_cancellable' } }],
    ['the order is being processed', { code: 'exchange_rejected', details: { reason: 'not_cancellable' } }],
  ])('polymarket.md 8 takes "%s" in a 200 for a failure', async (text, failure) => {
    fake.on(CANCEL, () => ({ body: { canceled: [], not_canceled: { [id]: text } } }));
    await expect(trading.cancelOrder(id)).rejects.toMatchObject(failure);
  });

  it('S-50 answers exchange_error where the answer does not speak of the order', async () => {
    fake.on(CANCEL, () => ({ body: { canceled: [], not_canceled: {} } }));
    await expect(trading.cancelOrder(id)).rejects.toMatchObject({ code: 'exchange_error' });
  });

  it('R-12 sends a cancel once, also where it fails', async () => {
    fake.on(CANCEL, () => ({ status: 503, body: { error: 'Trading is currently disabled' } }));
    await expect(trading.cancelOrder(id)).rejects.toMatchObject({ code: 'exchange_unavailable' });
    expect(fake.at(CANCEL)).toHaveLength(1);
  });
});

describe('cancelAllOrders', () => {
  const CANCEL = 'DELETE /clob/orders';
  const orderId = (number: number): string => `0x${number}`;

  it('unified-schema.md 7 cancels what it finds page by page, never by cancel-all', async () => {
    fake.on(
      ORDERS,
      paged((number) => ({ ...openOrder, id: orderId(number) }), 5, 2),
    );
    fake.on(CANCEL, () => ({
      body: {
        canceled: ['0x0', '0x2'],
        not_canceled: { '0x1': 'Order not found', '0x3': 'already matched', '0x4': 'internal error' },
      },
    }));
    expect(await trading.cancelAllOrders()).toEqual({
      cancelled: ['0x0', '0x2'],
      not_cancelled: [
        { id: '0x1', reason: 'not_found' },
        { id: '0x3', reason: 'not_cancellable' },
        { id: '0x4', reason: 'unknown' },
      ],
    });
    const sent = fake.at(CANCEL).map(({ body }) => JSON.parse(body) as unknown);
    expect(sent).toEqual([[0, 1], [2, 3], [4]].map((numbers) => numbers.map(orderId)));
    expect(fake.arrived.filter(({ path }) => path.includes('cancel'))).toEqual([]);
  });

  it('unified-schema.md 7 a cancel that failed without a text is told as one', async () => {
    fake.on(ORDERS, () => ({ body: { data: [{ id: '0x1' }, { id: '0x2' }], next_cursor: 'LTE=' } }));
    fake.on(CANCEL, () => ({ body: { canceled: ['0x1'], not_canceled: { '0x2': { code: 7 } } } }));
    expect(await trading.cancelAllOrders()).toEqual({
      cancelled: ['0x1'],
      not_cancelled: [{ id: '0x2', reason: 'not_cancellable' }],
    });
  });

  it('unified-schema.md 7 cancels by the ids alone, each once', async () => {
    fake.on(ORDERS, () => ({ body: { data: [{ id: '0x1' }, { id: '0x1', side: 'NEW' }], next_cursor: 'LTE=' } }));
    fake.on(CANCEL, () => ({ body: { canceled: ['0x1'], not_canceled: {} } }));
    expect(await trading.cancelAllOrders()).toEqual({ cancelled: ['0x1'], not_cancelled: [] });
    expect(fake.at(CANCEL)[0]?.body).toBe('["0x1"]');
  });

  it('unified-schema.md 7 sends nothing where there is nothing to cancel', async () => {
    fake.on(ORDERS, () => ({ body: { data: [], next_cursor: 'LTE=' } }));
    expect(await trading.cancelAllOrders()).toEqual({ cancelled: [], not_cancelled: [] });
    expect(fake.at(CANCEL)).toEqual([]);
  });

  it('unified-schema.md 7 tells what was cancelled before a later batch failed', async () => {
    fake.on(
      ORDERS,
      paged((number) => ({ ...openOrder, id: orderId(number) }), 1_001, 500),
    );
    fake.on(CANCEL, ({ body }) => {
      const ids = JSON.parse(body) as string[];
      return ids.length === 500 ? { body: { canceled: ids, not_canceled: {} } } : { status: 500, body: {} };
    });
    const { cancelled, not_cancelled } = await trading.cancelAllOrders();
    expect(cancelled).toHaveLength(1_000);
    expect(not_cancelled).toEqual([{ id: '0x1000', reason: 'unknown' }]);
  });

  it('R-15 fails where the first batch is refused', async () => {
    fake.on(CANCEL, () => ({ status: 429, body: { error: 'Too Many Requests' } }));
    await expect(trading.cancelAllOrders()).rejects.toMatchObject({ code: 'exchange_rate_limited' });
  });

  it('contract.md 5 names the orders of a first batch that may have been taken', async () => {
    fake.on(CANCEL, () => ({ status: 500, body: {} }));
    const { cancelled, not_cancelled, failure } = await trading.cancelAllOrders();
    expect(cancelled).toEqual([]);
    expect(not_cancelled.map(({ reason }) => reason)).toEqual(['unknown', 'unknown']);
    expect(failure).toMatchObject({ code: 'exchange_error', details: { may_have_been_cancelled: true } });
  });
});
