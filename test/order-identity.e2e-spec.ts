import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { EXCHANGE, type ExchangeName } from './support/exchanges.js';
import { FaultStand } from './support/fault-stand.js';
import { json } from './support/gateway.js';

const bearer = { type: 'bearer' } as const;
const LIST = '/portfolio/orders';

interface Body {
  readonly id: string;
  readonly status: string;
  readonly status_reason: string | null;
  readonly error: { readonly code: string; readonly details: { readonly reason?: string } };
}

const bodyOf = (answer: Response): Body => answer.body as Body;

describe('which order it is, and what became of it (R-13)', () => {
  let stand: FaultStand;

  beforeAll(async () => {
    stand = await FaultStand.start(2_000);
  });

  afterAll(() => stand.close());

  beforeEach(() => {
    stand.heal();
  });

  const place = (exchange: ExchangeName, body: object, key?: string): Promise<Response> => {
    const call = request(stand.app.url).post(`/${exchange}/orders`).auth(stand.trader.key, bearer);
    return (key === undefined ? call : call.set('Idempotency-Key', key)).send(body).then((answer) => answer);
  };
  const posts = (exchange: ExchangeName): number =>
    stand.gatewayOf(exchange).count('POST', EXCHANGE[exchange].wire.order[1]);

  /** The first try arrives, its answer is lost. */
  const lose = async (exchange: ExchangeName, body: object, key: string): Promise<void> => {
    const [method, path] = EXCHANGE[exchange].wire.order;
    stand.sandbox.faults.add({ exchange, method, path, fault: 'reset_after', times: 1 });
    expect(bodyOf(await place(exchange, body, key)).error.code).toBe('order_outcome_unknown');
  };

  /** What Kalshi's list says of an order under a client order id, as it is read now. */
  const listed = async (clientOrderId: string): Promise<Record<string, unknown>> => {
    const answer = await request(stand.app.url)
      .get('/kalshi/orders?limit=100&status=closed')
      .auth(stand.trader.key, bearer);
    const { data } = answer.body as { data: { id: string; client_order_id: string; market_id: string }[] };
    const own = data.find((order) => order.client_order_id === clientOrderId);
    return { order_id: own?.id, client_order_id: clientOrderId, ticker: own?.market_id };
  };

  const shownAs = (order: object) =>
    json(200, {
      orders: [
        {
          type: 'limit',
          status: 'resting',
          outcome_side: 'yes',
          yes_price_dollars: '0.9900',
          no_price_dollars: '0.0100',
          initial_count_fp: '2.00',
          fill_count_fp: '0.00',
          remaining_count_fp: '2.00',
          taker_fill_cost_dollars: '0.0000',
          maker_fill_cost_dollars: '0.0000',
          taker_fees_dollars: '0.0000',
          maker_fees_dollars: '0.0000',
          ...order,
        },
      ],
      cursor: '',
    });

  it('an ioc order under an id of the client that still shows as resting is pending, then told as it is', async () => {
    const [id, key] = [randomUUID(), randomUUID()];
    const base = await EXCHANGE.kalshi.anOrder({ app: stand.app, sandbox: stand.sandbox, key: stand.trader.key });
    const order = { ...base, price: '0.99', size: '2', time_in_force: 'ioc', client_order_id: id };
    await lose('kalshi', order, key);
    stand.gateways.kalshi.misbehave(LIST, shownAs(await listed(id)), 'GET');
    const sent = posts('kalshi');
    const late = bodyOf(await place('kalshi', order, key));
    expect([late.status, late.status_reason]).toEqual(['pending', 'unknown_status']);
    stand.heal();
    const told = await place('kalshi', order, key);
    expect([told.status, bodyOf(told).status, bodyOf(told).id]).toEqual([200, 'filled', late.id]);
    const again = await place('kalshi', order, key);
    expect([again.headers['idempotency-replayed'], posts('kalshi')]).toEqual(['true', sent]);
  });

  it('an order that its owner made smaller meanwhile is the order, also under an id of the client', async () => {
    const [id, key] = [randomUUID(), randomUUID()];
    const base = await EXCHANGE.kalshi.anOrder({ app: stand.app, sandbox: stand.sandbox, key: stand.trader.key }, 7);
    const order = { ...base, client_order_id: id };
    await lose('kalshi', order, key);
    const terms = base as { market_id: string; price: string };
    const smaller = { order_id: 'o-1', client_order_id: id, ticker: terms.market_id, initial_count_fp: '5.00' };
    const counts = { remaining_count_fp: '5.00', yes_price_dollars: '0.0200', no_price_dollars: '0.9800' };
    stand.gateways.kalshi.misbehave(LIST, shownAs({ ...smaller, ...counts }), 'GET');
    const sent = posts('kalshi');
    expect(bodyOf(await place('kalshi', order, key))).toMatchObject({ id: 'o-1', size: '5', status: 'open' });
    expect(posts('kalshi')).toBe(sent);
  });

  it('an order that has the id of another key is not its own, though market and side are the same', async () => {
    const [id, key, other] = [randomUUID(), randomUUID(), randomUUID()];
    const base = await EXCHANGE.kalshi.anOrder({ app: stand.app, sandbox: stand.sandbox, key: stand.trader.key });
    expect((await place('kalshi', { ...base, client_order_id: id }, other)).status).toBe(200);
    const larger = { ...base, size: '3', client_order_id: id };
    await lose('kalshi', larger, key);
    const told = await place('kalshi', larger, key);
    expect([told.status, bodyOf(told).error.details.reason]).toEqual([422, 'duplicate_order']);
  });

  it('a 409 in words that nobody knows is settled by a look-up: the order under that id is the answer', async () => {
    const [id, key] = [randomUUID(), randomUUID()];
    const base = await EXCHANGE.kalshi.anOrder({ app: stand.app, sandbox: stand.sandbox, key: stand.trader.key });
    const order = { ...base, client_order_id: id };
    await lose('kalshi', order, key);
    const conflict = json(409, { error: { code: 'conflict', message: 'conflict' } });
    stand.gateways.kalshi.misbehave(EXCHANGE.kalshi.wire.order[1], conflict, 'POST');
    const told = await place('kalshi', order, randomUUID());
    expect([told.status, (told.body as { client_order_id: string }).client_order_id]).toEqual([200, id]);
    const unseen = await place('kalshi', { ...base, client_order_id: randomUUID() });
    expect([unseen.status, bodyOf(unseen).error.code]).toEqual([504, 'order_outcome_unknown']);
  });

  it('what was cancelled here is not sent again, though the exchange forgets it', async () => {
    const key = randomUUID();
    const order = await EXCHANGE.polymarket.anOrder({ app: stand.app, sandbox: stand.sandbox, key: stand.trader.key });
    await lose('polymarket', order, key);
    const report = await request(stand.app.url).delete('/polymarket/orders').auth(stand.trader.key, bearer).expect(200);
    const { cancelled } = report.body as { cancelled: string[] };
    stand.gateways.clob.misbehave('/data/order/', json(404, { error: 'Order not found' }), 'GET');
    const sent = posts('polymarket');
    const told = bodyOf(await place('polymarket', order, key));
    expect([told.status, cancelled.includes(told.id), posts('polymarket')]).toEqual(['cancelled', true, sent]);
    // Its fills may show late, so it is kept only 30 s later.
    expect(bodyOf(await place('polymarket', order, key)).status).toBe('cancelled');
    await stand.app.query(`UPDATE placements SET absent_at = absent_at - interval '31 s' WHERE key = $1`, [key]);
    await place('polymarket', order, key);
    expect((await place('polymarket', order, key)).headers['idempotency-replayed']).toBe('true');
    expect(posts('polymarket')).toBe(sent);
  });
});
