import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Fault, FaultList } from '../../wire/faults.js';
import { isRecord, type Json } from '../../wire/json.js';
import { RequestLog } from '../../wire/request-log.js';
import { KalshiSandbox } from '../sandbox.js';
import { type Answer, KalshiTrader } from '../trader.js';

const ORDERS = '/portfolio/events/orders';
const TICKER = 'KXHIGHNY-TODAY-B55.5';
const GAME = 'KXNBAGAME-BOSNYK-BOS';

const faults = new FaultList();
let sandbox: KalshiSandbox;
let client: KalshiTrader;
let numbered = 0;

beforeAll(async () => {
  const clock = (): Date => new Date();
  sandbox = await KalshiSandbox.start({ faults, log: new RequestLog(), clock, keyType: 'ed25519' });
  client = new KalshiTrader(await sandbox.addAccount({ keyType: 'ed25519' }));
});

afterEach(() => void faults.clear());
afterAll(() => sandbox.close());

function item(overrides: Json = {}): Json {
  numbered += 1;
  return {
    ticker: TICKER,
    client_order_id: `item-${numbered}`,
    side: 'bid',
    count: '10.00',
    price: '0.0500',
    time_in_force: 'good_till_canceled',
    self_trade_prevention_type: 'taker_at_cross',
    ...overrides,
  };
}

function create(...orders: unknown[]): Promise<Answer> {
  return client.call('POST', `${ORDERS}/batched`, { body: { orders } });
}

function cancel(...orders: Json[]): Promise<Answer> {
  return client.call('DELETE', `${ORDERS}/batched`, { body: { orders } });
}

function arm(fault: Partial<Fault>): void {
  faults.add({ exchange: 'kalshi', method: 'POST', path: ORDERS, fault: 'status', times: 1, ...fault });
}

function itemsOf({ body }: Answer): Json[] {
  const orders = isRecord(body) ? body.orders : undefined;
  return Array.isArray(orders) ? orders.filter(isRecord) : [];
}

async function restingIds(): Promise<unknown[]> {
  const answer = await client.get('/portfolio/orders', '?status=resting');
  return itemsOf(answer)
    .map((order) => order.client_order_id)
    .reverse();
}

async function cancelAll(): Promise<void> {
  const resting = itemsOf(await client.get('/portfolio/orders', '?status=resting'));
  if (resting.length > 0) await cancel(...resting.map(({ order_id, ticker }) => ({ order_id, market_ticker: ticker })));
}

describe('Kalshi batch create', () => {
  afterEach(cancelAll);

  it('kalshi.md 5.3 is not atomic: one that rests, one refused, one without money on its shard, one that fills', async () => {
    const orders = [
      item(),
      item({ price: '0.0550' }),
      item({ ticker: GAME, price: '0.3000' }),
      item({ price: '0.4400', count: '3' }),
    ];
    const answer = await create(...orders);
    expect(answer.status).toBe(201);
    const nothing = { average_fill_price: null, average_fee_paid: null };
    const failed = { fill_count: null, remaining_count: null, ...nothing, ts_ms: null };
    expect(itemsOf(answer)).toEqual([
      {
        order_id: expect.any(String),
        client_order_id: orders[0]?.client_order_id,
        fill_count: '0.00',
        remaining_count: '10.00',
        ...nothing,
        ts_ms: expect.any(Number),
      },
      {
        client_order_id: orders[1]?.client_order_id,
        ...failed,
        error: { code: 'invalid_price', message: 'invalid price' },
      },
      {
        client_order_id: orders[2]?.client_order_id,
        ...failed,
        error: {
          code: 'insufficient_shard_balance',
          message: 'insufficient shard balance',
          details: expect.stringContaining('Exchange user not found'),
        },
      },
      {
        order_id: expect.any(String),
        client_order_id: orders[3]?.client_order_id,
        fill_count: '3.00',
        remaining_count: '0.00',
        average_fill_price: '0.4400',
        // 0.07 × 3 × 0.44 × 0.56 = 0.051744, 0.0518 with what aligns the balance
        average_fee_paid: '0.017267',
        ts_ms: expect.any(Number),
      },
    ]);
  });

  it('an item sees what those before it did: the same client id twice is refused the second time', async () => {
    const order = item();
    const [first, second] = itemsOf(await create(order, order));
    expect(first).toMatchObject({ remaining_count: '10.00' });
    expect(second).toMatchObject({ error: { code: 'order_already_exists' } });
    expect(second).not.toHaveProperty('order_id');
  });

  it.each([
    ['no orders', {}, 'orders is required'],
    ['an empty list', { orders: [] }, 'orders is required'],
    ['an item that lacks something', { orders: [item(), { ...item(), side: undefined }] }, 'side is required'],
    ['an item of another kind', { orders: [item(), 1] }, 'ticker is required'],
  ])('refuses a batch with %s as a whole', async (_name, body, details) => {
    const answer = await client.call('POST', `${ORDERS}/batched`, { body });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'bad_request', details } } });
    expect(await restingIds()).toEqual([]);
  });

  it('refuses a batch with a number for a price as a whole, in the flat shape', async () => {
    expect(await create(item(), item({ price: 0.05 }))).toMatchObject({ status: 400, body: { code: 'bad_request' } });
    expect(await restingIds()).toEqual([]);
  });

  it('goes to several shards at once where there is money', async () => {
    const own = new KalshiTrader(sandbox.account);
    const orders = [item(), item({ ticker: GAME, price: '0.0300' }), item({ ticker: GAME, exchange_index: 0 })];
    const answer = await own.call('POST', `${ORDERS}/batched`, { body: { orders } });
    expect(itemsOf(answer).map(({ error }) => (isRecord(error) ? error.code : 'placed'))).toEqual([
      'placed',
      'placed',
      'market_not_found',
    ]);
  });
});

