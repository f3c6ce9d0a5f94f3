import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { TestApp } from './support/app.js';
import { EXCHANGE, type ExchangeName, type ExchangeUnderTest, ORDER_WAYS } from './support/exchanges.js';
import { FaultStand } from './support/fault-stand.js';
import { json, type Misbehaviour } from './support/gateway.js';
import { aTrader, storeCredentials, type Trader } from './support/sandbox.js';
import { aSessionTrader } from './support/session-keys.js';

const bearer = { type: 'bearer' } as const;
const UPSTREAM_TIMEOUT_MS = 1_500;

interface Body {
  id: string;
  client_order_id: string | null;
  error: { code: string; retryable: boolean; details: Record<string, unknown> };
}

const bodyOf = (answer: Response): Body => answer.body as Body;

const EMPTY: Readonly<Record<string, Misbehaviour>> = {
  '/portfolio/orders': json(200, { orders: [], cursor: '' }),
  '/historical/orders': json(200, { orders: [], cursor: '' }),
  '/data/order': json(404, { error: 'Order not found' }),
  '/data/trades': json(200, { data: [], next_cursor: 'LTE=', limit: 100, count: 0 }),
};
const codeOf = (body: object): string | null => {
  const { error } = body as { error: { code: string } | string };
  return typeof error === 'string' ? null : error.code;
};

