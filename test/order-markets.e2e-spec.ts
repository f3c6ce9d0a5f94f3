import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request from 'supertest';
import { ActivityService } from '../src/activity/activity.service.js';
import { OrderJournal } from '../src/proxy/orders/order-journal.js';
import { EXCHANGE, EXCHANGES, type ExchangeName, otherThan } from './support/exchanges.js';
import { aTrader, startTestStand, type TestStand, type Trader } from './support/sandbox.js';

const bearer = { type: 'bearer' } as const;

/** The statement of `ActivityRepository.findOrderMarket`, with its values. */
const LOOK_UP = `SELECT details ->> 'market_id' AS market FROM security_events
  WHERE user_id = $1 AND exchange = 'kalshi' AND type = 'order_created' AND details ->> 'order_id' = 'o-77'
    AND details ->> 'market_id' IS NOT NULL`;

interface Order {
  readonly id: string;
  readonly market_id: string;
}

describe('the market of an order that was placed here (contract.md 9)', () => {
  let stand: TestStand;
  let trader: Trader;
  let journal: OrderJournal;

  beforeAll(async () => {
    stand = await startTestStand();
    trader = await aTrader(stand);
    journal = stand.app.get(OrderJournal);
  });

  afterAll(() => stand.close());

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
      expect(await journal.marketOf(user.id, exchange, id)).toBe(market_id);
      expect(await journal.marketOf(user.id, otherThan(exchange), id)).toBeNull();
      expect(await journal.marketOf('usr_of_somebody_else', exchange, id)).toBeNull();
      expect(await journal.marketOf(user.id, exchange, `${id}0`)).toBeNull();
    },
  );

  it.each(EXCHANGES)('%s: is known of an order whose answer was lost, once it was found', async (exchange) => {
    const { app, sandbox } = stand;
    const order = await EXCHANGE[exchange].anOrder({ app, sandbox, key: trader.key });
    const path = EXCHANGE[exchange].wire.order[1];
    sandbox.faults.add({ exchange, method: 'POST', path, fault: 'reset_after', times: 1 });
    expect((await place(exchange, 'memory-lost', order)).status).toBe(504);
    const { id, market_id } = (await place(exchange, 'memory-lost', order)).body as Order;
    expect(await journal.marketOf(trader.user.id, exchange, id)).toBe(market_id);
  });

  it('R-10 is null where the database does not say within 2 s, and that fails no call', async () => {
    const { id } = (await place('kalshi')).body as Order;
    const other = new pg.Client({ connectionString: stand.app.database.url });
    await other.connect();
    try {
      await other.query('BEGIN');
      await other.query('LOCK TABLE security_events IN ACCESS EXCLUSIVE MODE');
      const startedAt = performance.now();
      expect(await journal.marketOf(trader.user.id, 'kalshi', id)).toBeNull();
      expect(performance.now() - startedAt).toBeLessThan(2_600);
    } finally {
      await other.end();
    }
    const cancelled = await request(stand.app.url).delete(`/kalshi/orders/${id}`).auth(trader.key, bearer);
    expect(cancelled.status).toBe(200);
  });

  it('is found by an index of its own among many events', async () => {
    await stand.app.query(
      `INSERT INTO security_events (id, type, user_id, ip, user_agent, exchange, details)
       SELECT 'evt_many_' || n, 'order_created', $1, '', '', 'kalshi',
              jsonb_build_object('order_id', 'o-' || n, 'market_id', 'KX-' || n)
         FROM generate_series(1, 5000) AS n`,
      [trader.user.id],
    );
    await stand.app.query('ANALYZE security_events');
    expect(await journal.marketOf(trader.user.id, 'kalshi', 'o-77')).toBe('KX-77');
    const plan = await stand.app.query(`EXPLAIN ${LOOK_UP}`, [trader.user.id]);
    expect(JSON.stringify(plan)).toContain('security_events_order_idx');
  });

  it.each([
    ['order_created', 'client_order_id', 'security_events_client_order_idx'],
    ['order_cancelled', 'order_id', 'security_events_cancel_idx'],
    ['transfer_created', 'client_transfer_id', 'security_events_transfer_idx'],
  ])(
    'R-10 events of type %s are found by %s among many of their owner',
    async (type, named, index) => {
      await stand.app.query(
        `INSERT INTO security_events (id, type, user_id, ip, user_agent, exchange, details)
       SELECT 'evt_' || $2::text || n, CASE WHEN n = 77 THEN $2::text ELSE 'login' END, $1, '', '', 'kalshi',
              jsonb_build_object($3::text, $2::text || n)
         FROM generate_series(1, 5000) AS n`,
        [trader.user.id, type, named],
      );
      await stand.app.query('ANALYZE security_events');
      const activity = stand.app.get(ActivityService);
      const find = (): Promise<unknown[]> => {
        if (type === 'transfer_created') return activity.findTransferNotes(trader.user.id, 'kalshi', `${type}77`);
        if (type === 'order_cancelled') return activity.listOfOrder(trader.user.id, 'kalshi', [`${type}77`]);
        return activity.findOrderNotes(trader.user.id, 'kalshi', 'client_order_id', `${type}77`);
      };
      const scans = async (): Promise<number> => {
        const sql = `SELECT idx_scan::int FROM pg_stat_user_indexes WHERE indexrelname = $1`;
        return Number((await stand.app.query(sql, [index]))[0]?.idx_scan);
      };
      const before = await scans();
      // PostgreSQL tells its counts a second later.
      const deadline = Date.now() + 10_000;
      while ((await scans()) <= before && Date.now() < deadline) {
        expect(await find()).toHaveLength(1);
        await delay(250);
      }
      expect(await scans()).toBeGreaterThan(before);
    },
    30_000,
  );

  describe('DELETE /{exchange}/orders?market_id=', () => {
    const cancel = (exchange: ExchangeName, query: string): request.Test =>
      request(stand.app.url).delete(`/${exchange}/orders${query}`).auth(trader.key, bearer);

    it.each(
      EXCHANGES.flatMap((exchange) =>
        [
          '?market_id=',
          '?market_id=%20',
          '?market_id',
          '?market_id=KX-1&market_id=KX-2',
          '?market_id[]=KX-1',
          '?market_id[a]=KX-1',
          '?MARKET_ID=KX-1',
          '?market_id=*',
          '?market=KX',
          '?limit=1',
        ].map((query) => [exchange, query] as const),
      ),
    )('%s: %s is 400 and cancels nothing', async (exchange, query) => {
      const { id } = (await place(exchange)).body as Order;
      expect((await cancel(exchange, query)).status).toBe(400);
      const order = await request(stand.app.url).get(`/${exchange}/orders/${id}`).auth(trader.key, bearer);
      expect(order.body).toMatchObject({ id, status: 'open' });
    });

    it.each(EXCHANGES)('%s: a market in a body is 400 and cancels nothing; an empty body is none', async (exchange) => {
      const { id } = (await place(exchange)).body as Order;
      const refused = await cancel(exchange, '').send({ market_id: 'KX-1' });
      expect([refused.status, refused.body]).toMatchObject([
        400,
        { error: { code: 'bad_request', details: { fields: [{ field: 'market_id' }] } } },
      ]);
      const order = await request(stand.app.url).get(`/${exchange}/orders/${id}`).auth(trader.key, bearer);
      expect(order.body).toMatchObject({ id, status: 'open' });
      expect((await cancel(exchange, '').send({})).body).toMatchObject({ cancelled: expect.arrayContaining([id]) });
    });
  });
});