describe('contract.md 7 faults of batches', () => {
  afterEach(cancelAll);

  it('reset_midway handles the items before it and answers nothing', async () => {
    arm({ fault: 'reset_midway', item: 2 });
    const orders = [item(), item(), item()];
    await expect(create(...orders)).rejects.toThrow();
    expect(await restingIds()).toEqual(orders.slice(0, 2).map((order) => order.client_order_id));
  });

  it('refuse_item leaves an item out and says so; fail_item says so of one that it took', async () => {
    arm({ fault: 'refuse_item', item: 0 });
    arm({ fault: 'fail_item', item: 1, status: 503 });
    const refused = [item(), item()];
    expect(itemsOf(await create(...refused))).toMatchObject([
      { client_order_id: refused[0]?.client_order_id, error: { code: 'internal_server_error' } },
      { remaining_count: '10.00' },
    ]);
    const failed = [item(), item()];
    const answer = itemsOf(await create(...failed));
    expect(answer).toMatchObject([{ remaining_count: '10.00' }, { error: { code: 'service_unavailable' } }]);
    expect(answer[1]).not.toHaveProperty('order_id');
    expect(await restingIds()).toEqual([refused[1], ...failed].map((order) => order?.client_order_id));
  });

  it.each([
    ['cut_items', 2],
    ['cut_items', 0],
  ] as const)('%s ends the answer after %i whole items, all of which it handled', async (fault, at) => {
    arm({ fault, item: at });
    const orders = [item(), item(), item()];
    const response = await fetch(`${sandbox.account.api_url}${ORDERS}/batched`, {
      method: 'POST',
      headers: client.headers('POST', new URL(`${sandbox.account.api_url}${ORDERS}/batched`).pathname),
      body: JSON.stringify({ orders }),
    });
    const text = await response.text();
    expect(() => JSON.parse(text) as unknown).toThrow();
    expect(itemsOf({ status: 0, body: JSON.parse(`${text.replace(/,$/, '')}]}`) })).toHaveLength(at);
    expect(await restingIds()).toHaveLength(3);
  });

  it('drop_item, reorder_items and other_order answer less, in reverse, and of orders that nobody knows', async () => {
    arm({ fault: 'drop_item', item: 1 });
    arm({ fault: 'reorder_items' });
    arm({ fault: 'other_order' });
    const orders = [item(), item(), item()];
    const ids = (answer: Answer): unknown[] => itemsOf(answer).map((order) => order.client_order_id);
    expect(ids(await create(...orders))).toEqual([orders[0]?.client_order_id, orders[2]?.client_order_id]);
    const further = [item(), item()];
    expect(ids(await create(...further))).toEqual([further[1]?.client_order_id, further[0]?.client_order_id]);
    const [renamed] = itemsOf(await create(item()));
    expect(renamed).toMatchObject({ order_id: expect.stringMatching(/^[0-9a-f-]{36}$/), remaining_count: '7.00' });
    const found = await client.get(`/portfolio/orders/${String(renamed?.order_id)}`);
    expect(found.status).toBe(404);
    expect(await restingIds()).toHaveLength(6);
  });

  it('after lets calls through first: the second batch alone is refused as a whole', async () => {
    arm({ fault: 'status', status: 429, after: 1 });
    expect((await create(item())).status).toBe(201);
    expect(await create(item())).toEqual({ status: 429, body: { error: 'too many requests' } });
    expect((await create(item())).status).toBe(201);
    expect(await restingIds()).toHaveLength(2);
  });

  it('hits batches of cancels, too', async () => {
    const ids = itemsOf(await create(item(), item(), item())).map(({ order_id }) => ({ order_id }));
    arm({ method: 'DELETE', fault: 'refuse_item', item: 1 });
    expect(itemsOf(await cancel(...ids))).toMatchObject([
      { reduced_by: '10.00' },
      { ...ids[1], reduced_by: '0.00', error: { code: 'internal_server_error' } },
      { reduced_by: '10.00' },
    ]);
    expect(await restingIds()).toHaveLength(1);
  });
});
