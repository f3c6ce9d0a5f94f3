import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { toUnits } from '../../units.js';
import { FaultList } from '../../wire/faults.js';
import { isRecord } from '../../wire/json.js';
import { RequestLog } from '../../wire/request-log.js';
import { dollars } from '../format.js';
import { KalshiSandbox } from '../sandbox.js';
import { type Answer, KalshiTrader } from '../trader.js';

const MARKET = 'KXHIGHNY-TODAY-B55.5';
const UNKNOWN = '97ec18b7-10d3-4557-9de0-8598aad625f0';

function list(answer: Answer, name: string): Record<string, unknown>[] {
  const value = isRecord(answer.body) ? answer.body[name] : undefined;
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function orderId({ body }: Answer): string {
  return isRecord(body) ? String(body.order_id) : '';
}

describe('Kalshi portfolio', () => {
  let sandbox: KalshiSandbox;
  let client: KalshiTrader;

  beforeAll(async () => {
    const clock = (): Date => new Date();
    sandbox = await KalshiSandbox.start({ faults: new FaultList(), log: new RequestLog(), clock, keyType: 'ed25519' });
  });

  beforeEach(async () => {
    client = new KalshiTrader(await sandbox.addAccount({ balanceDollars: '1000', keyType: 'ed25519' }));
  });

  afterAll(async () => {
    await sandbox.close();
  });

  it('kalshi.md 6 cancels a resting order and frees its cash', async () => {
    const id = orderId(await client.order({ client_order_id: 'mine' }));
    const answer = await client.call('DELETE', `/portfolio/events/orders/${id}`, { query: `?market_ticker=${MARKET}` });
    expect(answer).toEqual({
      status: 200,
      body: { order_id: id, client_order_id: 'mine', reduced_by: '10.00', ts_ms: expect.any(Number) },
    });
    expect((await client.get('/portfolio/balance')).body).toMatchObject({ balance_dollars: '1000.0000' });
    expect((await client.get(`/portfolio/orders/${id}`)).body).toMatchObject({
      order: { status: 'canceled', remaining_count_fp: '0.00', initial_count_fp: '10.00' },
    });
  });

  it('kalshi.md 6 an unknown, cancelled, executed or foreign order is 404 not_found', async () => {
    const notFound = { status: 404, body: { error: { code: 'not_found', message: 'not found' } } };
    const cancel = (id: string, who = client): Promise<Answer> => who.call('DELETE', `/portfolio/events/orders/${id}`);
    const own = orderId(await client.order());
    const stranger = new KalshiTrader(await sandbox.addAccount({ keyType: 'ed25519' }));
    expect(await cancel(own, stranger)).toEqual(notFound);
    expect((await stranger.get(`/portfolio/orders/${own}`)).status).toBe(404);
    expect((await cancel(own)).status).toBe(200);
    expect(await cancel(own)).toEqual(notFound);
    expect(await cancel(UNKNOWN)).toEqual(notFound);
    expect(await cancel(orderId(await client.order({ price: '0.4400', count: '1' })))).toEqual(notFound);
  });

  it('cancels several orders, each answered on its own', async () => {
    const ids = [orderId(await client.order()), orderId(await client.order({ count: '2.5' }))];
    const orders = [...ids, UNKNOWN].map((id) => ({ order_id: id }));
    const answer = await client.call('DELETE', '/portfolio/events/orders/batched', { body: { orders } });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        orders: [
          { order_id: ids[0], reduced_by: '10.00', ts_ms: expect.any(Number) },
          { order_id: ids[1], reduced_by: '2.50' },
          { order_id: UNKNOWN, reduced_by: '0.00', error: { code: 'not_found' } },
        ],
      },
    });
    const empty = await client.call('DELETE', '/portfolio/events/orders/batched', { body: { orders: [] } });
    expect(empty.status).toBe(400);
  });

  it('kalshi.md 5.2 shows an order with bid = yes and ask = no, partly filled ones resting', async () => {
    await client.order({ price: '0.4300', count: '10', client_order_id: 'big' });
    const taker = new KalshiTrader(await sandbox.addAccount({ keyType: 'ed25519' }));
    await taker.order({ side: 'ask', price: '0.4300', count: '4' });
    const [order] = list(await client.get('/portfolio/orders', '?status=resting'), 'orders');
    expect(order).toMatchObject({
      client_order_id: 'big',
      outcome_side: 'yes',
      book_side: 'bid',
      type: 'limit',
      status: 'resting',
      yes_price_dollars: '0.4300',
      no_price_dollars: '0.5700',
      initial_count_fp: '10.00',
      fill_count_fp: '4.00',
      remaining_count_fp: '6.00',
      maker_fill_cost_dollars: '1.720000',
      taker_fill_cost_dollars: '0.000000',
      maker_fees_dollars: '0.000000',
      expiration_time: null,
    });
    const [other] = list(await taker.get('/portfolio/orders', '?status=executed'), 'orders');
    expect(other).toMatchObject({ outcome_side: 'no', book_side: 'ask', taker_fill_cost_dollars: '2.280000' });
    await client.call('DELETE', `/portfolio/events/orders/${String(order?.order_id)}`);
    const [cancelled] = list(await client.get('/portfolio/orders', '?status=canceled'), 'orders');
    expect(cancelled).toMatchObject({ status: 'canceled', fill_count_fp: '4.00', remaining_count_fp: '0.00' });
  });

  it('filters and pages orders, newest first', async () => {
    for (const price of ['0.0100', '0.0200', '0.0300']) await client.order({ price });
    await client.order({ ticker: 'KXFEDDECISION-NEXT-H0', price: '0.0100' });
    const prices = async (query: string): Promise<unknown[]> =>
      list(await client.get('/portfolio/orders', query), 'orders').map((order) => order.yes_price_dollars);
    expect(await prices(`?ticker=${MARKET}`)).toEqual(['0.0300', '0.0200', '0.0100']);
    expect(await prices('?event_ticker=KXFEDDECISION-NEXT,X')).toEqual(['0.0100']);
    expect(await prices(`?max_ts=${Math.floor(Date.now() / 1_000) - 60}`)).toEqual([]);
    const first = await client.get('/portfolio/orders', `?ticker=${MARKET}&limit=2`);
    const cursor = isRecord(first.body) ? String(first.body.cursor) : '';
    expect(await prices(`?ticker=${MARKET}&limit=2&cursor=${cursor}`)).toEqual(['0.0100']);
    expect((await client.get('/portfolio/orders', '?limit=1001')).status).toBe(400);
    expect((await client.get('/portfolio/orders', '?limit=0')).status).toBe(400);
    expect((await client.get('/portfolio/orders', '?status=open')).status).toBe(400);
  });

  it('lists fills of both roles with exact fees', async () => {
    const id = orderId(await client.order({ price: '0.4400', count: '5' }));
    const [fill] = list(await client.get('/portfolio/fills', `?order_id=${id}`), 'fills');
    expect(fill).toMatchObject({
      order_id: id,
      ticker: MARKET,
      outcome_side: 'yes',
      count_fp: '5.00',
      yes_price_dollars: '0.4400',
      is_taker: true,
      fee_cost: '0.086300',
    });
    expect(fill?.fill_id).toBe(fill?.trade_id);
    const [trade] = list(await client.open('/markets/trades', `?ticker=${MARKET}&limit=1`), 'trades');
    expect(trade?.trade_id).toBe(fill?.trade_id);
    expect(list(await client.get('/portfolio/fills', `?order_id=${UNKNOWN}`), 'fills')).toEqual([]);
  });

  it('kalshi.md 7.2 positions are signed, carry their cost and name their event', async () => {
    await client.order({ price: '0.4400', count: '5' });
    await client.order({ ticker: 'KXFEDDECISION-NEXT-H0', side: 'ask', price: '0.7100', count: '2.5' });
    const answer = await client.get('/portfolio/positions');
    expect(list(answer, 'market_positions')).toMatchObject([
      { ticker: MARKET, position_fp: '5.00', market_exposure_dollars: '2.200000', fees_paid_dollars: '0.086300' },
      { ticker: 'KXFEDDECISION-NEXT-H0', position_fp: '-2.50', market_exposure_dollars: '0.725000' },
    ]);
    expect(list(answer, 'event_positions')).toMatchObject([
      { event_ticker: 'KXHIGHNY-TODAY', total_cost_shares_fp: '5.00' },
      { event_ticker: 'KXFEDDECISION-NEXT', event_exposure_dollars: '0.725000' },
    ]);
    await client.order({ side: 'ask', price: '0.4200', count: '5' });
    expect(list(await client.get('/portfolio/positions', `?ticker=${MARKET}`), 'market_positions')).toMatchObject([
      { position_fp: '0.00', market_exposure_dollars: '0.000000', realized_pnl_dollars: '-0.100000' },
    ]);
    const held = await client.get('/portfolio/positions', '?count_filter=position');
    expect(list(held, 'market_positions')).toHaveLength(1);
    expect((await client.get('/portfolio/positions', '?count_filter=all')).status).toBe(400);
  });

  it('settles: holdings are paid, orders cancelled, positions become settlements', async () => {
    const ticker = 'KXHIGHNY-TODAY-B53.5';
    await client.order({ ticker, price: '0.3500', count: '4' });
    const before = await client.get('/portfolio/balance');
    await client.order({ ticker, price: '0.3000' });
    sandbox.exchange.settle(ticker, 'yes', Date.now());
    const cash = toUnits(isRecord(before.body) ? String(before.body.balance_dollars) : '');
    expect((await client.get('/portfolio/balance')).body).toMatchObject({
      balance_dollars: dollars(cash + toUnits('4')),
    });
    expect(list(await client.get('/portfolio/positions'), 'market_positions')).toEqual([]);
    expect(list(await client.get('/portfolio/settlements'), 'settlements')).toMatchObject([
      {
        ticker,
        market_result: 'yes',
        yes_count_fp: '4.00',
        yes_total_cost_dollars: '1.400000',
        revenue: 400,
        value: 100,
      },
    ]);
    expect((await client.open(`/markets/${ticker}`)).body).toMatchObject({ market: { status: 'finalized' } });
    expect(list(await client.get('/portfolio/orders', '?status=resting'), 'orders')).toEqual([]);
  });

  it('kalshi.md 5.1 a pause cancels the orders that asked for it and refuses new ones', async () => {
    const ticker = 'KXHIGHNY-TODAY-T58';
    await client.order({ ticker, price: '0.0100', client_order_id: 'stays' });
    await client.order({ ticker, price: '0.0100', client_order_id: 'goes', cancel_order_on_pause: true });
    sandbox.exchange.setPaused(ticker, true, Date.now());
    expect(list(await client.get('/portfolio/orders', '?status=resting'), 'orders')).toMatchObject([
      { client_order_id: 'stays' },
    ]);
    expect((await client.order({ ticker, price: '0.0100' })).status).toBe(400);
    sandbox.exchange.setPaused(ticker, false, Date.now());
    expect((await client.order({ ticker, price: '0.0100' })).status).toBe(201);
  });

  it('kalshi.md 8 the first account has archived orders, a fill and a position, and a settlement', async () => {
    const first = new KalshiTrader(sandbox.account);
    const archived = list(await first.get('/historical/orders'), 'orders');
    expect(archived).toMatchObject([
      { ticker: 'KXFEDDECISION-NEXT-H0', status: 'canceled' },
      { ticker: 'KXFEDDECISION-PAST-H0', status: 'executed' },
    ]);
    expect(list(await first.get('/historical/fills'), 'fills')).toHaveLength(1);
    expect(list(await first.get('/historical/positions'), 'market_positions')).toHaveLength(1);
    expect(list(await first.get('/portfolio/orders'), 'orders')).toMatchObject([
      { ticker: 'KXHIGHNY-YESTERDAY-B52.5' },
    ]);
    expect((await first.get(`/portfolio/orders/${String(archived[0]?.order_id)}`)).status).toBe(404);
    expect(list(await first.get('/portfolio/fills'), 'fills')).toHaveLength(1);
    expect(list(await first.get('/portfolio/settlements'), 'settlements')).toHaveLength(1);
    expect(list(await client.get('/historical/orders'), 'orders')).toEqual([]);
  });

  it('kalshi.md 7.2 positions are told by settlement status; settled ones page by event, archived ones are gone', async () => {
    const first = new KalshiTrader(sandbox.account);
    const tickers = async (query: string): Promise<unknown[]> =>
      list(await first.get('/portfolio/positions', query), 'market_positions').map(({ ticker }) => ticker);
    const open = 'KXFEDDECISION-NEXT-C25';
    await first.order({ ticker: open, price: '0.2800', count: '1', time_in_force: 'immediate_or_cancel' });
    const settled = 'KXHIGHNY-YESTERDAY-B52.5';
    expect(await tickers('')).toEqual([open]);
    expect(await tickers('?settlement_status=unsettled')).toEqual([open]);
    expect(await tickers('?settlement_status=settled')).toEqual([settled]);
    expect(await tickers('?settlement_status=all')).toEqual([open, settled]);
    expect(await tickers('?settlement_status=all&exchange_index=2')).toEqual([]);
    const page = await first.get('/portfolio/positions', '?settlement_status=all&limit=1');
    expect(list(page, 'event_positions')).toHaveLength(1);
    const cursor = isRecord(page.body) ? String(page.body.cursor) : '';
    expect(await tickers(`?settlement_status=all&limit=1&cursor=${cursor}`)).toEqual([settled]);
    expect(await tickers(`?settlement_status=unsettled&cursor=${cursor}`)).toEqual([open]);
    const [held] = list(await first.get('/portfolio/positions', '?settlement_status=settled'), 'market_positions');
    expect(held).toMatchObject({ position_fp: '20.00', realized_pnl_dollars: '10.600000' });
    expect((await first.get('/portfolio/positions', '?settlement_status=open')).status).toBe(400);
    const archived = list(await first.get('/historical/positions'), 'market_positions');
    expect(archived.map(({ ticker }) => ticker)).toEqual(['KXFEDDECISION-PAST-H0']);
  });

  it('signs what is the member’s own', async () => {
    for (const path of ['orders', 'fills', 'positions', 'settlements', 'balance'])
      expect((await client.open(`/portfolio/${path}`)).status).toBe(401);
    for (const path of ['orders', 'fills', 'positions'])
      expect((await client.open(`/historical/${path}`)).status).toBe(401);
  });
});