describe('orders that may exist (R-13, R-25, R-26)', () => {
  let stand: FaultStand;
  let sandbox: Sandbox;
  let app: TestApp;
  let trader: Trader;
  let traders: Readonly<Record<'stored' | 'session', Trader>>;
  let keys = 0;

  beforeAll(async () => {
    stand = await FaultStand.start(UPSTREAM_TIMEOUT_MS);
    ({ sandbox, app, trader } = stand);
    traders = { stored: trader, session: await aSessionTrader({ app, sandbox }) };
  });

  afterAll(() => stand.close());

  beforeEach(() => {
    stand.heal();
  });

  const freshKey = (): string => `doubt-${(keys += 1)}`;

  let anOrderOf: (exchange: ExchangeName) => ExchangeUnderTest['anOrder'] = (exchange) => EXCHANGE[exchange].anOrder;

  const anOrder = (exchange: ExchangeName): Promise<object> => anOrderOf(exchange)({ app, sandbox, key: trader.key });

  const place = (exchange: ExchangeName, body: object, key?: string): Promise<Response> => {
    const call = request(app.url).post(`/${exchange}/orders`).auth(trader.key, bearer);
    return (key === undefined ? call : call.set('Idempotency-Key', key)).send(body).then((answer) => answer);
  };

  /** The first try arrives, its answer is lost. */
  const loseAnswer = async (exchange: ExchangeName, order: object, key: string): Promise<Body['error']> => {
    await request(sandbox.controlUrl)
      .post('/faults')
      .send({ exchange, method: 'POST', path: EXCHANGE[exchange].wire.order[1], fault: 'reset_after', times: 1 })
      .expect(201);
    const answer = await place(exchange, order, key);
    expect([answer.status, bodyOf(answer).error.code]).toEqual([504, 'order_outcome_unknown']);
    return bodyOf(answer).error;
  };

  const hideOrders = (exchange: ExchangeName): void => {
    for (const path of EXCHANGE[exchange].lookUps)
      stand.gatewayOf(exchange).misbehave(path, EMPTY[path] ?? json(500, {}), 'GET');
  };
  const refuse = (exchange: ExchangeName, status: number, body: object): void => {
    stand.gatewayOf(exchange).misbehave(EXCHANGE[exchange].wire.order[1], json(status, body), 'POST');
  };
  const creates = (exchange: ExchangeName): number =>
    stand.gatewayOf(exchange).count('POST', EXCHANGE[exchange].wire.order[1]);
  const setBack = (key: string, change: string): Promise<unknown> =>
    app.query(`UPDATE placements SET ${change} WHERE key = $1`, [key]);

  describe.each(ORDER_WAYS)('%s', (_, by, way) => {
    const { id: exchange, lookUps, named, reference, refusal, refusals, resendIsSafe, wire } = way;
    const [inDetails, inOrder] = reference;

    beforeAll(() => {
      trader = traders[by];
      anOrderOf = () => way.anOrder;
    });

    afterAll(() => {
      trader = traders.stored;
      anOrderOf = (of) => EXCHANGE[of].anOrder;
    });

    it.each(refusals)(
      'R-13 %s, told for a resend while the lists lag, is no fate: the order is found once it shows',
      async (_, status, body) => {
        const [order, key] = [await anOrder(exchange), freshKey()];
        const { details } = await loseAnswer(exchange, order, key);
        hideOrders(exchange);
        refuse(exchange, status, body);
        for (let i = 0; i < 2; i++) {
          const answer = await place(exchange, order, key);
          expect([answer.status, bodyOf(answer).error]).toEqual([
            504,
            expect.objectContaining({
              code: 'order_outcome_unknown',
              retryable: true,
              details: { [inDetails]: details[inDetails], exchange: { id: exchange, status, code: codeOf(body) } },
            }),
          ]);
        }
        stand.gatewayOf(exchange).heal();
        const before = creates(exchange);
        const found = await place(exchange, order, key);
        expect(found.status).toBe(200);
        expect(bodyOf(found)[inOrder]).toBe(details[inDetails]);
        expect(creates(exchange)).toBe(before);
      },
    );

    it('R-13 the order that a refusal was about may show right behind it: then it is the answer', async () => {
      const [order, key] = [await anOrder(exchange), freshKey()];
      await loseAnswer(exchange, order, key);
      hideOrders(exchange);
      const [, status, body] = refusals[0] ?? ['', 400, {}];
      stand.gatewayOf(exchange).misbehave(wire.order[1], (response) => {
        stand.gatewayOf(exchange).heal();
        json(status, body)(response);
      });
      expect((await place(exchange, order, key)).status).toBe(200);
    });

    it('R-13 a refusal is final where the look-ups have stayed empty long enough after the first sending', async () => {
      const [order, key] = [await anOrder(exchange), freshKey()];
      await loseAnswer(exchange, order, key);
      hideOrders(exchange);
      refuse(exchange, 400, refusal);
      const rows = await app.query(
        `SELECT extract(epoch FROM refusal_holds_at - first_sent_at)::float8 AS seconds FROM placements
          WHERE key = $1`,
        [key],
      );
      expect(rows[0]?.seconds).toBeCloseTo(30 + UPSTREAM_TIMEOUT_MS / 1_000, 0);
      await setBack(key, `refusal_holds_at = now() + interval '3 seconds'`);
      expect((await place(exchange, order, key)).status).toBe(504);
      await delay(3_000);
      const refused = await place(exchange, order, key);
      expect([refused.status, bodyOf(refused).error.code]).toEqual([422, 'exchange_rejected']);
      const replayed = await place(exchange, order, key);
      expect([replayed.status, replayed.headers['idempotency-replayed']]).toEqual([422, 'true']);
      // It was true by all that was shown; once the order shows after all, that is the answer.
      stand.gatewayOf(exchange).heal();
      expect((await place(exchange, order, key)).status).toBe(200);
    });

    it('R-13 the key stays the same order after a resend that made none: nothing is ever sent under two ids', async () => {
      const [order, key] = [await anOrder(exchange), freshKey()];
      const { details } = await loseAnswer(exchange, order, key);
      await setBack(key, `refusal_holds_at = now() - interval '1 second'`);
      hideOrders(exchange);
      for (const [, status, body] of refusals.filter(([name]) => /funds|limit|pause/.test(name))) {
        refuse(exchange, status, body);
        const told = await place(exchange, order, key);
        expect([504, 422]).toContain(told.status);
        stand.gatewayOf(exchange).heal();
        hideOrders(exchange);
      }
      stand.gatewayOf(exchange).heal();
      const found = await place(exchange, order, key);
      expect([found.status, bodyOf(found)[inOrder]]).toEqual([200, details[inDetails]]);
    });

    it('R-13 what the exchange once called a duplicate exists, whatever it refuses later', async () => {
      const [order, key] = [await anOrder(exchange), freshKey()];
      await loseAnswer(exchange, order, key);
      hideOrders(exchange);
      expect((await place(exchange, order, key)).status).toBe(504);
      const rows = await app.query(`SELECT refusal_holds_at = 'infinity' AS exists FROM placements WHERE key = $1`, [
        key,
      ]);
      expect(rows).toEqual([{ exists: true }]);
      refuse(exchange, 400, refusal);
      for (let i = 0; i < 2; i++) expect((await place(exchange, order, key)).status).toBe(504);
    });

    it('R-13 a gateway’s 404 is no empty look-up', async () => {
      const [order, key] = [await anOrder(exchange), freshKey()];
      await loseAnswer(exchange, order, key);
      await setBack(key, `refusal_holds_at = now() - interval '1 second'`);
      const html: Misbehaviour = (response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<html>');
      for (const path of lookUps) stand.gatewayOf(exchange).misbehave(path, html, 'GET');
      refuse(exchange, 400, refusal);
      const before = creates(exchange);
      expect((await place(exchange, order, key)).status).toBe(504);
      expect(creates(exchange)).toBe(before);
    });

    it('R-13 a resend of unknown fate puts the time off again', async () => {
      const [order, key] = [await anOrder(exchange), freshKey()];
      await loseAnswer(exchange, order, key);
      await setBack(key, `refusal_holds_at = now() - interval '1 second'`);
      hideOrders(exchange);
      refuse(exchange, 500, {});
      expect((await place(exchange, order, key)).status).toBe(504);
      stand.gatewayOf(exchange).heal();
      hideOrders(exchange);
      refuse(exchange, 400, { error: 'no' });
      expect((await place(exchange, order, key)).status).toBe(504);
    });

    if (named === null) return;
    it('R-13 a duplicate that does not show is unknown without a key too, and never told as refused', async () => {
      const order = named(await anOrder(exchange), crypto.randomUUID());
      expect((await place(exchange, order)).status).toBe(200);
      hideOrders(exchange);
      const answer = await place(exchange, order);
      expect([answer.status, bodyOf(answer).error]).toEqual([
        504,
        expect.objectContaining({ code: 'order_outcome_unknown', retryable: resendIsSafe }),
      ]);
    });
  });

  it('R-25 a look-up without end comes to one: repeats are told 504, not 409 for ever', async () => {
    const [order, key] = [await anOrder('kalshi'), freshKey()];
    await loseAnswer('kalshi', order, key);
    let pages = 0;
    stand.gateways.kalshi.misbehave('/portfolio/orders', (response) => {
      setTimeout(() => {
        json(200, { orders: [], cursor: `page-${(pages += 1)}` })(response);
      }, 200);
    });
    const startedAt = performance.now();
    const [first, beside] = await Promise.all([
      place('kalshi', order, key),
      delay(700).then(() => place('kalshi', order, key)),
    ]);
    expect(bodyOf(first).error.code).toBe('order_outcome_unknown');
    expect(bodyOf(beside).error.code).toBe('idempotency_in_progress');
    expect(performance.now() - startedAt).toBeLessThan(3 * UPSTREAM_TIMEOUT_MS);
    stand.gateways.kalshi.heal();
    expect((await place('kalshi', order, key)).status).toBe(200);
  });

  it('R-25 a look-up renews its claim between pages, and stops where another call has taken over', async () => {
    const [order, key] = [await anOrder('kalshi'), freshKey()];
    await loseAnswer('kalshi', order, key);
    const busyUntil = async (): Promise<number> => {
      const rows = await app.query(`SELECT busy_until FROM placements WHERE key = $1`, [key]);
      return (rows[0]?.busy_until as Date).getTime();
    };
    let pages = 0;
    const before = creates('kalshi');
    stand.gateways.kalshi.misbehave('/portfolio/orders', (response) => {
      setTimeout(() => {
        json(200, { orders: [], cursor: `page-${(pages += 1)}` })(response);
      }, 100);
    });
    const running = place('kalshi', order, key);
    while (pages < 2) await delay(5);
    const early = await busyUntil();
    while (pages < 5) await delay(5);
    expect(await busyUntil()).toBeGreaterThan(early);
    await setBack(key, `attempt = attempt + 1`);
    const seen = pages;
    expect(bodyOf(await running).error.code).toBe('idempotency_in_progress');
    expect(pages - seen).toBeLessThanOrEqual(2);
    expect(creates('kalshi')).toBe(before);
  });

  it('R-16, R-25 a look-up ends with its client', async () => {
    const [order, key] = [await anOrder('kalshi'), freshKey()];
    await loseAnswer('kalshi', order, key);
    stand.gateways.kalshi.misbehave('/portfolio/orders', () => undefined);
    const arrived = stand.gateways.kalshi.count('GET', '/portfolio/orders');
    const call = fetch(`${app.url}/kalshi/orders`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${trader.key}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(order),
      signal: AbortSignal.timeout(500),
    }).catch(() => 'gone');
    await stand.gateways.kalshi.hasCome('GET', '/portfolio/orders', arrived + 1);
    expect(await call).toBe('gone');
    await delay(200);
    stand.gateways.kalshi.heal();
    expect((await place('kalshi', order, key)).status).toBe(200);
  });

  it('R-13 our own order that was amended meanwhile is found as it is, not sent again or refused', async () => {
    const [order, key] = [await anOrder('kalshi'), freshKey()];
    const { details } = await loseAnswer('kalshi', order, key);
    const lists = await request(app.url).get('/kalshi/orders?limit=100').auth(trader.key, bearer);
    const { data } = lists.body as { data: { id: string; client_order_id: string }[] };
    const own = data.find(({ client_order_id }) => client_order_id === details.client_order_id);
    const sample = JSON.parse(readFileSync('test/vectors/kalshi/kalshi-order.json', 'utf8')) as { order: object };
    const amended = {
      ...sample.order,
      order_id: own?.id,
      client_order_id: details.client_order_id,
      ticker: (order as { market_id: string }).market_id,
      outcome_side: 'yes',
      yes_price_dollars: '0.0400',
      no_price_dollars: '0.9600',
      initial_count_fp: '2.00',
      fill_count_fp: '0.00',
      remaining_count_fp: '2.00',
    };
    stand.gateways.kalshi.misbehave('/portfolio/orders', json(200, { orders: [amended], cursor: '' }), 'GET');
    const before = creates('kalshi');
    const found = await place('kalshi', order, key);
    expect([found.status, bodyOf(found).id, creates('kalshi')]).toEqual([200, own?.id, before]);
    expect(found.body).toMatchObject({ outcome: { index: 0 }, side: 'buy', price: '0.04', size: '2' });
  });

  it('R-13 another order under the id that the client named is told as such, and nothing is sent', async () => {
    const id = crypto.randomUUID();
    const [order, key] = [{ ...(await anOrder('kalshi')), client_order_id: id }, freshKey()];
    await loseAnswer('kalshi', order, key);
    const sample = JSON.parse(readFileSync('test/vectors/kalshi/kalshi-order.json', 'utf8')) as { order: object };
    const other = { ...sample.order, client_order_id: id };
    stand.gateways.kalshi.misbehave('/portfolio/orders', json(200, { orders: [other], cursor: '' }), 'GET');
    const before = creates('kalshi');
    const refused = await place('kalshi', order, key);
    expect([refused.status, bodyOf(refused).error.details.reason, creates('kalshi')]).toEqual([
      422,
      'duplicate_order',
      before,
    ]);
  });

  it('R-13 one foreign order that cannot be read stands in the way of no look-up', async () => {
    const [order, key] = [await anOrder('kalshi'), freshKey()];
    await loseAnswer('kalshi', order, key);
    stand.gateways.kalshi.misbehave(
      '/portfolio/orders',
      json(200, { orders: [{ order_id: 'x', status: 'new-status' }], cursor: '' }),
      'GET',
    );
    expect((await place('kalshi', order, key)).status).toBe(504);
    stand.gateways.kalshi.heal();
    expect((await place('kalshi', order, key)).status).toBe(200);
  });

  it('S-41 an order that shows only as a duplicate of its own resend is noted once', async () => {
    const [order, key] = [await anOrder('kalshi'), freshKey()];
    const made = bodyOf(await place('kalshi', order, key));
    await app.query(`ALTER TABLE security_events DISABLE TRIGGER USER`);
    await app.query(`DELETE FROM security_events WHERE details->>'order_id' = $1`, [made.id]);
    await app.query(`ALTER TABLE security_events ENABLE TRIGGER USER`);
    await setBack(key, `state = 'unknown', answer = NULL, noted = 0`);
    let lists = 0;
    stand.gateways.kalshi.misbehave(
      '/portfolio/orders',
      (response) => {
        if ((lists += 1) === 1) stand.gateways.kalshi.heal();
        json(200, { orders: [], cursor: '' })(response);
      },
      'GET',
    );
    expect((await place('kalshi', order, key)).status).toBe(200);
    const noted = await app.query(`SELECT 1 FROM security_events WHERE details->>'order_id' = $1`, [made.id]);
    expect(noted).toHaveLength(1);
  });

  it('R-26 credentials of another account make no second order: unknown, and why; the first ones find it', async () => {
    const [order, key] = [await anOrder('kalshi'), freshKey()];
    const { details } = await loseAnswer('kalshi', order, key);
    const { private_key, access_key } = sandbox.addresses.kalshi;
    await storeCredentials(app, trader.user, 'kalshi', { access_key: crypto.randomUUID(), private_key });
    const arrived = stand.gateways.kalshi.arrived.length;
    await setBack(key, `attempt_at = now() - interval '2 minutes'`);
    const answer = await place('kalshi', order, key);
    expect([answer.status, bodyOf(answer).error]).toEqual([
      504,
      expect.objectContaining({
        code: 'order_outcome_unknown',
        retryable: true,
        details: { reason: 'credentials_changed', client_order_id: details.client_order_id },
      }),
    ]);
    expect(stand.gateways.kalshi.arrived.length).toBe(arrived);
    const ages = await app.query(
      `SELECT attempt_at < now() - interval '1 minute' AS old FROM placements WHERE key = $1`,
      [key],
    );
    expect(ages).toEqual([{ old: true }]);
    await storeCredentials(app, trader.user, 'kalshi', { access_key, private_key });
    const found = await place('kalshi', order, key);
    expect([found.status, bodyOf(found).client_order_id]).toEqual([200, details.client_order_id]);
  });

  it('R-26 the same key after 24 h is another order, and before that it is not', async () => {
    const [order, key] = [await anOrder('kalshi'), freshKey()];
    const first = bodyOf(await place('kalshi', order, key));
    await setBack(key, `attempt_at = now() - interval '23 hours 59 minutes', created_at = now() - interval '40 hours'`);
    const replayed = await place('kalshi', order, key);
    expect([replayed.headers['idempotency-replayed'], bodyOf(replayed).id]).toEqual(['true', first.id]);
    await setBack(key, `attempt_at = now() - interval '24 hours 1 second'`);
    const second = await place('kalshi', order, key);
    expect([second.status, second.headers['idempotency-replayed']]).toEqual([200, undefined]);
    expect(bodyOf(second).id).not.toBe(first.id);
    expect(bodyOf(second).client_order_id).not.toBe(first.client_order_id);
  });

  it('R-26 two users with one key, and two records of one key, have different client order ids', async () => {
    const [order, key] = [await anOrder('kalshi'), freshKey()];
    const other = await aTrader({ app, sandbox, close: () => Promise.resolve() });
    const mine = bodyOf(await place('kalshi', order, key));
    const theirs = await request(app.url)
      .post('/kalshi/orders')
      .auth(other.key, bearer)
      .set('Idempotency-Key', key)
      .send(order);
    expect(bodyOf(theirs).client_order_id).not.toBe(mine.client_order_id);
  });
});
