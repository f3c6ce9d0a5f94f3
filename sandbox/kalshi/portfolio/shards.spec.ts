import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FaultList } from '../../wire/faults.js';
import { isRecord } from '../../wire/json.js';
import { RequestLog } from '../../wire/request-log.js';
import { KalshiSandbox } from '../sandbox.js';
import { type Answer, KalshiTrader } from '../trader.js';

const HOME = 'KXHIGHNY-TODAY-B55.5';
const CRYPTO = 'KXBTCD-FRIDAY-T110000';
const GAME = 'KXNBAGAME-BOSNYK-BOS';
const COMBO = 'KXMVECROSS-S1-01';
const ORDERS = '/portfolio/events/orders';

const NOT_FOUND = { status: 404, body: { error: { code: 'not_found', message: 'not found' } } };

const SAMPLE: unknown = JSON.parse(
  readFileSync(new URL('../../../test/vectors/kalshi/kalshi-errors-2026.json', import.meta.url), 'utf8'),
);

/** The body of the sample whose code is, or begins with, the given one. */
function sampleBody(code: string): unknown {
  const cases = isRecord(SAMPLE) && Array.isArray(SAMPLE.cases) ? SAMPLE.cases.filter(isRecord) : [];
  const found = cases.find(
    ({ body }) => isRecord(body) && isRecord(body.error) && String(body.error.code).startsWith(code),
  );
  if (found === undefined) throw new Error(`no sample of ${code}`);
  return found.body;
}

