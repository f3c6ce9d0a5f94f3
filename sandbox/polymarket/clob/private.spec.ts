import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unixSeconds } from '../../times.js';
import { FaultList } from '../../wire/faults.js';
import { RequestLog } from '../../wire/request-log.js';
import { PolymarketSandbox } from '../sandbox.js';
import { orderHash } from '../signing/typed-data.js';
import { request, PolymarketTrader } from '../trader.js';

const ALIENS = '107505882767731489358349912513945399560393482969656700824895970500493757150417';
const NEWSOM = '59875190760595879086210047068932732543507232128320818147490565132631198483666';
const NEWSOM_MARKET = '0x6a99620f23f9d2d3a5db942a7d77fe7e612734fd877aabca2c1d705270a44f40';
const ALIENS_MARKET = '0x747dc809fb79e1b05be09c42d6179459a58de2ef3e40f02484a4e1260f741f75';
const GONE = "order can't be found - already canceled or matched";

interface Page<T> {
  limit: number;
  count: number;
  next_cursor: string;
  data: T[];
}

let sandbox: PolymarketSandbox;
let now = new Date('2026-11-21T12:00:00.250Z');
const clock = (): Date => now;

beforeAll(async () => {
  sandbox = await PolymarketSandbox.start({ faults: new FaultList(), log: new RequestLog(), clock, pageSize: 3 });
});
afterAll(() => sandbox.close());

function aTrader(options: Parameters<PolymarketSandbox['addAccount']>[0] = {}): PolymarketTrader {
  return new PolymarketTrader(sandbox.account.clob_url, sandbox.addAccount(options), clock);
}

function pass(ms: number): void {
  now = new Date(now.getTime() + ms);
}

/** Rests one share-priced BUY and says its id. */
async function rest(trader: PolymarketTrader, price: string, tokenId = ALIENS): Promise<string> {
  const order = trader.sign({ tokenId, side: 'BUY', price, size: '10', negRisk: tokenId === NEWSOM });
  expect(await trader.post(order)).toMatchObject({ status: 200, body: { status: 'live' } });
  return orderHash(order, tokenId === NEWSOM);
}

async function openIds(trader: PolymarketTrader, query = ''): Promise<string[]> {
  const { body } = await trader.call('GET', `/data/orders${query}`);
  return (body as Page<{ id: string }>).data.map((order) => order.id);
}

async function tokensOf(gammaId: string): Promise<[string, string]> {
  const { body } = await request(`${sandbox.account.gamma_url}/markets/${gammaId}`);
  return JSON.parse((body as { clobTokenIds: string }).clobTokenIds) as [string, string];
}

