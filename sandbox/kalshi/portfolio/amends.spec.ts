import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FaultList } from '../../wire/faults.js';
import { isRecord, type Json } from '../../wire/json.js';
import { RequestLog } from '../../wire/request-log.js';
import { KalshiSandbox } from '../sandbox.js';
import { type Answer, KalshiTrader } from '../trader.js';

const ORDERS = '/portfolio/events/orders';
const TICKER = 'KXHIGHNY-TODAY-B55.5';
const CRYPTO = 'KXBTCD-FRIDAY-T110000';
const ABSENT = { average_fill_price: null, average_fee_paid: null };

let sandbox: KalshiSandbox;
let client: KalshiTrader;
let other: KalshiTrader;

beforeAll(async () => {
  const clock = (): Date => new Date();
  sandbox = await KalshiSandbox.start({ faults: new FaultList(), log: new RequestLog(), clock, keyType: 'ed25519' });
});

beforeEach(async () => {
  const keyType = 'ed25519';
  client = new KalshiTrader(await sandbox.addAccount({ keyType, balanceDollars: '100.00', shards: { 2: '20' } }));
  other = new KalshiTrader(await sandbox.addAccount({ keyType }));
});

afterEach(() => Promise.all([client, other].map(leave)));
afterAll(() => sandbox.close());

/** Takes everything out that rests, so that the next test meets the market maker alone. */
async function leave(who: KalshiTrader): Promise<void> {
  const { body } = await who.get('/portfolio/orders', '?status=resting');
  const orders = isRecord(body) && Array.isArray(body.orders) ? body.orders.filter(isRecord) : [];
  const items = orders.map(({ order_id, ticker }) => ({ order_id, market_ticker: ticker }));
  if (items.length > 0) await who.call('DELETE', `${ORDERS}/batched`, { body: { orders: items } });
}

async function resting(overrides: Json = {}, who = client): Promise<string> {
  const { body } = await who.order({ price: '0.4300', ...overrides });
  return isRecord(body) ? String(body.order_id) : '';
}

function amend(id: string, overrides: Json = {}, query = ''): Promise<Answer> {
  const body = { ticker: TICKER, side: 'bid', price: '0.4300', count: '10.00', ...overrides };
  return client.call('POST', `${ORDERS}/${id}/amend`, { query, body });
}

function decrease(id: string, body: Json): Promise<Answer> {
  return client.call('POST', `${ORDERS}/${id}/decrease`, { body });
}

async function orderOf(id: string, query = ''): Promise<unknown> {
  const { body } = await client.get(`/portfolio/orders/${id}`, query);
  return isRecord(body) ? body.order : undefined;
}

/** Sells to the best bids, the oldest of a price first. */
async function hit(count: string): Promise<void> {
  await other.order({ side: 'ask', price: '0.4300', count, time_in_force: 'immediate_or_cancel' });
}

async function available(): Promise<unknown> {
  const { body } = await client.get('/portfolio/balance', '?exchange_index=0');
  return isRecord(body) ? body.balance_dollars : undefined;
}

