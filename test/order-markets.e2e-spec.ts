import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request from 'supertest';
import { KalshiTrader } from '../sandbox/kalshi/trader.js';
import { OrderNotes } from '../src/proxy/orders/order-notes.js';
import { EXCHANGE, EXCHANGES, type ExchangeName, otherThan } from './support/exchanges.js';
import { aTrader, startTestStand, type TestStand, type Trader } from './support/sandbox.js';

const bearer = { type: 'bearer' } as const;

/** The condition of `LedgerReads.find`, with its values. */
const LOOK_UP = `SELECT market_id FROM placements
  WHERE exchange_id = ANY('{o-77,o-78}') AND user_id = $1 AND exchange = 'kalshi' AND kind = 'order'`;

interface Order {
  readonly id: string;
  readonly market_id: string;
}

describe('the market of an order that was placed here (contract.md 5.3)', () => {
  let stand: TestStand;
  let trader: Trader;
  let notes: OrderNotes;

  beforeAll(async () => {
    stand = await startTestStand();
    trader = await aTrader(stand);
    notes = stand.app.get(OrderNotes);
  });

  afterAll(() => stand.close());

  const marketOf = async (userId: string, exchange: string, orderId: string): Promise<string | null> =>
    (await notes.find(userId, exchange, orderId))?.marketId ?? null;

  const place = async (exchange: ExchangeName, key?: string, order?: object): Promise<request.Response> => {
    const { app, sandbox } = stand;
    const body = order ?? (await EXCHANGE[exchange].anOrder({ app, sandbox, key: trader.key }));
    const call = request(app.url).post(`/${exchange}/orders`).auth(trader.key, bearer).send(body);
    return key === undefined ? call : call.set('Idempotency-Key', key);
  };

  it.each(EXCHANGES.flatMap((exchange) => [[exchange, undefined] as const, [exchange, 'memory-1'] as const]))(
    '%s: is known with the key %s, to its owner and of its exchange alone',
    async (exchange, key) => {
      const { id, market_id } = (await place(exchange, key)).body as Order;
      const { user } = trader;
      expect(await marketOf(user.id, exchange, id)).toBe(market_id);
      expect(await marketOf(user.id, otherThan(exchange), id)).toBeNull();
      expect(await marketOf('usr_of_somebody_else', exchange, id)).toBeNull();
      expect(await marketOf(user.id, exchange, `${id}0`)).toBeNull();
    },
  );

  it.each(EXCHANGES)('%s: is known of an order whose answer was lost, once it was found', async (exchange) => {
    const { app, sandbox } = stand;
    const order = await EXCHANGE[exchange].anOrder({ app, sandbox, key: trader.key });
    const path = EXCHANGE[exchange].wire.order[1];
    sandbox.faults.add({ exchange, method: 'POST', path, fault: 'reset_after', times: 1 });
    expect((await place(exchange, 'memory-lost', order)).status).toBe(504);
    const { id, market_id } = (await place(exchange, 'memory-lost', order)).body as Order;
    expect(await marketOf(trader.user.id, exchange, id)).toBe(market_id);
  });

  describe('what was asked, beside what the exchange tells (unified-schema.md 7)', () => {
    const read = async (path: string): Promise<Record<string, unknown>> => {
      const answer = await request(stand.app.url).get(path).auth(trader.key, bearer).expect(200);
      return answer.body as Record<string, unknown>;
    };
    const listed = async (query: string): Promise<Record<string, unknown>[]> =>
      (await read(`/kalshi/orders?${query}`)).data as Record<string, unknown>[];
    const sale = { market_id: EXCHANGE.kalshi.market, outcome: 'no', side: 'sell', price: '0.97', size: '1' };
    const requested = { outcome_index: 1, side: 'sell', price: '0.97' };

    it('is in every read of an order that was made here, with its time in force and post-only flag', async () => {
      const made = await place('kalshi', undefined, { ...sale, post_only: true });
      expect(made.body).toMatchObject({ requested, replayed: false });
      const { id } = made.body as Order;
      // The exchange cannot tell it from this one.
      const told = { side: 'buy', outcome: { index: 0 }, price: '0.03' };
      const own = { id, ...told, requested, time_in_force: 'gtc', post_only: true };
      expect(await read(`/kalshi/orders/${id}`)).toMatchObject(own);
      expect((await listed('status=open')).find((order) => order.id === id)).toMatchObject(own);
      await request(stand.app.url).delete(`/kalshi/orders/${id}`).auth(trader.key, bearer).expect(200);
      expect((await listed('status=closed')).find((order) => order.id === id)).toMatchObject(own);
    });

    it('is null where the order was not made here; one statement tells it of a page', async () => {
      const account = await stand.sandbox.kalshi.addAccount();
      const own = new KalshiTrader(account);
      const { access_key, private_key } = account;
      const other = await aTrader(stand);
      await request(stand.app.url)
        .put('/account/credentials/kalshi')
        .auth(other.user.token, bearer)
        .send({ access_key, private_key })
        .expect(200);
      const { body } = await own.order({ price: '0.0300', count: '2.00' });
      const { order_id } = body as { order_id: string };
      const answer = await request(stand.app.url).get(`/kalshi/orders/${order_id}`).auth(other.key, bearer);
      expect(answer.body).toMatchObject({ id: order_id, requested: null, time_in_force: null, post_only: null });
      expect(answer.body).not.toHaveProperty('replayed');
    });

    it.each(EXCHANGES)('%s: a create says in its body too whether it is a replay', async (exchange) => {
      const { app, sandbox } = stand;
      const order = await EXCHANGE[exchange].anOrder({ app, sandbox, key: trader.key });
      const first = await place(exchange, 'replay-1', order);
      expect([first.body, first.headers['idempotency-replayed']]).toMatchObject([{ replayed: false }, undefined]);
      const second = await place(exchange, 'replay-1', order);
      expect(second.body).toEqual({ ...(first.body as object), replayed: true });
      expect(second.headers['idempotency-replayed']).toBe('true');
    });

    it('one is found by its client order id: open, closed, by market and status', async () => {
      const client_order_id = 'wanted-1';
      const { id } = (await place('kalshi', undefined, { ...sale, client_order_id })).body as Order;
      const find = (query = ''): Promise<Record<string, unknown>[]> =>
        listed(`client_order_id=${client_order_id}${query}`);
      for (const query of ['', '&status=open', `&market_id=${sale.market_id}`])
        expect(await find(query)).toMatchObject([{ id, client_order_id, status: 'open', requested }]);
      for (const query of ['&status=closed', '&market_id=KXHIGHNY-TODAY-T58']) expect(await find(query)).toEqual([]);
      await request(stand.app.url).delete(`/kalshi/orders/${id}`).auth(trader.key, bearer).expect(200);
      for (const query of ['', '&status=closed'])
        expect(await find(query)).toMatchObject([{ id, status: 'cancelled' }]);
      expect(await find('&status=open')).toEqual([]);
      expect(await listed('client_order_id=nobodys')).toEqual([]);
    });

    it('one is not said to be none where a list could not be read', async () => {
      const path = '/kalshi/orders?client_order_id=nobodys';
      const call = (): request.Test => request(stand.app.url).get(path).auth(trader.key, bearer);
      for (const list of ['/portfolio/orders', '/historical/orders']) {
        stand.sandbox.faults.add({
          exchange: 'kalshi',
          method: 'GET',
          path: list,
          fault: 'status',
          status: 500,
          times: 2,
        });
        expect((await call()).status).toBe(502);
      }
      stand.sandbox.faults.clear();
      expect((await call()).status).toBe(200);
    });

    it('polymarket has no client order ids: 422; an empty or too long one is 400', async () => {
      const status = async (exchange: string, id: string): Promise<number> =>
        (await request(stand.app.url).get(`/${exchange}/orders?client_order_id=${id}`).auth(trader.key, bearer)).status;
      expect(await status('polymarket', 'x')).toBe(422);
      for (const id of ['', 'x'.repeat(201)]) expect(await status('kalshi', id)).toBe(400);
    });
  });

  it('R-10 is null where the database does not say within 2 s, and that fails no call', async () => {
    const { id } = (await place('kalshi')).body as Order;
    const other = new pg.Client({ connectionString: stand.app.database.url });
    await other.connect();
    try {
      await other.query('BEGIN');
      await other.query('LOCK TABLE placements IN ACCESS EXCLUSIVE MODE');
      const startedAt = performance.now();
      expect(await marketOf(trader.user.id, 'kalshi', id)).toBeNull();
      expect(performance.now() - startedAt).toBeLessThan(2_600);
    } finally {
      await other.end();
    }
    const cancelled = await request(stand.app.url).delete(`/kalshi/orders/${id}`).auth(trader.key, bearer);
    expect(cancelled.status).toBe(200);
  });

  it('is found by an index of its own among many orders', async () => {
    await stand.app.query(
      `INSERT INTO placements (id, user_id, exchange, kind, fingerprint, state, exchange_id, market_id, busy_until)
       SELECT 'plc_many_' || n, $1, 'kalshi', 'order', '', 'made', 'o-' || n, 'KX-' || n, now()
         FROM generate_series(1, 5000) AS n`,
      [trader.user.id],
    );
    await stand.app.query('ANALYZE placements');
    expect(await marketOf(trader.user.id, 'kalshi', 'o-77')).toBe('KX-77');
    const plan = await stand.app.query(`EXPLAIN ${LOOK_UP}`, [trader.user.id]);
    expect(JSON.stringify(plan)).toContain('placements_exchange_id');
  });
});
