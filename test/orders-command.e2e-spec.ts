import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request, { type Response } from 'supertest';
import { decodeTime } from 'ulid';
import { jsonOf, linesOf } from '../src/commands/orders/orders-lines.js';
import { subtract } from '../src/exchanges/decimal.js';
import { aBot, BOTS } from './support/bots.js';
import { codeOf, get, post } from './support/calls.js';
import { EXCHANGE, type ExchangeName } from './support/exchanges.js';
import { freePort } from './support/loopback.js';
import { OperatorStand } from './support/operator-command.js';
import { aTrader, type TestStand, type Trader } from './support/sandbox.js';
import { handSettling, orderHistory } from './support/order-history.js';

interface Step {
  readonly at: string;
  readonly source: string;
  readonly what: string;
  readonly details: Readonly<Record<string, unknown>>;
}

interface Order {
  readonly exchange: string;
  readonly user_id: string;
  readonly order_id: string | null;
  readonly client_order_id: string | null;
  readonly steps: readonly Step[];
}

interface Placed {
  readonly id: string;
  readonly client_order_id: string | null;
  readonly status: string;
  readonly size: string;
  readonly filled_size: string;
}

describe('contract.md 8.1 npm run orders, as an operator runs it', () => {
  let stand: TestStand;
  let trader: Trader;
  let operator: OperatorStand;

  beforeAll(async () => {
    operator = await OperatorStand.start('orders');
    ({ stand, trader } = operator);
  });

  afterAll(() => operator.close());

  const orders: OperatorStand['run'] = (words, changes) => operator.run(words, changes);

  /** The same in this process, which takes a tenth of the time. */
  async function show(id: string): Promise<Order[]> {
    return (JSON.parse(jsonOf(await orderHistory(stand.app).find(id))) as { orders: Order[] }).orders;
  }

  async function showAndAsk(id: string): Promise<Order | undefined> {
    const { code, text } = await orders(['show', id, '--ask', '--json']);
    expect(code).toBe(0);
    return (JSON.parse(text) as { orders: Order[] }).orders[0];
  }

  async function place(exchange: ExchangeName, body?: object): Promise<Response> {
    return request(stand.app.url)
      .post(`/${exchange}/orders`)
      .auth(trader.key, { type: 'bearer' })
      .set('Idempotency-Key', randomUUID())
      .send(body ?? (await EXCHANGE[exchange].anOrder({ ...stand, key: trader.key })));
  }

  const requestIdOf = (answer: Response): string => String(answer.headers['x-request-id']);

  it.each<ExchangeName>(['kalshi', 'polymarket'])(
    'shows the whole life of an order at %s by each of its ids, and what the exchange says with --ask alone',
    async (exchange) => {
      const placed = await place(exchange);
      expect(placed.status).toBe(200);
      const { id, client_order_id } = placed.body as Placed;
      const reads = stand.sandbox.log.list(exchange).length;
      const byId = await show(id);
      expect(byId).toHaveLength(1);
      expect(byId[0]).toMatchObject({ exchange, user_id: trader.user.id, order_id: id });
      const steps = byId[0]?.steps ?? [];
      expect(steps.map(({ what }) => what).sort()).toEqual(['first_sent', 'made', 'recorded']);
      expect([...steps].map(({ at }) => at)).toEqual(steps.map(({ at }) => at).sort());
      expect(await show(requestIdOf(placed))).toEqual(byId);
      // Polymarket has no client order ids.
      expect(await show(client_order_id ?? id)).toEqual(byId);
      expect(stand.sandbox.log.list(exchange)).toHaveLength(reads);

      const asked = await showAndAsk(id);
      expect(asked?.steps.slice(0, -1)).toEqual(steps);
      expect(asked?.steps.at(-1)).toMatchObject({ source: 'exchange', details: { order_id: id } });
      const calls = stand.sandbox.log.list(exchange).slice(reads);
      expect(calls.filter(({ method }) => method !== 'GET')).toEqual([]);
      expect(calls).not.toEqual([]);
    },
  );

  it('finds an order that was cancelled by the request that cancelled it', async () => {
    const { id, size } = (await place('kalshi')).body as Placed;
    const cancelled = await request(stand.app.url).delete(`/kalshi/orders/${id}`).auth(trader.key, { type: 'bearer' });
    const [order] = await show(requestIdOf(cancelled));
    expect(order?.order_id).toBe(id);
    const step = order?.steps.find(({ what }) => what === 'cancelled');
    expect(step?.details).toEqual({ order_id: id, cancelled_size: size });
  });

  it('says what of an order is proved filled, and what of it was cancelled with its end', async () => {
    const ends = { time_in_force: 'ioc', price: '0.99', size: '1000000' };
    const placed = await place('kalshi', {
      ...(await EXCHANGE.kalshi.anOrder({ ...stand, key: trader.key })),
      ...ends,
    });
    const { id, status, size, filled_size } = placed.body as Placed;
    expect(status).toBe('cancelled');
    const cancelled_size = subtract(size, filled_size);
    const [order] = await show(id);
    const step = order?.steps.find(({ what }) => what === 'closed');
    expect(step?.details).toEqual({ status, filled_size, cancelled_size });
  });

  it('finds an order of unknown fate, and the requests that worked on it, by the id of its request', async () => {
    stand.sandbox.faults.add({
      exchange: 'kalshi',
      method: 'POST',
      path: '/portfolio/events/orders',
      fault: 'reset_after',
      times: 1,
    });
    const unknown = await place('kalshi');
    expect(unknown.status).toBe(504);
    const order = await showAndAsk(requestIdOf(unknown));
    expect(order?.client_order_id).not.toBeNull();
    expect(order?.steps.map(({ what }) => what)).toContain('unknown');
    expect(order?.steps.at(-1)).toMatchObject({
      source: 'exchange',
      details: { client_order_id: order?.client_order_id },
    });
  });

  it('shows an order that was never sent once, and says with --ask that there is nothing to ask for', async () => {
    const requestId = `req_${'1'.repeat(26)}`;
    await stand.app.query(
      `INSERT INTO placements (id, user_id, exchange, kind, key, fingerprint, state, busy_until, created_at, request_ids)
       VALUES ('plc_1', $1, 'kalshi', 'order', 'never-sent', '\\x00', 'begun', now(), $3, ARRAY[$2])`,
      [trader.user.id, requestId, new Date(decodeTime('1'.repeat(26)))],
    );
    const orders = await show(requestId);
    expect(orders).toMatchObject([{ order_id: null, client_order_id: null }]);
    expect(orders[0]?.steps.map(({ what }) => what).sort()).toEqual(['begun', 'recorded']);
    const reads = stand.sandbox.log.list('kalshi').length;
    expect((await showAndAsk(requestId))?.steps.at(-1)).toMatchObject({ source: 'exchange', what: 'not_asked' });
    expect(stand.sandbox.log.list('kalshi')).toHaveLength(reads);
  });

  it('shows what is known with --ask too, where what its owner has stored does not open', async () => {
    const { id } = (await place('kalshi')).body as Placed;
    const other = await aTrader(stand);
    const swap = `UPDATE exchange_credentials AS own SET fields = other.fields FROM exchange_credentials AS other
      WHERE own.user_id = $1 AND other.user_id = $2 AND own.exchange = 'kalshi' AND other.exchange = 'kalshi'`;
    const [before] = await stand.app.query(
      `SELECT fields FROM exchange_credentials WHERE user_id = $1 AND exchange = 'kalshi'`,
      [trader.user.id],
    );
    await stand.app.query(swap, [trader.user.id, other.user.id]);
    const asked = await showAndAsk(id);
    await stand.app.query(`UPDATE exchange_credentials SET fields = $2 WHERE user_id = $1 AND exchange = 'kalshi'`, [
      trader.user.id,
      before?.fields,
    ]);
    expect(asked?.steps.map(({ what }) => what)).toContain('made');
    expect(asked?.steps.at(-1)).toMatchObject({ what: 'not_answered', details: { code: 'internal_error' } });
  });

  it('prints the ids of all requests, and nothing that a terminal obeys, whatever an exchange said', () => {
    const message = 'no \u001b[2J\u009b2J\u202e\n\u007f sell 😀';
    const request_ids = Array.from({ length: 20 }, (_, index) => `req_${String(index).padStart(26, '0')}`).join(' ');
    const steps = [{ at: new Date(0), source: 'record', what: 'refused', details: { message, request_ids } }] as const;
    const history = { userId: 'usr_1', exchange: 'kalshi', orderId: 'o', clientOrderId: null, steps };
    const lines = linesOf([history]);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain(`request_ids=${request_ids}`);
    const json = jsonOf([history]);
    expect(`${lines.join('')}${json}`).not.toMatch(/[^\t\n\x20-\x7e]/);
    expect((JSON.parse(json) as { orders: Order[] }).orders[0]?.steps[0]?.details).toEqual({ message, request_ids });
  });

  describe('settle', () => {
    const usageOf = async ({ id }: { readonly id: string }): Promise<object> => {
      const answer = await get(stand.app, `${BOTS}/${id}`, trader.user.token);
      return (answer.body as { usage: object }).usage;
    };
    const settle = (id: string, filled: string | null = null, isMeant = true): Promise<string[]> =>
      handSettling(stand.app).settle({ id, filled, isMeant });
    /** A purchase of 100 at 0.05 of a bot, of which nobody knows whether it exists, nor will. */
    const anUnknown = async (key: string): Promise<string> => {
      const [method, path] = EXCHANGE.kalshi.wire.order;
      stand.sandbox.faults.add({ exchange: 'kalshi', method, path, fault: 'reset_before', times: 1 });
      const order = { market_id: EXCHANGE.kalshi.market, outcome: 'yes', side: 'buy', price: '0.05', size: '100' };
      const sent = await post(stand.app, '/kalshi/orders', order, key);
      expect([sent.status, codeOf(sent)]).toEqual([504, 'order_outcome_unknown']);
      const client = (sent.body as { error: { details: { client_order_id: string } } }).error.details.client_order_id;
      // The service looks no more in the time of this test.
      await stand.app.query(
        `UPDATE placements SET refusal_holds_at = 'infinity', checked_at = now() + interval '1 hour' WHERE client_order_id = $1`,
        [client],
      );
      return client;
    };
    const aDayPasses = (client: string): Promise<unknown> =>
      stand.app.query(
        `UPDATE placements SET first_sent_at = now() - interval '25 hours', attempt_at = now() - interval '25 hours'
          WHERE client_order_id = $1`,
        [client],
      );
    const UNSETTLED = { open_orders: 1, unsettled_orders: 1, open_risk: { USD: '5' }, total_risk: { USD: '5' } };

    it('writes the end of an order of a bot a day later, once, and tells its owner', async () => {
      const bot = await aBot(stand.app, trader.user);
      const client = await anUnknown(bot.key);
      await expect(settle(client)).rejects.toThrow(/may be settled from 20/);
      await aDayPasses(client);
      const told = await orders(['settle', client, '--filled', '40']);
      expect([told.code, told.text]).toEqual([0, expect.stringContaining('of 100, 40 would count as filled')]);
      expect(told.text).toContain(' --filled 40 --yes');
      for (const filled of ['100.5', '1000']) await expect(settle(client, filled)).rejects.toThrow('more than 100');
      expect(await usageOf(bot)).toMatchObject(UNSETTLED);

      const ends = await Promise.allSettled(Array.from({ length: 5 }, () => settle(client, '40')));
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await usageOf(bot)).toMatchObject({
        ...{ open_orders: 0, unsettled_orders: 0, open_risk: {}, total_risk: { USD: '2' }, daily_risk: { USD: '2' } },
      });
      await expect(settle(client)).rejects.toThrow('Nothing is reserved');
      const activity = await get(stand.app, `/account/activity?bot_id=${bot.id}`, trader.user.token);
      const noted = (activity.body as { data: { type: string; details: object }[] }).data.filter(
        ({ type }) => type === 'order_settled',
      );
      expect(noted).toMatchObject([{ details: { client_order_id: client, filled_size: '40' } }]);
      const mails = await stand.app.query(`SELECT 1 FROM mail_outbox WHERE data::text LIKE '%order_settled%'`);
      expect(mails).toHaveLength(1);
    });

    it('takes off no failed trade from what the operator states', async () => {
      const bot = await aBot(stand.app, trader.user);
      const client = await anUnknown(bot.key);
      await stand.app.query(
        `SELECT prove_order(id, now() + interval '3 minutes', NULL, NULL, false, false,
                            '{"t1": {"size": "30", "status": "confirmed"}, "t2": {"size": "20", "status": "failed"}}')
           FROM placements WHERE client_order_id = $1`,
        [client],
      );
      await aDayPasses(client);
      await stand.app.query(
        `UPDATE reservations SET shown_at = NULL WHERE placement_id = (SELECT id FROM placements WHERE client_order_id = $1)`,
        [client],
      );
      await settle(client, '50');
      expect(await usageOf(bot)).toMatchObject({ open_orders: 0, open_risk: {}, total_risk: { USD: '2.5' } });
    });

    it('lets an order that shows all the same be reserved anew', async () => {
      const bot = await aBot(stand.app, trader.user);
      const client = await anUnknown(bot.key);
      await aDayPasses(client);
      expect((await orders(['settle', client, '--yes'])).text).toContain('settled\tfilled=0');
      expect(await usageOf(bot)).toMatchObject({ open_orders: 0, open_risk: {}, total_risk: {} });
      await stand.app.query(`UPDATE placements SET state = 'made', exchange_id = 'late' WHERE client_order_id = $1`, [
        client,
      ]);
      expect(await usageOf(bot)).toMatchObject({ open_orders: 1, open_risk: { USD: '5' } });
    });

    it('waits for a row that turns out to be the same order, and that row for it, in one order (R-8)', async () => {
      const bot = await aBot(stand.app, trader.user);
      const [first, second] = [await anUnknown(bot.key), await anUnknown(bot.key)];
      await aDayPasses(first);
      await stand.app.query(`UPDATE placements SET exchange_id = 'twice' WHERE client_order_id = ANY($1)`, [
        [first, second],
      ]);
      const { url } = stand.app.database;
      const [holder, finder] = [new pg.Client(url), new pg.Client(url)];
      for (const client of [holder, finder]) client.on('error', () => undefined);
      await Promise.all([holder.connect(), finder.connect()]);
      const waiting = async (count: number): Promise<void> => {
        // Their view is kept for the transaction.
        const waits = `SELECT pg_stat_clear_snapshot() FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        while ((await holder.query(waits)).rowCount !== count) await delay(20);
      };
      try {
        await holder.query('BEGIN');
        await holder.query('SELECT 1 FROM bot_sums WHERE bot_id = $1 FOR UPDATE', [bot.id]);
        const settled = settle(first, '40');
        await waiting(1);
        const found = finder.query(
          `UPDATE placements SET state = 'closed', status = 'cancelled', filled_size = '40' WHERE client_order_id = $1`,
          [second],
        );
        await waiting(2);
        await holder.query('COMMIT');
        const ends = await Promise.allSettled([settled, found]);
        expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
      } finally {
        await Promise.all([holder.end(), finder.end()]);
      }
    });

    it('touches no order of which the exchange has shown something within a day, nor one of nobody or of no bot', async () => {
      const bot = await aBot(stand.app, trader.user);
      const rests = await post(
        stand.app,
        '/kalshi/orders',
        await EXCHANGE.kalshi.anOrder({ ...stand, key: trader.key }),
        bot.key,
      );
      const { id } = rests.body as Placed;
      await expect(settle(id)).rejects.toThrow(/may be settled from 20/);
      await post(stand.app, `${BOTS}/${bot.id}/halt`, undefined, trader.user.token).expect(200);
      const other = (await place('kalshi')).body as Placed;
      for (const unknown of [other.id, 'nothing']) await expect(settle(unknown)).rejects.toThrow('Nothing is reserved');
    });
  });

  it('says so and ends with 1 where nothing is known, and explains itself to anything else', async () => {
    expect(await orders(['show', `req_${'0'.repeat(26)}`])).toEqual({
      code: 1,
      text: 'Nothing is known of this id.\n',
    });
    const away = { DATABASE_URL: `postgresql://user@127.0.0.1:${await freePort()}/x` };
    for (const words of [
      ['send', 'x'],
      ['show'],
      ['show', ''],
      ['show', 'x', '--yaml'],
      ['settle', 'x', '--filled', 'all'],
    ]) {
      const wrong = await orders(words, away);
      expect(wrong.code).toBe(1);
      expect(wrong.text).toMatch(/^Usage: npm run orders -- show ID/);
    }
  });
});