function list({ body }: Answer, name: string): Record<string, unknown>[] {
  const value = isRecord(body) ? body[name] : undefined;
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

describe('Kalshi shards', () => {
  let offset = 0;
  let sandbox: KalshiSandbox;
  let client: KalshiTrader;
  const clock = (): Date => new Date(Date.now() + offset);

  beforeEach(async () => {
    offset = 0;
    sandbox = await KalshiSandbox.start({ faults: new FaultList(), log: new RequestLog(), clock, keyType: 'ed25519' });
    client = new KalshiTrader(sandbox.account, () => clock().getTime());
  });

  afterEach(async () => {
    await sandbox.close();
  });

  async function placed(overrides: Record<string, unknown>): Promise<string> {
    const { status, body } = await client.order({ price: '0.1000', ...overrides });
    expect([status, status === 201 ? '' : body]).toEqual([201, '']);
    return isRecord(body) ? String(body.order_id) : '';
  }

  function read(id: string, query = ''): Promise<Answer> {
    return client.get(`/portfolio/orders/${id}`, query);
  }

  function cancel(id: string, query = ''): Promise<Answer> {
    return client.call('DELETE', `${ORDERS}/${id}`, { query });
  }

  async function breakdown(query = ''): Promise<unknown[]> {
    return list(await client.get('/portfolio/balance', query), 'balance_breakdown').map(({ balance }) => balance);
  }

  it('kalshi.md 9.1 markets, events and series carry their shard; a series only says where new events go', async () => {
    for (const [ticker, shard] of [
      [HOME, 0],
      [COMBO, 1],
      [CRYPTO, 2],
      [GAME, 3],
    ] as const) {
      const { body } = await client.open(`/markets/${ticker}`);
      expect(body).toMatchObject({ market: { exchange_index: shard } });
      const event = ticker.slice(0, ticker.lastIndexOf('-'));
      expect((await client.open(`/events/${event}`)).body).toMatchObject({ event: { exchange_index: shard } });
    }
    expect((await client.open('/series/KXBTCMAX')).body).toMatchObject({ series: { exchange_index: 2 } });
    expect((await client.open('/markets/KXBTCMAX-YEAR-T150K')).body).toMatchObject({ market: { exchange_index: 0 } });
    expect(list(await client.open('/events'), 'events').map((event) => event.exchange_index)).not.toContain(1);
  });

  it('kalshi.md 9.3 each shard holds back and trades from its own money', async () => {
    expect(await breakdown()).toEqual(['10000.0000', '0.0000', '2500.0000', '1500.0000']);
    await placed({ ticker: CRYPTO, price: '0.5000' });
    await placed({ ticker: GAME, price: '0.4700', count: '2' });
    // 2 × 0.47 and a fee of 0.07 × 2 × 0.47 × 0.53, rounded up to 0.0349
    expect(await breakdown()).toEqual(['10000.0000', '0.0000', '2495.0000', '1499.0251']);
    expect(await breakdown('?exchange_index=2')).toHaveLength(4);
    expect((await client.get('/portfolio/balance', '?exchange_index=2')).body).toMatchObject({
      balance_dollars: '2495.0000',
      portfolio_value: 0,
    });
    expect((await client.get('/portfolio/balance')).body).toMatchObject({
      balance_dollars: '13994.0251',
      portfolio_value: 94,
    });
    expect((await client.get('/portfolio/balance', '?subaccount=7')).body).toMatchObject({ balance: 0 });
    sandbox.exchange.settle(GAME, 'yes', Date.now());
    expect(await breakdown()).toEqual(['10000.0000', '0.0000', '2495.0000', '1501.0251']);
    const settlements = list(await client.get('/portfolio/settlements'), 'settlements');
    expect(settlements).toContainEqual(expect.objectContaining({ ticker: GAME, exchange_index: 3 }));
  });

  it('kalshi.md 9.3 a shard that never held money is 404, one with too little 400, whatever lies elsewhere', async () => {
    const never = { status: 404, body: sampleBody('insufficient_shard_balance') };
    for (const exchange_index of [undefined, -1, 1])
      expect(await client.order({ ticker: COMBO, exchange_index })).toEqual(never);
    expect(await client.order({ ticker: GAME, count: '4000' })).toEqual({
      status: 400,
      body: sampleBody('insufficient_balance'),
    });
    const account = await sandbox.addAccount({ shards: { 1: '1.00' }, keyType: 'ed25519' });
    const other = new KalshiTrader(account, () => clock().getTime());
    expect((await other.order({ ticker: COMBO, price: '0.1000' })).status).toBe(201);
    expect((await other.order({ ticker: COMBO, price: '0.1000' })).status).toBe(400);
  });

  it('kalshi.md 9.2 a create finds the shard by the ticker, and does not fall back from a wrong index', async () => {
    for (const exchange_index of [undefined, -1, 2]) await placed({ ticker: CRYPTO, exchange_index });
    for (const exchange_index of [0, 1, 3, 50])
      expect(await client.order({ ticker: CRYPTO, exchange_index })).toMatchObject({
        status: 404,
        body: { error: { code: 'market_not_found' } },
      });
    expect((await client.order({ ticker: CRYPTO, exchange_index: -2 })).status).toBe(400);
    const orders = list(await client.get('/portfolio/orders', '?status=resting'), 'orders');
    expect(orders.map((order) => order.exchange_index)).toEqual([2, 2, 2]);
  });

  it.each([
    ['KXHIGHNY-TODAY-B55.5', 0],
    [CRYPTO, 2],
    [GAME, 3],
  ])('kalshi.md 9.2 an order of %s is read and cancelled on shard %d alone', async (ticker, shard) => {
    const id = await placed({ ticker });
    const wrong = shard === 3 ? 2 : 3;
    const routes = [
      `?market_ticker=${ticker}`,
      `?exchange_index=${shard}`,
      `?exchange_index=-1&market_ticker=${ticker}`,
    ];
    for (const query of routes)
      expect((await read(id, query)).body).toMatchObject({ order: { exchange_index: shard } });
    expect((await read(id)).status).toBe(shard === 0 ? 200 : 404);
    for (const query of [`?exchange_index=${wrong}`, `?exchange_index=${wrong}&market_ticker=${ticker}`]) {
      expect(await read(id, query)).toEqual(NOT_FOUND);
      expect(await cancel(id, query)).toEqual(NOT_FOUND);
    }
    expect((await read(id, '?market_ticker=KXNONE')).status).toBe(404);
    expect((await read(id, '?exchange_index=-1')).status).toBe(400);
    const unrouted = shard === 0 ? await cancel(await placed({ ticker })) : await cancel(id);
    expect(unrouted.status).toBe(shard === 0 ? 200 : 404);
    expect((await cancel(id, `?market_ticker=${ticker}`)).body).toMatchObject({ order_id: id, reduced_by: '10.00' });
    expect((await read(id, `?market_ticker=${ticker}`)).body).toMatchObject({ order: { status: 'canceled' } });
  });

  it('kalshi.md 9.2 a batch cancel routes each item on its own', async () => {
    const ids = [await placed({}), await placed({ ticker: CRYPTO }), await placed({ ticker: GAME })];
    const [home = '', crypto = '', game = ''] = ids;
    const body = (orders: object[]) => client.call('DELETE', `${ORDERS}/batched`, { body: { orders } });
    const unrouted = await body([{ order_id: crypto }, { order_id: game, market_ticker: 'KXNONE' }]);
    expect(list(unrouted, 'orders')).toMatchObject([
      { order_id: crypto, reduced_by: '0.00', error: { code: 'not_found' } },
      { order_id: game, reduced_by: '0.00', error: { code: 'market_not_found' } },
    ]);
    const items = [
      { order_id: home },
      { order_id: crypto, market_ticker: CRYPTO },
      { order_id: game, exchange_index: 3 },
    ];
    expect(list(await body(items), 'orders').map((item) => item.reduced_by)).toEqual(['10.00', '10.00', '10.00']);
  });

  it('kalshi.md 9.2 lists are of all shards, and take one of them as a filter', async () => {
    for (const ticker of [HOME, CRYPTO, GAME]) {
      await placed({ ticker });
      await placed({ ticker, price: '0.9000', count: '1', time_in_force: 'immediate_or_cancel' });
    }
    for (const [path, name, length] of [
      ['orders', 'orders', 7],
      ['fills', 'fills', 4],
      ['positions', 'market_positions', 3],
    ] as const) {
      const all = list(await client.get(`/portfolio/${path}`), name);
      expect(all).toHaveLength(length);
      const some = list(await client.get(`/portfolio/${path}`, '?exchange_index=2'), name);
      expect(some).toEqual(all.filter((entry) => entry.exchange_index === 2));
      expect(some.length).toBeGreaterThan(0);
      expect((await client.get(`/portfolio/${path}`, '?exchange_index=-1')).status).toBe(400);
    }
    expect(list(await client.get('/portfolio/fills', `?ticker=${CRYPTO},${GAME}`), 'fills')).toHaveLength(2);
  });

  it('kalshi.md 2.3 subaccounts are apart: lists show all, everything else the primary one', async () => {
    const { account } = sandbox.exchange.keys.find(sandbox.account.access_key) ?? {};
    account?.openSubaccount(5, Date.now()).pay(2, 20_000_000n, Date.now());
    const own = await placed({ ticker: CRYPTO });
    const other = await placed({ ticker: CRYPTO, subaccount: 5, price: '0.6300', count: '1' });
    const resting = await placed({ ticker: CRYPTO, subaccount: 5 });
    const ids = async (query: string): Promise<unknown[]> =>
      list(await client.get('/portfolio/orders', query), 'orders').map((order) => order.order_id);
    expect(await ids(`?ticker=${CRYPTO}`)).toEqual([resting, other, own]);
    expect(await ids(`?ticker=${CRYPTO}&subaccount=0`)).toEqual([own]);
    expect(await ids('?subaccount=5')).toEqual([resting, other]);
    expect(list(await client.get('/portfolio/positions'), 'market_positions')).toEqual([]);
    expect(list(await client.get('/portfolio/positions', '?subaccount=5'), 'market_positions')).toHaveLength(1);
    expect(list(await client.get('/portfolio/fills', '?subaccount=5'), 'fills')).toMatchObject([
      { subaccount_number: 5 },
    ]);
    expect(await breakdown('?subaccount=5')).toEqual(['0.0000', '0.0000', '18.3536', '0.0000']);
    expect(await breakdown()).toEqual(['10000.0000', '0.0000', '2499.0000', '1500.0000']);
    const query = `?market_ticker=${CRYPTO}`;
    expect(await cancel(resting, query)).toEqual(NOT_FOUND);
    expect((await cancel(own, `${query}&subaccount=5`)).status).toBe(404);
    expect((await cancel(resting, `${query}&subaccount=5`)).status).toBe(200);
    expect((await client.order({ ticker: GAME, subaccount: 5 })).status).toBe(404);
    expect((await client.order({ subaccount: 6 })).status).toBe(400);
    expect((await client.get('/portfolio/orders', '?subaccount=64')).status).toBe(400);
  });

  it('kalshi.md 9.5 a pause of a shard refuses creates there, cancels what asked for it, and shows in the status', async () => {
    const stays = await placed({ ticker: GAME });
    const goes = await placed({ ticker: GAME, cancel_order_on_pause: true });
    const elsewhere = await placed({ ticker: CRYPTO, cancel_order_on_pause: true });
    sandbox.exchange.changeShard(3, { tradingActive: false }, Date.now());
    const resting = list(await client.get('/portfolio/orders', '?status=resting'), 'orders');
    expect(resting.map((order) => order.order_id)).toEqual([elsewhere, stays]);
    expect(goes).not.toBe(stays);
    expect(await client.order({ ticker: GAME })).toEqual({ status: 400, body: sampleBody('trading_is_paused') });
    expect((await client.order({ ticker: CRYPTO, price: '0.1000' })).status).toBe(201);
    const status = await client.open('/exchange/status');
    expect(status).toMatchObject({ status: 200, body: { trading_active: true } });
    expect(list(status, 'exchange_index_statuses').map((shard) => shard.trading_active)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect((await cancel(stays, `?market_ticker=${GAME}`)).status).toBe(200);
  });

  it('kalshi.md 9.5 a shard that is down takes nothing at all; with shard 0 the status is a 503 that has a body', async () => {
    const id = await placed({});
    sandbox.exchange.changeShard(0, { exchangeActive: false }, Date.now());
    expect((await client.order()).status).toBe(503);
    expect((await cancel(id)).status).toBe(503);
    expect(await client.open('/exchange/status')).toMatchObject({
      status: 503,
      body: { exchange_active: false, trading_active: false, exchange_index_statuses: [{}, {}, {}, {}] },
    });
    expect((await client.order({ ticker: CRYPTO, price: '0.1000' })).status).toBe(201);
  });

  it('a paused market is 400 MARKET_NOT_ACTIVE, an id that is no UUID 400 invalid_UUID', async () => {
    sandbox.exchange.setPaused(GAME, true, Date.now());
    expect(await client.order({ ticker: GAME })).toEqual({ status: 400, body: sampleBody('MARKET_NOT_ACTIVE') });
    const invalid = { status: 400, body: sampleBody('invalid_UUID') };
    expect([await read('123'), await cancel('123')]).toEqual([invalid, invalid]);
  });

  it('kalshi.md 2.2 sports need a location attestation, which may be missing or lapse; other markets do not', async () => {
    const refused = { status: 403, body: sampleBody('Your_location_attestation') };
    for (const attestedUntil of [null, new Date(Date.now() - 1_000)]) {
      const account = await sandbox.addAccount({ attestedUntil, shards: { 3: '5' }, keyType: 'ed25519' });
      const other = new KalshiTrader(account);
      expect(await other.order({ ticker: GAME })).toEqual(refused);
      expect((await other.order()).status).toBe(201);
    }
    await placed({ ticker: GAME });
  });

  it('kalshi.md 8 an order that ended leaves the live list after two weeks, its fill stays', async () => {
    const ticker = 'KXFEDDECISION-NEXT-H0';
    const done = await placed({ ticker, price: '0.9000', count: '1', time_in_force: 'immediate_or_cancel' });
    const rests = await placed({ ticker });
    offset = 15 * 86_400_000 + 86_399_000;
    expect((await read(done)).status).toBe(404);
    expect((await read(rests)).status).toBe(200);
    const archived = list(await client.get('/historical/orders', `?ticker=${ticker}`), 'orders');
    expect(archived.map((order) => order.order_id)).toContain(done);
    const since = Math.floor(Date.now() / 1_000) - 86_400;
    const recent = list(await client.get('/historical/orders', `?min_ts=${since}&subaccount=0`), 'orders');
    expect(recent.map((order) => order.order_id)).toEqual([done]);
    expect(list(await client.get('/historical/orders', '?subaccount=1'), 'orders')).toEqual([]);
    expect(list(await client.get('/portfolio/fills', `?order_id=${done}`), 'fills')).toHaveLength(1);
  });
});
