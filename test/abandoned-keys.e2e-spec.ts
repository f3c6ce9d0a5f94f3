import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import request, { type Response } from 'supertest';
import { Ledger } from '../src/proxy/placing/ledger.repository.js';
import { EXCHANGE, EXCHANGES, type ExchangeName } from './support/exchanges.js';
import { OrderSettler } from '../src/proxy/orders/order-settler.js';
import { FaultStand } from './support/fault-stand.js';
import { json } from './support/gateway.js';
import { anApiKey, aUser } from './support/users.js';

const bearer = { type: 'bearer' } as const;
const UPSTREAM_TIMEOUT_MS = 2_000;
const NONE = { state: 'none', order: null };

describe('a key that is given up (contract.md 5)', () => {
  let stand: FaultStand;

  beforeAll(async () => {
    stand = await FaultStand.start(UPSTREAM_TIMEOUT_MS);
  });

  afterEach(() => {
    stand.heal();
  });

  afterAll(() => stand.close());

  const place = (exchange: ExchangeName, body: object, key: string): Promise<Response> =>
    stand.send('post', `/${exchange}/orders`, body, { 'Idempotency-Key': key });
  const at = (exchange: ExchangeName, key: string): string => `/${exchange}/orders/by-key/${encodeURIComponent(key)}`;
  const abandon = (exchange: ExchangeName, key: string): Promise<Response> => stand.send('delete', at(exchange, key));
  const codeOf = ({ body }: Response): string => (body as { error: { code: string } }).error.code;
  const sent = (exchange: ExchangeName): number =>
    stand.gatewayOf(exchange).count('POST', EXCHANGE[exchange].wire.order[1]);
  const openAt = async (exchange: ExchangeName): Promise<string[]> =>
    ((await stand.send('get', `/${exchange}/orders`)).body as { data: { id: string }[] }).data.map(({ id }) => id);
  const isRefused = async (exchange: ExchangeName, body: object, key: string): Promise<void> => {
    const before = sent(exchange);
    const answer = await place(exchange, body, key);
    expect([answer.status, codeOf(answer)]).toEqual([409, 'idempotency_key_abandoned']);
    expect(sent(exchange)).toBe(before);
  };

  describe.each(EXCHANGES)('%s', (exchange) => {
    const [, wire] = EXCHANGE[exchange].wire.order;

    it('before it was used sends nothing any more, whatever the body is', async () => {
      const key = `a/b?c${randomUUID()}`;
      expect((await abandon(exchange, key)).body).toEqual(NONE);
      await isRefused(exchange, await stand.anOrder(exchange), key);
      expect((await stand.send('get', at(exchange, key))).body).toMatchObject({ state: 'abandoned', order: null });
      expect((await abandon(exchange, key)).body).toEqual(NONE);
      const fresh = await place(exchange, await stand.anOrder(exchange), randomUUID());
      expect(fresh.status).toBe(200);
    });

    it('cancels the order that it made, again and again with the same answer', async () => {
      const [key, body] = [randomUUID(), await stand.anOrder(exchange)];
      const { id } = (await place(exchange, body, key)).body as { id: string };
      expect(await openAt(exchange)).toContain(id);
      for (let repeat = 0; repeat < 2; repeat += 1) {
        const answer = await abandon(exchange, key);
        expect(answer.body).toMatchObject({ state: 'cancelled', order: { id, status: 'cancelled' } });
      }
      expect(await openAt(exchange)).not.toContain(id);
      await isRefused(exchange, body, key);
      const told = await stand.send('get', at(exchange, key));
      expect(told.body).toMatchObject({ state: 'abandoned', order: { id } });
    });

    it('finds the order whose answer was lost, and cancels it', async () => {
      const [key, body] = [randomUUID(), await stand.anOrder(exchange)];
      stand.gatewayOf(exchange).answerInstead(wire, (response) => void response.destroy(), 'POST');
      expect(codeOf(await place(exchange, body, key))).toBe('order_outcome_unknown');
      stand.heal();
      const [before] = [await openAt(exchange)];
      const answer = await abandon(exchange, key);
      expect(answer.body).toMatchObject({ state: 'cancelled', order: { status: 'cancelled' } });
      const { id } = (answer.body as { order: { id: string } }).order;
      expect([before.includes(id), (await openAt(exchange)).includes(id)]).toEqual([true, false]);
    });

    it('is unknown with a time while what was sent may show yet, and none once it cannot', async () => {
      const [key, body] = [randomUUID(), await stand.anOrder(exchange)];
      stand.gatewayOf(exchange).misbehave(wire, (response) => void response.destroy(), 'POST');
      await place(exchange, body, key);
      stand.heal();
      const early = await abandon(exchange, key);
      const { error } = early.body as { error: { retryable: boolean; details: { refusal_holds_at: string } } };
      expect([early.status, codeOf(early), error.retryable]).toEqual([504, 'order_outcome_unknown', true]);
      expect(Date.parse(error.details.refusal_holds_at) - Date.now()).toBeGreaterThan(20_000);
      await isRefused(exchange, body, key);
      await stand.app.query(`UPDATE placements SET refusal_holds_at = now() - interval '1 second' WHERE key = $1`, [
        key,
      ]);
      expect((await abandon(exchange, key)).body).toEqual(NONE);
    });

    it('waits for the call that sends, and cancels what that made', async () => {
      const [key, body] = [randomUUID(), await stand.anOrder(exchange)];
      const gateway = stand.gatewayOf(exchange);
      const before = gateway.count('POST', wire);
      const held = gateway.hold('POST', wire);
      const sending = place(exchange, body, key);
      await gateway.hasCome('POST', wire, before + 1);
      const abandoned = abandon(exchange, key);
      await new Promise((resolve) => setTimeout(resolve, 400));
      held.release();
      const { id } = (await sending).body as { id: string };
      expect((await abandoned).body).toMatchObject({ state: 'cancelled', order: { id } });
      expect(await openAt(exchange)).not.toContain(id);
    });

    it('stays given up where the call that was about to send could not connect', async () => {
      await place(exchange, await stand.anOrder(exchange), randomUUID());
      const [key, body] = [randomUUID(), await stand.anOrder(exchange)];
      const ledger = stand.app.get(Ledger);
      const begin = ledger.startSending.bind(ledger);
      let abandoned: Promise<Response> | undefined;
      const begins = jest.spyOn(ledger, 'startSending').mockImplementation(async (...given) => {
        const begun = await begin(...given);
        abandoned = abandon(exchange, key);
        await delay(500);
        return begun;
      });
      const first = await stand.gatewayOf(exchange).refusing(() => place(exchange, body, key));
      begins.mockRestore();
      expect([first.status, (await abandoned)?.body]).toEqual([502, NONE]);
      await isRefused(exchange, body, key);
      expect((await stand.send('get', at(exchange, key))).body).toMatchObject({ state: 'abandoned', order: null });
    });

    it('looks for what was refused too: an exchange may have made it', async () => {
      const [key, body] = [randomUUID(), await stand.anOrder(exchange)];
      stand.gatewayOf(exchange).answerInstead(wire, json(400, EXCHANGE[exchange].refusal), 'POST');
      expect(codeOf(await place(exchange, body, key))).toBe('exchange_rejected');
      stand.heal();
      expect((await abandon(exchange, key)).body).toMatchObject({ state: 'cancelled' });
    });
  });

  it('an order that shows later is cancelled without anybody repeating the call', async () => {
    const [key, body] = [randomUUID(), await stand.anOrder('kalshi')];
    const [, wire] = EXCHANGE.kalshi.wire.order;
    const gateway = stand.gatewayOf('kalshi');
    gateway.answerInstead(wire, (response) => void response.destroy(), 'POST');
    gateway.misbehave('/portfolio/orders', json(200, { orders: [], cursor: '' }), 'GET');
    await place('kalshi', body, key);
    expect((await abandon('kalshi', key)).status).toBe(504);
    stand.heal();
    const [rested] = await openAt('kalshi');
    expect(rested).toBeDefined();
    await stand.app.query(
      `UPDATE placements SET busy_until = now() - interval '1 second', checked_at = NULL WHERE key = $1`,
      [key],
    );
    const end = Date.now() + 40_000;
    while ((await openAt('kalshi')).includes(rested ?? '') && Date.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await openAt('kalshi')).not.toContain(rested);
    expect((await abandon('kalshi', key)).body).toMatchObject({ state: 'cancelled', order: { id: rested } });
  });

  it('given up twice at once is none for neither while an order exists', async () => {
    const [key, body] = [randomUUID(), await stand.anOrder('kalshi')];
    const [, wire] = EXCHANGE.kalshi.wire.order;
    stand.gatewayOf('kalshi').answerInstead(wire, (response) => void response.destroy(), 'POST');
    await place('kalshi', body, key);
    stand.heal();
    await stand.app.query(`UPDATE placements SET refusal_holds_at = 'infinity' WHERE key = $1`, [key]);
    const all = await Promise.all([1, 2, 3].map(() => abandon('kalshi', key)));
    expect(all.filter(({ body: told }) => (told as { state?: string }).state === 'none')).toEqual([]);
    expect((await abandon('kalshi', key)).body).toMatchObject({ state: 'cancelled' });
  });

  it('finds what was denied under an id of the client, also where it expires', async () => {
    const id = randomUUID();
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const body = { ...(await stand.anOrder('kalshi')), client_order_id: id, time_in_force: 'gtd', expires_at };
    const key = randomUUID();
    const [, wire] = EXCHANGE.kalshi.wire.order;
    stand.gatewayOf('kalshi').answerInstead(wire, json(400, { error: { code: 'invalid_order' } }), 'POST');
    expect(codeOf(await place('kalshi', body, key))).toBe('exchange_rejected');
    stand.heal();
    const answer = await abandon('kalshi', key);
    expect(answer.body).toMatchObject({ state: 'cancelled', order: { client_order_id: id } });
  });

  it("does not cancel what was made without a key under the client's id, with other terms", async () => {
    const body = { ...(await stand.anOrder('kalshi')), client_order_id: randomUUID() };
    const { id } = (await stand.send('post', '/kalshi/orders', body)).body as { id: string };
    const key = randomUUID();
    const [, wire] = EXCHANGE.kalshi.wire.order;
    stand.gatewayOf('kalshi').misbehave(wire, (response) => void response.destroy(), 'POST');
    expect(codeOf(await place('kalshi', { ...body, size: '7' }, key))).toBe('order_outcome_unknown');
    stand.heal();
    expect((await abandon('kalshi', key)).body).toEqual(NONE);
    expect(await openAt('kalshi')).toContain(id);
  });

  it('says none only where nobody else has looked meanwhile', async () => {
    const [key, body] = [randomUUID(), await stand.anOrder('kalshi')];
    const [, wire] = EXCHANGE.kalshi.wire.order;
    stand.gatewayOf('kalshi').misbehave(wire, (response) => void response.destroy(), 'POST');
    await place('kalshi', body, key);
    stand.heal();
    await stand.app.query(`UPDATE placements SET refusal_holds_at = now() - interval '1 second' WHERE key = $1`, [key]);
    const lost = jest.spyOn(stand.app.get(Ledger), 'markUnknown').mockResolvedValueOnce(false);
    expect((await abandon('kalshi', key)).status).toBe(504);
    lost.mockRestore();
    await stand.app.query(`UPDATE placements SET busy_until = now() - interval '1 second' WHERE key = $1`, [key]);
    expect((await abandon('kalshi', key)).body).toEqual(NONE);
  });

  it('what its call had made before it could know is cancelled without anybody repeating the call', async () => {
    const [key, body] = [randomUUID(), await stand.anOrder('kalshi')];
    const { id } = (await place('kalshi', body, key)).body as { id: string };
    // As if the process that answered the DELETE had died just after it.
    await stand.app.query(`UPDATE placements SET abandoned_at = now() - interval '31 seconds' WHERE key = $1`, [key]);
    stand.gatewayOf('kalshi').misbehave('/portfolio/events/orders', json(503, {}), 'DELETE');
    const look = (): Promise<void> => stand.app.get(OrderSettler).run();
    await look();
    expect(await openAt('kalshi')).toContain(id);
    stand.heal();
    await stand.app.query(`UPDATE placements SET checked_at = now() - interval '61 seconds' WHERE key = $1`, [key]);
    await look();
    expect(await openAt('kalshi')).not.toContain(id);
    const [row] = await stand.app.query('SELECT state FROM placements WHERE key = $1', [key]);
    expect(row).toEqual({ state: 'closed' });
  });

  it('is free again 24 h after the last DELETE, and at the other exchange all the time', async () => {
    const [key, body] = [randomUUID(), await stand.anOrder('kalshi')];
    await abandon('kalshi', key);
    expect((await place('polymarket', await stand.anOrder('polymarket'), key)).status).toBe(200);
    await stand.app.query(`UPDATE placements SET attempt_at = now() - interval '23 hours 59 minutes' WHERE key = $1`, [
      key,
    ]);
    await isRefused('kalshi', body, key);
    await stand.app.query(`UPDATE placements SET attempt_at = now() - interval '24 hours 1 second' WHERE key = $1`, [
      key,
    ]);
    expect((await place('kalshi', body, key)).status).toBe(200);
  });

  it('at most 1,000 keys of a user are given up without an order', async () => {
    const user = await aUser(stand.app);
    const caller = await anApiKey(stand.app, user, ['trade']);
    await stand.app.query(
      `INSERT INTO placements (id, user_id, exchange, kind, key, fingerprint, state, abandoned_at, busy_until)
       SELECT 'plc_many' || n, $1, 'kalshi', 'order', n::text, '', 'abandoned', now(), now() FROM generate_series(1, 999) AS n`,
      [user.id],
    );
    const one = (key: string): Promise<Response> =>
      request(stand.app.url)
        .delete(at('kalshi', key))
        .auth(caller, bearer)
        .then((answer) => answer);
    const both = await Promise.all([one('x'), one('y')]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 429]);
    const refused = both.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ error: { code: 'rate_limited', details: { reason: 'abandoned_keys' } } });
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(60);
  });

  it('a session may give one up, a key that only reads may not', async () => {
    const key = randomUUID();
    await place('kalshi', await stand.anOrder('kalshi'), key);
    const own = await request(stand.app.url).delete(at('kalshi', key)).auth(stand.trader.user.token, bearer);
    expect([own.status, own.body]).toEqual([200, expect.objectContaining({ state: 'cancelled' })]);
    const reader = await anApiKey(stand.app, await aUser(stand.app), ['read']);
    const refused = await request(stand.app.url).delete(at('kalshi', key)).auth(reader, bearer);
    expect([refused.status, codeOf(refused)]).toEqual([403, 'forbidden']);
    const stranger = await anApiKey(stand.app, await aUser(stand.app), ['trade']);
    const foreign = await request(stand.app.url).delete(at('kalshi', key)).auth(stranger, bearer);
    expect(foreign.body).toEqual(NONE);
  });
});