describe('GET /data/orders and /data/order/{id} (polymarket.md 7.2)', () => {
  it('pages with base64 offsets from MA== to LTE=', async () => {
    const trader = aTrader();
    const made: string[] = [];
    for (const price of ['0.01', '0.02', '0.03', '0.04', '0.05', '0.06', '0.07']) made.push(await rest(trader, price));
    const seen: string[] = [];
    let cursor = 'MA==';
    while (cursor !== 'LTE=') {
      const { body } = await trader.call('GET', `/data/orders?next_cursor=${encodeURIComponent(cursor)}`);
      const page = body as Page<{ id: string }>;
      expect(page).toMatchObject({ limit: 3, count: page.data.length });
      seen.push(...page.data.map((order) => order.id));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(made);
    expect(await trader.call('GET', '/data/orders?next_cursor=LTE%3D')).toMatchObject({ body: { data: [], count: 0 } });
    expect(await trader.call('GET', '/data/orders?next_cursor=%3F')).toMatchObject({
      status: 400,
      body: { error: 'invalid order params payload' },
    });
  });

  it('filters by id, market and token, and shows nobody else’s orders', async () => {
    const [trader, other] = [aTrader(), aTrader()];
    const [aliens, newsom] = [await rest(trader, '0.05'), await rest(trader, '0.05', NEWSOM)];
    expect(await openIds(trader, `?market=${NEWSOM_MARKET}`)).toEqual([newsom]);
    expect(await openIds(trader, `?asset_id=${ALIENS}`)).toEqual([aliens]);
    expect(await openIds(trader, `?id=${aliens}`)).toEqual([aliens]);
    expect(await openIds(other)).toEqual([]);
    expect(await other.call('GET', `/data/order/${aliens}`)).toMatchObject({
      status: 404,
      body: { error: 'Order not found' },
    });
    expect(await trader.call('GET', '/data/order/0x12')).toMatchObject({
      status: 400,
      body: { error: 'Invalid orderID' },
    });
  });

  it('gives sizes in plain shares, follows fills, and forgets closed orders in the end', async () => {
    const trader = aTrader();
    const order = trader.sign({ tokenId: ALIENS, side: 'BUY', price: '0.085', size: '12.5' });
    await trader.post(order);
    const id = orderHash(order, false);
    const seller = aTrader({ shares: { [ALIENS]: '20' } });
    await seller.post(seller.sign({ tokenId: ALIENS, side: 'SELL', price: '0.085', size: '5' }));
    const open = await trader.call('GET', `/data/order/${id}`);
    expect(open.body).toEqual({
      id,
      status: 'LIVE',
      owner: trader.credentials.apiKey,
      maker_address: trader.wallet.address,
      market: ALIENS_MARKET,
      asset_id: ALIENS,
      side: 'BUY',
      original_size: '12.5',
      size_matched: '5',
      price: '0.085',
      outcome: 'Yes',
      expiration: '0',
      order_type: 'GTC',
      associate_trades: [expect.any(String)],
      created_at: unixSeconds(now),
    });
    await seller.post(seller.sign({ tokenId: ALIENS, side: 'SELL', price: '0.085', size: '7.5' }));
    expect((await trader.call('GET', `/data/order/${id}`)).body).toMatchObject({
      status: 'MATCHED',
      size_matched: '12.5',
    });
    expect(await openIds(trader)).toEqual([]);
    pass(3_600_001);
    expect(await trader.call('GET', `/data/order/${id}`)).toMatchObject({ status: 404 });
    expect(await trader.post(order)).toMatchObject({
      status: 400,
      body: { error: `order ${id} is invalid. Duplicated.` },
    });
  });
});

describe('cancelling (polymarket.md 8)', () => {
  it('answers 200 with not_canceled for what cannot be cancelled', async () => {
    const [trader, other] = [aTrader(), aTrader()];
    const id = await rest(trader, '0.05');
    const cancel = (who: PolymarketTrader): Promise<unknown> => who.call('DELETE', '/order', { orderID: id });
    expect(await cancel(other)).toMatchObject({ status: 200, body: { canceled: [], not_canceled: { [id]: GONE } } });
    expect(await cancel(trader)).toMatchObject({ status: 200, body: { canceled: [id], not_canceled: {} } });
    expect(await cancel(trader)).toMatchObject({ status: 200, body: { canceled: [], not_canceled: { [id]: GONE } } });
    expect((await trader.call('GET', `/data/order/${id}`)).body).toMatchObject({ status: 'CANCELED' });
    expect(await trader.call('DELETE', '/order', { orderID: 'x' })).toMatchObject({
      status: 400,
      body: { error: 'Invalid orderID' },
    });
    expect(await trader.call('DELETE', '/order', [])).toMatchObject({
      status: 400,
      body: { error: 'Invalid order payload' },
    });
  });

  it('cancels many, those of a market, or all, and frees what they held back', async () => {
    const trader = aTrader({ balance: '2' });
    const [one, two, three, four] = [
      await rest(trader, '0.05'),
      await rest(trader, '0.05', NEWSOM),
      await rest(trader, '0.04', NEWSOM),
      await rest(trader, '0.06'),
    ];
    expect(await trader.call('DELETE', '/orders', [one, one, `0x${'1'.repeat(64)}`])).toMatchObject({
      body: { canceled: [one], not_canceled: { [`0x${'1'.repeat(64)}`]: GONE } },
    });
    expect(await trader.call('DELETE', '/cancel-market-orders', { market: NEWSOM_MARKET })).toMatchObject({
      body: { canceled: [two, three], not_canceled: {} },
    });
    expect(await trader.call('DELETE', '/cancel-market-orders', {})).toMatchObject({ status: 400 });
    expect(await trader.call('DELETE', '/cancel-all')).toMatchObject({ body: { canceled: [four], not_canceled: {} } });
    expect(await trader.post(trader.sign({ tokenId: ALIENS, side: 'BUY', price: '0.05', size: '40' }))).toMatchObject({
      status: 200,
    });
    const many = Array.from({ length: 1001 }, () => one);
    expect(await trader.call('DELETE', '/orders', many)).toMatchObject({
      status: 400,
      body: { error: 'Too many orders in payload, max allowed: 1000' },
    });
  });
});

describe('GET /data/trades (polymarket.md 9.1)', () => {
  it('describes the taker at the top and the makers below, for both of them', async () => {
    const [first, second] = await tokensOf('511756');
    const [maker, taker] = [aTrader(), aTrader()];
    const resting = maker.sign({ tokenId: first, side: 'BUY', price: '0.28', size: '10' });
    await maker.post(resting);
    const incoming = taker.sign({ tokenId: second, side: 'BUY', price: '0.73', size: '6' });
    const { body } = await taker.post(incoming);
    const [id = ''] = (body as { tradeIDs: string[] }).tradeIDs;
    const trade = {
      id,
      taker_order_id: orderHash(incoming, false),
      asset_id: second,
      side: 'BUY',
      size: '6',
      price: '0.72',
      outcome: 'No',
      status: 'MATCHED',
      match_time: String(unixSeconds(now)),
      owner: taker.credentials.apiKey,
      maker_orders: [
        {
          order_id: orderHash(resting, false),
          owner: maker.credentials.apiKey,
          matched_amount: '6',
          price: '0.28',
          asset_id: first,
          outcome: 'Yes',
          side: 'BUY',
        },
      ],
    };
    const seenBy = async (who: PolymarketTrader): Promise<unknown> =>
      (
        await who.call(
          'GET',
          `/data/trades?maker_address=${who.wallet.address}&asset_id=${who === maker ? first : second}`,
        )
      ).body;
    expect(await seenBy(taker)).toMatchObject({ count: 1, data: [{ ...trade, trader_side: 'TAKER' }] });
    expect(await seenBy(maker)).toMatchObject({ count: 1, data: [{ ...trade, trader_side: 'MAKER' }] });
    expect(await aTrader().call('GET', `/data/trades?id=${id}`)).toMatchObject({ body: { data: [] } });
    const [fresh] = ((await seenBy(taker)) as Page<object>).data;
    expect(fresh).not.toHaveProperty('transaction_hash');
    pass(500);
    expect(await seenBy(taker)).toMatchObject({ data: [{ status: 'MINED', transaction_hash: expect.any(String) }] });
    pass(1_500);
    expect(await seenBy(taker)).toMatchObject({ data: [{ status: 'CONFIRMED' }] });
  });

  it('makes one trade for each price that an order sweeps, and finds them by time', async () => {
    const taker = aTrader({ balance: '20000' });
    const from = unixSeconds(now);
    const sweep = taker.sign({ tokenId: NEWSOM, side: 'BUY', price: '0.248', size: '10000', negRisk: true });
    const { body } = await taker.post(sweep);
    const { tradeIDs, makingAmount } = body as { tradeIDs: string[]; makingAmount: string };
    const page = (await taker.call('GET', `/data/trades?after=${from - 1}&before=${from + 1}`)).body as Page<{
      id: string;
      size: string;
      price: string;
    }>;
    expect(page.data.map((trade) => trade.id)).toEqual([...tradeIDs].reverse());
    const paid = page.data.reduce((sum, { size, price }) => sum + Number(size) * Number(price), 0);
    expect(paid).toBeCloseTo(Number(makingAmount), 6);
    expect(new Set(page.data.map((trade) => trade.price)).size).toBe(tradeIDs.length);
    expect((await taker.call('GET', `/data/trades?after=${from}`)).body).toMatchObject({ data: [] });
    expect(await taker.call('GET', '/data/trades?before=x')).toMatchObject({
      status: 400,
      body: { error: 'Invalid trade params payload' },
    });
  });
});

describe('markets that answer otherwise (polymarket.md 7.3)', () => {
  it('holds a marketable order as delayed; it cannot be cancelled and is matched 250 ms later', async () => {
    const [up] = await tokensOf('2310044');
    const trader = aTrader({ balance: '10' });
    const order = trader.sign({ tokenId: up, side: 'BUY', price: '0.51', size: '10' });
    const id = orderHash(order, false);
    const answer = await trader.post(order);
    expect(answer.body).toMatchObject({ success: true, errorMsg: '', orderID: id, status: 'delayed' });
    expect(await trader.call('DELETE', '/order', { orderID: id })).toMatchObject({
      body: { canceled: [], not_canceled: { [id]: expect.any(String) } },
    });
    const collateral = '/balance-allowance?asset_type=COLLATERAL&signature_type=0';
    expect((await trader.call('GET', collateral)).body).toMatchObject({ balance: '10000000' });
    pass(250);
    expect((await trader.call('GET', `/data/order/${id}`)).body).toMatchObject({
      status: 'MATCHED',
      size_matched: '10',
    });
    expect((await trader.call('GET', collateral)).body).toMatchObject({ balance: '4900000' });
    expect(await trader.post(trader.sign({ tokenId: up, side: 'BUY', price: '0.4', size: '10' }))).toMatchObject({
      body: { status: 'live' },
    });
  });

  it('rejects with success true and an errorMsg, leaving no order behind', async () => {
    const [yes] = await tokensOf('2999001');
    const trader = aTrader();
    const order = trader.sign({ tokenId: yes, side: 'BUY', price: '0.05', size: '10' });
    expect(await trader.post(order)).toMatchObject({
      status: 200,
      body: { success: true, errorMsg: 'the market is not yet ready to process new orders', orderID: '', status: '' },
    });
    expect(await openIds(trader)).toEqual([]);
  });

  it('answers each order of a batch by itself, and no more than 15', async () => {
    const trader = aTrader();
    const owner = trader.credentials.apiKey;
    const entry = (price: string): object => ({
      owner,
      orderType: 'GTC',
      order: trader.sign({ tokenId: ALIENS, side: 'BUY', price, size: '10' }),
    });
    expect((await trader.call('POST', '/orders', [entry('0.05'), entry('0.0505')])).body).toMatchObject([
      { success: true, status: 'live', errorMsg: '' },
      { success: false, orderID: '', errorMsg: expect.stringContaining('breaks minimum tick size rule') },
    ]);
    expect(
      await trader.call(
        'POST',
        '/orders',
        Array.from({ length: 16 }, () => entry('0.05')),
      ),
    ).toMatchObject({
      status: 400,
      body: { error: 'Too many orders in payload: 16, max allowed: 15' },
    });
  });
});

describe('GET /prices-history (polymarket.md 5)', () => {
  const history = async (query: string): Promise<{ t: number; p: number }[]> => {
    const { body } = await request(`${sandbox.account.clob_url}/prices-history?${query}`);
    return (body as { history: { t: number; p: number }[] }).history;
  };

  it('gives points as far apart as asked, mirrored for the other token, ending now', async () => {
    const [yes, no] = await tokensOf('640102');
    const points = await history(`market=${yes}&interval=1d&fidelity=60`);
    const mirrored = await history(`market=${no}&interval=1d&fidelity=60`);
    expect(points.length).toBeGreaterThanOrEqual(24);
    const gaps = points.slice(1, -1).map(({ t }, at) => t - (points[at]?.t ?? 0));
    expect(new Set(gaps)).toEqual(new Set([3600]));
    expect(points.at(-1)).toEqual({ t: unixSeconds(now), p: 0.355 });
    expect(mirrored.map(({ p }) => Math.round((1 - p) * 1e6))).toEqual(points.map(({ p }) => Math.round(p * 1e6)));
  });

  it('follows the book from the start on', async () => {
    const [yes] = await tokensOf('640101');
    const trader = aTrader();
    pass(60_000);
    const before = unixSeconds(now) - 1;
    await trader.post(trader.sign({ tokenId: yes, side: 'BUY', price: '0.62', size: '100', negRisk: true }));
    pass(120_000);
    const points = await history(`market=${yes}&startTs=${before - 60}&endTs=${before + 121}&fidelity=1`);
    expect(points.filter(({ t }) => t <= before).every(({ p }) => p === 0.62)).toBe(true);
    expect(points.filter(({ t }) => t > before).every(({ p }) => p === 0.625)).toBe(true);
    expect(points.length).toBeGreaterThanOrEqual(3);
  });

  it('asks for an interval or both ends, knows unknown tokens as empty, and is coarse for what is resolved', async () => {
    const closed = '38304894346029195822242785095213694817662275988449391178572340951802778647900';
    for (const query of [
      'interval=1d',
      `market=${closed}`,
      `market=${closed}&interval=2d`,
      `market=${closed}&startTs=5`,
    ]) {
      const { status } = await request(`${sandbox.account.clob_url}/prices-history?${query}`);
      expect(status).toBe(400);
    }
    expect(await history('market=123&interval=1d')).toEqual([]);
    expect(await history(`market=${closed}&interval=1w&fidelity=60`)).toEqual([]);
    const coarse = await history(`market=${closed}&interval=max&fidelity=720`);
    expect(coarse.length).toBeGreaterThan(100);
    expect(coarse.at(-1)?.p).toBe(0);
  });
});
