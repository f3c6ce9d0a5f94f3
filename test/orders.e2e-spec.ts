import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { exchangeAddresses } from '../sandbox/demo/environment.js';
import { startTestApp, type TestApp } from './support/app.js';
import { EXCHANGE, type ExchangeName, type ExchangeUnderTest, ORDER_WAYS } from './support/exchanges.js';
import { aTrader, startTestStand, type TestStand, type Trader } from './support/sandbox.js';
import { aSessionTrader } from './support/session-keys.js';

const bearer = { type: 'bearer' } as const;
const UPSTREAM_TIMEOUT_MS = 2_000;

interface Body {
  id: string;
  client_order_id: string | null;
  error: { code: string; retryable: boolean; details: Record<string, unknown> };
}

describe('orders that are safe to retry (contract.md 5, R-13, R-14)', () => {
  let stand: TestStand;
  let trader: Trader;
  let traders: Readonly<Record<'stored' | 'session', Trader>>;
  let anOrderOf: (exchange: ExchangeName) => ExchangeUnderTest['anOrder'] = (exchange) => EXCHANGE[exchange].anOrder;
  let keys = 0;
  const others: TestApp[] = [];

  beforeAll(async () => {
    stand = await startTestStand({ UPSTREAM_TIMEOUT: `${UPSTREAM_TIMEOUT_MS}ms` });
    trader = await aTrader(stand);
    traders = { stored: trader, session: await aSessionTrader(stand) };
  });

  afterAll(async () => {
    for (const other of others) await other.close();
    await stand.close();
  });

  beforeEach(async () => {
    await request(stand.sandbox.controlUrl).delete('/faults').expect(200);
  });

  /** On the same database, with nothing read of the exchanges yet. */
  const anotherInstance = async (): Promise<TestApp> => {
    const other = await startTestApp(exchangeAddresses(stand.sandbox.addresses), stand.app.database);
    others.push(other);
    return other;
  };

  const freshKey = (): string => `key-${(keys += 1)}`;
  const bodyOf = (answer: Response): Body => answer.body as Body;

  const anOrder = (exchange: ExchangeName, lots?: number): Promise<object> =>
    anOrderOf(exchange)({ ...stand, key: trader.key }, lots);

  const place = (exchange: ExchangeName, body: object, key?: string, url = stand.app.url): Promise<Response> => {
    const call = request(url).post(`/${exchange}/orders`).auth(trader.key, bearer);
    return (key === undefined ? call : call.set('Idempotency-Key', key)).send(body).then((answer) => answer);
  };

  const isCreate = ({ method, path }: { method: string; path: string }): boolean =>
    method === 'POST' && /(events\/orders|\/order)$/.test(path);
  const creates = (exchange: ExchangeName): number => stand.sandbox.log.list(exchange).filter(isCreate).length;

  const fault = (body: object): Promise<unknown> =>
    request(stand.sandbox.controlUrl).post('/faults').send(body).expect(201);

  /** The client order ids or salts of the creates since then: what makes them one order at the exchange. */
  const sentIds = (exchange: ExchangeName, since: number): unknown[] =>
    stand.sandbox.log
      .list(exchange)
      .filter(isCreate)
      .slice(since)
      .map(({ body }) => JSON.parse(body) as { client_order_id?: string; order?: { salt: number } })
      .map(({ client_order_id, order }) => client_order_id ?? order?.salt);

  const fail = (exchange: ExchangeName, fault: string, extra: object = {}): Promise<unknown> =>
    request(stand.sandbox.controlUrl)
      .post('/faults')
      .send({
        exchange,
        method: 'POST',
        path: EXCHANGE[exchange].wire.order[1],
        fault,
        times: 1,
        ...extra,
      })
      .expect(201);

  describe.each(ORDER_WAYS)('%s', (_, by, way) => {
    const { id: exchange, flags, fundsRefusals, lookUps, named, preparingPath, reference, resendIsSafe } = way;
    const [inDetails, inOrder] = reference;

    beforeAll(() => {
      trader = traders[by];
      anOrderOf = () => way.anOrder;
    });

    afterAll(() => {
      trader = traders.stored;
      anOrderOf = (of) => EXCHANGE[of].anOrder;
    });

    it('replays the first answer for the same key and order, and sends nothing', async () => {
      const [order, key] = [await anOrder(exchange), freshKey()];
      const before = creates(exchange);
      const first = await place(exchange, order, key);
      expect(first.status).toBe(200);
      expect(first.headers).not.toHaveProperty('idempotency-replayed');
      const second = await place(exchange, Object.fromEntries(Object.entries(order).reverse()), key);
      expect(second.status).toBe(200);
      expect(second.headers['idempotency-replayed']).toBe('true');
      expect(second.body).toEqual({ ...(first.body as object), replayed: true });
      expect(creates(exchange) - before).toBe(1);
    });

    it.each(flags)('contract.md 5 %s left out and false are the same request, true is not', async (flag, terms) => {
      const [order, key] = [{ ...(await anOrder(exchange)), ...terms }, freshKey()];
      const first = await place(exchange, order, key);
      expect(first.status).toBe(200);
      const again = await place(exchange, { ...order, [flag]: false }, key);
      expect([again.status, again.headers['idempotency-replayed'], bodyOf(again).id]).toEqual([
        200,
        'true',
        bodyOf(first).id,
      ]);
      const other = await place(exchange, { ...order, [flag]: true }, key);
      expect([other.status, bodyOf(other).error.code]).toEqual([422, 'idempotency_key_reused']);
    });

    it('refuses the same key for another order with 422 idempotency_key_reused', async () => {
      const key = freshKey();
      expect((await place(exchange, await anOrder(exchange), key)).status).toBe(200);
      const answer = await place(exchange, await anOrder(exchange, 2), key);
      expect(answer.status).toBe(422);
      expect(bodyOf(answer).error.code).toBe('idempotency_key_reused');
    });

    it('R-14 of 20 calls at once with one key the exchange sees one, and every answer names the same order', async () => {
      const [order, key] = [await anOrder(exchange), freshKey()];
      const before = creates(exchange);
      const answers = await Promise.all(Array.from({ length: 20 }, () => place(exchange, order, key)));
      expect(creates(exchange) - before).toBe(1);
      const made = answers.filter(({ status }) => status === 200);
      const waiting = answers.filter(({ status }) => status === 409);
      expect(made.length + waiting.length).toBe(20);
      expect(new Set(made.map((answer) => bodyOf(answer).id)).size).toBe(1);
      expect(
        waiting.every(
          (answer) =>
            bodyOf(answer).error.code === 'idempotency_in_progress' && answer.headers['retry-after'] !== undefined,
        ),
      ).toBe(true);
    });

    it.each(['reset_after', 'broken_body', 'delay'])(
      'R-13 %s: the outcome is unknown, and the repeat finds the order instead of sending it',
      async (fault) => {
        const [order, key] = [await anOrder(exchange), freshKey()];
        const before = creates(exchange);
        await fail(exchange, fault, fault === 'delay' ? { delay_ms: 2 * UPSTREAM_TIMEOUT_MS } : {});
        const first = await place(exchange, order, key);
        expect(first.status).toBe(504);
        const { error } = bodyOf(first);
        expect(error).toMatchObject({ code: 'order_outcome_unknown', retryable: true });
        expect(error.details[inDetails]).toEqual(expect.any(String));
        const second = await place(exchange, order, key);
        expect(second.status).toBe(200);
        expect(bodyOf(second)[inOrder]).toBe(error.details[inDetails]);
        expect(creates(exchange) - before).toBe(1);
        const third = await place(exchange, order, key);
        expect(third.headers['idempotency-replayed']).toBe('true');
        expect(bodyOf(third).id).toBe(bodyOf(second).id);
      },
    );

    it.each([400, 403, 404, 409, 500])(
      'R-13 a look-up that fails with %i says nothing of the order',
      async (status) => {
        const [order, key] = [await anOrder(exchange), freshKey()];
        const before = creates(exchange);
        await fail(exchange, 'reset_after');
        expect(bodyOf(await place(exchange, order, key)).error.code).toBe('order_outcome_unknown');
        for (const path of lookUps) await fault({ exchange, method: 'GET', path, fault: 'status', status, times: 4 });
        const second = await place(exchange, order, key);
        // A 404 of the look-up may be proof that the exchange does not have the order; all else proves nothing.
        expect([status, second.status === 504 || status === 404]).toEqual([status, true]);
        await request(stand.sandbox.controlUrl).delete('/faults').expect(200);
        const third = await place(exchange, order, key);
        expect(third.status).toBe(200);
        expect(new Set(sentIds(exchange, before)).size).toBe(1);
      },
    );

    it('R-13 a repeat that cannot even be prepared names the order all the same, and notes it once', async () => {
      const [order, key] = [await anOrder(exchange), freshKey()];
      await fail(exchange, 'reset_after');
      const { details } = bodyOf(await place(exchange, order, key)).error;
      const sameReference = { client_order_id: details.client_order_id, order_id: details.order_id };
      // An instance that knows neither the exchange's clock nor the market has to read them first.
      const other = await anotherInstance();
      await fault({ exchange, method: 'GET', path: preparingPath, fault: 'reset_before', times: 4 });
      for (let i = 0; i < 2; i++) {
        const answer = await place(exchange, order, key, other.url);
        expect([answer.status, bodyOf(answer).error]).toEqual([
          504,
          expect.objectContaining({ code: 'order_outcome_unknown', retryable: true, details: sameReference }),
        ]);
      }
      await request(stand.sandbox.controlUrl).delete('/faults').expect(200);
      expect((await place(exchange, order, key, other.url)).status).toBe(200);
      expect(await noted(String(details[inDetails]))).toEqual(['open', 'unknown']);
    });

    it('R-13 a hang: the exchange does not have it, so the repeat sends the same order under the same id', async () => {
      const [order, key] = [await anOrder(exchange), freshKey()];
      await fail(exchange, 'hang');
      const first = await place(exchange, order, key);
      expect(bodyOf(first).error.code).toBe('order_outcome_unknown');
      const second = await place(exchange, order, key);
      expect(second.status).toBe(200);
      const sent = stand.sandbox.log
        .list(exchange)
        .filter(isCreate)
        .slice(-2)
        .map(({ body }) => body);
      expect(new Set(sent).size).toBe(1);
    });

    it('R-13 a 500 after sending is unknown, never "failed"', async () => {
      await fail(exchange, 'status', { status: 500 });
      const answer = await place(exchange, await anOrder(exchange));
      expect(answer.status).toBe(504);
      expect(bodyOf(answer).error).toMatchObject({ code: 'order_outcome_unknown', retryable: resendIsSafe });
    });

    it('keeps a refusal that the exchange proved, and replays it', async () => {
      const [order, key] = [await anOrder(exchange), freshKey()];
      await fail(exchange, 'status', { status: 400, body: EXCHANGE[exchange].refusal });
      const first = await place(exchange, order, key);
      expect(first.status).toBe(422);
      const before = creates(exchange);
      const second = await place(exchange, order, key);
      expect(second.status).toBe(422);
      expect(second.headers['idempotency-replayed']).toBe('true');
      expect(bodyOf(second).error).toMatchObject({ code: 'exchange_rejected', details: bodyOf(first).error.details });
      expect(creates(exchange)).toBe(before);
    });

    it('contract.md 5.3 tells a lack of funds, but keeps it not: once there is money the same key makes the order', async () => {
      const [order, key] = [await anOrder(exchange), freshKey()];
      for (const [status, body] of fundsRefusals) {
        await fail(exchange, 'status', { status, body });
        const refused = await place(exchange, order, key);
        expect([refused.status, bodyOf(refused).error.details.reason]).toEqual([422, 'insufficient_funds']);
      }
      const made = await place(exchange, order, key);
      expect([made.status, made.headers['idempotency-replayed']]).toEqual([200, undefined]);
    });

    it('R-14 keeps no rate limit: after 429 the same key makes the order', async () => {
      const [order, key] = [await anOrder(exchange), freshKey()];
      await fail(exchange, 'status', { status: 429 });
      const first = await place(exchange, order, key);
      expect(first.status).toBe(429);
      expect(bodyOf(first).error.code).toBe('exchange_rate_limited');
      expect(first.headers['retry-after']).toEqual(expect.stringMatching(/^\d+$/));
      expect((await place(exchange, order, key)).status).toBe(200);
    });

    it('R-12 sends an order once in every failure mode', async () => {
      // Beside these the failed ones stop no further orders.
      const well = await Promise.all(Array.from({ length: 20 }, async () => place(exchange, await anOrder(exchange))));
      expect(new Set(well.map(({ status }) => status))).toEqual(new Set([200]));
      for (const fault of ['reset_before', 'reset_after', 'status', 'broken_body', 'redirect', 'oversized']) {
        await fail(exchange, fault, fault === 'status' ? { status: 503 } : {});
        const before = creates(exchange);
        const { status } = await place(exchange, await anOrder(exchange));
        expect([fault, creates(exchange) - before, status >= 500]).toEqual([fault, 1, true]);
      }
    });

    const noted = async (id: string): Promise<unknown[]> => {
      const activity = await request(stand.app.url).get('/account/activity').auth(trader.user.token, bearer);
      const { data } = activity.body as { data: { type: string; details: Record<string, unknown> }[] };
      const orders = data.filter(({ type }) => type === 'order_created');
      return orders.filter(({ details }) => Object.values(details).includes(id)).map(({ details }) => details.outcome);
    };

    it('S-41 notes an order once, however often it is repeated, by key or as a duplicate', async () => {
      const order = named?.(await anOrder(exchange), randomUUID()) ?? (await anOrder(exchange));
      const key = freshKey();
      const { id } = bodyOf(await place(exchange, order, key));
      const repeats = named === null ? [key, key] : [key, freshKey(), undefined];
      for (const again of repeats) expect((await place(exchange, order, again)).status).toBe(200);
      expect(await noted(id)).toEqual(['open']);
    });

    it('S-41 notes an unknown fate once, then once the order that is found', async () => {
      const [order, key] = [await anOrder(exchange), freshKey()];
      await fail(exchange, 'reset_after');
      const first = bodyOf(await place(exchange, order, key)).error.details;
      // The service may look it up by itself meanwhile.
      await fault({ exchange, method: 'GET', path: lookUps[0], fault: 'status', status: 500, times: 50 });
      expect((await place(exchange, order, key)).status).toBe(504);
      const id = String(first[inDetails]);
      expect(await noted(id)).toEqual(['unknown']);
      await request(stand.sandbox.controlUrl).delete('/faults').expect(200);
      for (let i = 0; i < 3; i++) expect((await place(exchange, order, key)).status).toBe(200);
      expect(await noted(id)).toEqual(['open', 'unknown']);
    });

    it('S-41 notes an order whose call was cut off before its note', async () => {
      const [order, key] = [await anOrder(exchange), freshKey()];
      await fail(exchange, 'reset_after');
      await place(exchange, order, key);
      await stand.app.query(`ALTER TABLE security_events DISABLE TRIGGER USER`);
      await stand.app.query(`DELETE FROM security_events WHERE details->>'outcome' = 'unknown'`);
      await stand.app.query(`ALTER TABLE security_events ENABLE TRIGGER USER`);
      const { id } = bodyOf(await place(exchange, order, key));
      expect(await noted(id)).toEqual(['open']);
    });

    it.each(['', 'with space', 'ü', 'x'.repeat(256), '.', '..'])('refuses the key %j with 400', async (key) => {
      const answer = await place(
        exchange,
        await anOrder(exchange),
        encodeURIComponent(key) === key ? key || ' ' : Buffer.from(key, 'utf8').toString('latin1'),
      );
      expect(answer.status).toBe(400);
    });
  });

  it('contract.md 5 a duplicate that does not show up stays unknown, and the next repeat looks it up again', async () => {
    const [order, key] = [await anOrder('polymarket'), freshKey()];
    await fail('polymarket', 'reset_after');
    const first = bodyOf(await place('polymarket', order, key)).error;
    await fault({ exchange: 'polymarket', method: 'GET', path: '/data/order', fault: 'status', status: 404, times: 2 });
    const second = await place('polymarket', order, key);
    expect(second.status).toBe(504);
    expect(bodyOf(second).error).toMatchObject({
      code: 'order_outcome_unknown',
      retryable: true,
      details: { order_id: first.details.order_id, exchange: { status: 400 } },
    });
    const sent = creates('polymarket');
    const third = await place('polymarket', order, key);
    expect([third.status, bodyOf(third).id]).toEqual([200, first.details.order_id]);
    expect(creates('polymarket')).toBe(sent);
  });

  it('R-14 another user’s same key is another key', async () => {
    const other = await aTrader(stand);
    const [order, key] = [await anOrder('kalshi'), freshKey()];
    const first = await place('kalshi', order, key);
    const second = await request(stand.app.url)
      .post('/kalshi/orders')
      .auth(other.key, bearer)
      .set('Idempotency-Key', key)
      .send(order);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(bodyOf(second).id).not.toBe(bodyOf(first).id);
  });

  it('R-14 a call that was cut off counts as unknown after UPSTREAM_TIMEOUT + 5 s; the repeat finds the order', async () => {
    const [order, key] = [await anOrder('kalshi'), freshKey()];
    const first = await place('kalshi', order, key);
    await stand.app.query(
      `UPDATE placements SET state = 'sending', answer = NULL, busy_until = clock_timestamp() + interval '5 seconds'
        WHERE key = $1`,
      [key],
    );
    const early = await place('kalshi', order, key);
    expect(bodyOf(early).error.code).toBe('idempotency_in_progress');
    await stand.app.query(`UPDATE placements SET busy_until = clock_timestamp() - interval '1 second' WHERE key = $1`, [
      key,
    ]);
    const before = creates('kalshi');
    const late = await place('kalshi', order, key);
    expect(late.status).toBe(200);
    expect(bodyOf(late).id).toBe(bodyOf(first).id);
    expect(creates('kalshi')).toBe(before);
  });

  it('R-22, R-26 frees a key 24 hours after its last attempt, not before, and none that is being sent', async () => {
    const { Retention } = await import('../src/platform/retention/retention.js');
    const [old, young, busy] = [freshKey(), freshKey(), freshKey()];
    for (const key of [old, young, busy]) await place('kalshi', await anOrder('kalshi'), key);
    const age = `UPDATE placements SET created_at = now() - interval '30 hours', attempt_at = now() - $2::interval
                  WHERE key = $1`;
    await stand.app.query(age, [old, '24 hours 1 second']);
    await stand.app.query(age, [young, '23 hours 59 minutes']);
    await stand.app.query(age, [busy, '25 hours']);
    await stand.app.query(
      `UPDATE placements SET state = 'sending', answer = NULL, busy_until = now() + interval '1 minute'
        WHERE key = $1`,
      [busy],
    );
    const keys = [old, young, busy];
    await stand.app.query(`UPDATE idempotency_keys SET created_at = now() - interval '30 hours' WHERE key = ANY($1)`, [
      keys,
    ]);
    await stand.app.get(Retention).run();
    const left = await stand.app.query(`SELECT key FROM idempotency_keys WHERE key = ANY($1) ORDER BY key`, [keys]);
    expect(left).toEqual([young, busy].sort().map((key) => ({ key })));
    const row = 'SELECT state, answer, exchange_id IS NOT NULL AS "hasId" FROM placements WHERE key = $1';
    expect(await stand.app.query(row, [old])).toEqual([{ state: 'made', answer: null, hasId: true }]);
    expect(bodyOf(await place('kalshi', await anOrder('kalshi'), busy)).error.code).toBe('idempotency_in_progress');
  });

  it('R-22 removes what is over from the ledger: refused after 30 days, the rest 90 days after its last change', async () => {
    const { Retention } = await import('../src/platform/retention/retention.js');
    const days = [29, 31, 89, 91];
    const rows = ['refused', 'made'].flatMap((state) => days.map((age) => [freshKey(), state, age] as const));
    for (const [key, state, age] of rows) {
      await place('kalshi', await anOrder('kalshi'), key);
      await stand.app.query(
        `UPDATE placements SET state = $2, unbound_at = now(), created_at = now() - $3 * interval '1 day',
                updated_at = now() - $3 * interval '1 day' WHERE key = $1`,
        [key, state, age],
      );
    }
    const [recent = ['']] = rows.slice(-1);
    await stand.app.query('UPDATE placements SET updated_at = now() WHERE key = $1', [recent[0]]);
    await stand.app.get(Retention).run();
    const kept = await stand.app.query('SELECT key FROM placements WHERE key = ANY($1)', [rows.map(([key]) => key)]);
    const expected = rows.filter(
      ([key, state, age]) => key === recent[0] || (age < 90 && !(state === 'refused' && age > 30)),
    );
    expect(kept.map(({ key }) => key).sort()).toEqual(expected.map(([key]) => key).sort());
  });

  it('R-14 holds over two instances', async () => {
    const second = await anotherInstance();
    const [order, key] = [await anOrder('kalshi'), freshKey()];
    const before = creates('kalshi');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        place('kalshi', order, key, index % 2 === 0 ? stand.app.url : second.url),
      ),
    );
    expect(creates('kalshi') - before).toBe(1);
    expect(new Set(answers.filter(({ status }) => status === 200).map((answer) => bodyOf(answer).id)).size).toBe(1);
  });
});