describe('Kalshi amend', () => {
  it('kalshi.md 5.3 counts what is filled into the size, keeps the id and answers what is left', async () => {
    const id = await resting();
    await hit('4');
    const answer = await amend(id, { count: '7.50', updated_client_order_id: 'renamed' });
    expect(answer).toEqual({
      status: 200,
      body: {
        order_id: id,
        client_order_id: 'renamed',
        fill_count: '0.00',
        remaining_count: '3.50',
        ...ABSENT,
        ts_ms: expect.any(Number),
      },
    });
    expect(await orderOf(id)).toMatchObject({
      client_order_id: 'renamed',
      initial_count_fp: '7.50',
      fill_count_fp: '4.00',
      remaining_count_fp: '3.50',
      status: 'resting',
    });
  });

  it('kalshi.md 5.3 sent twice is the same; what changes nothing has no counts', async () => {
    const id = await resting();
    expect((await amend(id, { count: '8' })).body).toMatchObject({ remaining_count: '8.00' });
    expect((await amend(id, { count: '8' })).body).toMatchObject({ fill_count: null, remaining_count: null });
    expect(await orderOf(id)).toMatchObject({ remaining_count_fp: '8.00' });
  });

  it.each([
    ['a smaller size keeps', { count: '9' }, '5.00'],
    ['a new expiry keeps', { expiration_time: Math.floor(Date.now() / 1_000) + 600 }, '5.00'],
    ['a larger size loses', { count: '11' }, '0.00'],
  ])('kalshi.md 5.3 %s the place in the queue', async (_what, change, filled) => {
    const id = await resting();
    await resting({}, other);
    await amend(id, change);
    const taker = new KalshiTrader(await sandbox.addAccount({ keyType: 'ed25519' }));
    await taker.order({ side: 'ask', price: '0.4300', count: '5', time_in_force: 'immediate_or_cancel' });
    expect(await orderOf(id)).toMatchObject({ fill_count_fp: filled });
  });

  it('kalshi.md 5.3 another price may trade at once, and the answer counts those fills alone', async () => {
    const id = await resting();
    await hit('1');
    const { body } = await amend(id, { price: '0.4400', count: '6' });
    expect(body).toMatchObject({ fill_count: '5.00', remaining_count: '0.00', average_fill_price: '0.4400' });
    // 0.08624 of the model; as a maker the order paid nothing
    expect(body).toMatchObject({ average_fee_paid: '0.017260' });
    expect(await orderOf(id)).toMatchObject({
      status: 'executed',
      fill_count_fp: '6.00',
      taker_fees_dollars: '0.086300',
      maker_fees_dollars: '0.000000',
      maker_fill_cost_dollars: '0.430000',
    });
    expect(await amend(id, { count: '20' })).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  });

  it('kalshi.md 5.3 an expiration of 0 takes an expiry away, without one it stays', async () => {
    const soon = Math.floor(Date.now() / 1_000) + 600;
    const id = await resting({ expiration_time: soon });
    await amend(id, { count: '9' });
    expect(await orderOf(id)).toMatchObject({
      expiration_time: new Date(soon * 1_000).toISOString().slice(0, 19) + 'Z',
    });
    await amend(id, { count: '9', expiration_time: 0 });
    expect(await orderOf(id)).toMatchObject({ expiration_time: null });
  });

  it.each([
    [{ ticker: 'KXFEDDECISION-NEXT-H0' }, 'order_ticker_mismatch'],
    [{ side: 'ask' }, 'order_side_mismatch'],
    [{ client_order_id: 'another' }, 'order_id_and_client_order_id_mismatch'],
    [{ count: '4' }, 'invalid_order_size'],
    [{ count: '3.99' }, 'invalid_order_size'],
    [{ price: '0.4350' }, 'invalid_price'],
    [{ count: '1000' }, 'available_balance_too_low'],
    [{ price: '0.99', count: '500' }, 'available_balance_too_low'],
    [{ expiration_time: 1 }, 'invalid_order'],
  ])('kalshi.md 11 refuses %j and leaves the order as it was', async (change, code) => {
    const id = await resting();
    await hit('4');
    const before = [await orderOf(id), await available()];
    expect(await amend(id, change)).toMatchObject({ status: 400, body: { error: { code } } });
    expect([await orderOf(id), await available()]).toEqual(before);
  });

  it('refuses a client id that is in use, and remembers both ids of a renamed order', async () => {
    const id = await resting({ client_order_id: 'first' });
    await resting({ client_order_id: 'second', price: '0.1000' });
    expect((await amend(id, { updated_client_order_id: 'second' })).status).toBe(409);
    expect((await amend(id, { client_order_id: 'first', updated_client_order_id: 'third' })).status).toBe(200);
    expect((await client.order({ client_order_id: 'first' })).status).toBe(409);
    expect((await client.order({ client_order_id: 'third' })).status).toBe(409);
  });

  it('kalshi.md 9.2 finds an order by its ticker or by its shard, and nowhere else', async () => {
    const id = await resting({ ticker: CRYPTO, price: '0.2000' });
    const change = { ticker: CRYPTO, price: '0.2000', count: '5' };
    expect((await amend(id, { ...change, exchange_index: 0 })).status).toBe(404);
    expect((await amend(id, change, '?subaccount=1')).status).toBe(404);
    expect((await amend(id, { ...change, exchange_index: 2 })).status).toBe(200);
    expect((await amend(id, { ...change, count: '4' })).body).toMatchObject({ remaining_count: '4.00' });
    expect(await orderOf(id, `?market_ticker=${CRYPTO}`)).toMatchObject({ remaining_count_fp: '4.00' });
  });

  it('holds back what the amended order costs', async () => {
    const id = await resting();
    expect(await available()).toBe('95.7000');
    await amend(id, { price: '0.4000', count: '20' });
    expect(await available()).toBe('92.0000');
  });
});

describe('Kalshi decrease', () => {
  it('kalshi.md 5.3 reduces by a size or to one, and may be sent again in the second way alone', async () => {
    const id = await resting();
    await hit('3');
    expect((await decrease(id, { reduce_by: '2.50' })).body).toMatchObject({ order_id: id, remaining_count: '4.50' });
    expect((await decrease(id, { reduce_to: '2' })).body).toMatchObject({ remaining_count: '2.00' });
    expect((await decrease(id, { reduce_to: '2.00' })).body).toMatchObject({ remaining_count: '2.00' });
    expect(await orderOf(id)).toMatchObject({ fill_count_fp: '3.00', remaining_count_fp: '2.00', status: 'resting' });
  });

  it.each([{ reduce_to: '0' }, { reduce_by: '10' }, { reduce_by: '11' }])('%j cancels', async (body) => {
    const id = await resting();
    expect((await decrease(id, body)).body).toMatchObject({ remaining_count: '0.00' });
    expect(await orderOf(id)).toMatchObject({ status: 'canceled', remaining_count_fp: '0.00' });
    expect((await decrease(id, body)).status).toBe(404);
  });

  it.each([
    [{}, 400, 'bad_request'],
    [{ reduce_to: '1', reduce_by: '1' }, 400, 'bad_request'],
    [{ reduce_to: 'few' }, 400, 'bad_request'],
    [{ reduce_to: '10.01' }, 400, 'invalid_order_size'],
    [{ reduce_to: '1', exchange_index: 2 }, 404, 'not_found'],
    [{ reduce_to: '1', market_ticker: CRYPTO }, 404, 'not_found'],
  ])('refuses %j', async (body, status, code) => {
    const id = await resting();
    expect(await decrease(id, body)).toMatchObject({ status, body: { error: { code } } });
    expect(await orderOf(id)).toMatchObject({ remaining_count_fp: '10.00' });
  });
});
