import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { aBot } from './support/bots.js';
import { codeOf, get, post, remove } from './support/calls.js';
import { EXCHANGE } from './support/exchanges.js';
import { aTrader, startTestStand, type TestStand, type Trader } from './support/sandbox.js';

interface Row {
  readonly id: string;
  readonly [member: string]: unknown;
}

interface Page {
  readonly data: Row[];
  readonly next_cursor: string | null;
}

describe('GET /account/orders (contract.md 4)', () => {
  let stand: TestStand;
  let trader: Trader;
  let made: Response;

  const place = (exchange: string, body: object, key?: string): Promise<Response> => {
    const call = request(stand.app.url).post(`/${exchange}/orders`).auth(trader.key, { type: 'bearer' });
    return (key === undefined ? call : call.set('Idempotency-Key', key)).send(body).then((answer) => answer);
  };
  const pageOf = async (query = '', token = trader.user.token): Promise<Page> =>
    (await get(stand.app, `/account/orders${query}`, token)).body as Page;

  const { kalshi } = EXCHANGE;

  beforeAll(async () => {
    stand = await startTestStand();
    trader = await aTrader(stand);
    const order = await kalshi.anOrder({ ...stand, key: trader.key });
    made = await place('kalshi', order, 'kept');
    await place('kalshi', { ...order, price: '0.023' });
    const [, path] = kalshi.wire.order;
    stand.sandbox.faults.add({ exchange: 'kalshi', method: 'POST', path, fault: 'status', status: 502, times: 1 });
    await place('kalshi', order);
    const polymarket = EXCHANGE.polymarket;
    await place('polymarket', await polymarket.anOrder({ ...stand, key: trader.key }));
    await place('kalshi', { ...order, price: '0.99', size: '9000000' }, 'dear');
  });

  afterAll(() => stand.close());

  it('shows what was made, refused and of unknown fate, newest first, with a key and without', async () => {
    const { data, next_cursor: next } = await pageOf();
    expect(next).toBeNull();
    expect(data.map(({ exchange, state, kind }) => [exchange, state, kind])).toEqual([
      ['kalshi', 'refused', 'order'],
      ['polymarket', 'made', 'order'],
      ['kalshi', 'unknown', 'order'],
      ['kalshi', 'refused', 'order'],
      ['kalshi', 'made', 'order'],
    ]);
    expect(data[0]).toMatchObject({ reason: 'insufficient_funds', words: expect.any(String) });
    expect(data[3]).toMatchObject({ reason: expect.any(String), words: expect.any(String) });
    const { id, client_order_id: clientOrderId } = made.body as Record<string, string>;
    const time = expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/);
    expect(data[4]).toEqual({
      id: expect.stringMatching(/^plc_[0-9A-Z]{26}$/),
      exchange: 'kalshi',
      kind: 'order',
      state: 'made',
      reason: null,
      words: null,
      order_id: id,
      client_order_id: clientOrderId,
      market_id: kalshi.market,
      outcome_index: 0,
      side: 'buy',
      price: '0.02',
      size: '1',
      time_in_force: 'gtc',
      post_only: false,
      cost: '0.02',
      currency: 'USD',
      filled_size: '0',
      key_prefix: trader.key.slice(0, 16),
      bot_id: null,
      request_ids: [made.headers['x-request-id']],
      created_at: time,
      first_sent_at: time,
      refusal_holds_at: null,
      updated_at: time,
      idempotency_key: 'kept',
    });
    // When it is certain that an order of unknown fate never shows any more; of others there is nothing to wait for.
    expect(data.map((row) => row.refusal_holds_at)).toEqual([null, null, time, null, null]);
    expect(Date.parse(String(data[2]?.refusal_holds_at))).toBeGreaterThan(Date.parse(String(data[2]?.first_sent_at)));
  });

  it('names the key by which an order can be given up while it is bound to that order, and none of a bot', async () => {
    const other = await aTrader(stand);
    const bot = await aBot(stand.app, other.user);
    const order = await kalshi.anOrder({ ...stand, key: other.key });
    const ask = (token: string, key: string): Promise<Response> =>
      post(stand.app, '/kalshi/orders', order, token)
        .set('Idempotency-Key', key)
        .then((answer) => answer);
    expect([(await ask(bot.key, 'one')).status, (await ask(other.key, 'one')).status]).toEqual([200, 200]);
    const keys = async (): Promise<unknown[]> =>
      (await pageOf('', other.user.token)).data.map((row) => [row.bot_id === null, row.idempotency_key]);
    expect(await keys()).toEqual([
      [true, 'one'],
      [false, null],
    ]);
    await stand.app.query(`UPDATE placements SET attempt_at = now() - interval '25 hours' WHERE user_id = $1`, [
      other.user.id,
    ]);
    expect((await keys())[0]).toEqual([true, null]);
    expect((await ask(other.key, 'one')).status).toBe(200);
    expect(await keys()).toEqual([
      [true, 'one'],
      [true, null],
      [false, null],
    ]);
  });

  it('takes each filter, and refuses what it does not know', async () => {
    const { data } = await pageOf();
    const states = async (query: string): Promise<unknown[]> => (await pageOf(query)).data.map(({ id }) => id);
    const ids = data.map(({ id }) => id);
    const first = data[4];
    expect(await states('?state=refused')).toEqual([ids[0], ids[3]]);
    expect(await states('?exchange=polymarket')).toEqual([ids[1]]);
    expect(await states(`?market_id=${kalshi.market}&state=made`)).toEqual([ids[4]]);
    for (const name of ['order_id', 'client_order_id'] as const)
      expect(await states(`?${name}=${String(first?.[name])}`)).toEqual([ids[4]]);
    expect(await states('?bot_id=bot_none')).toEqual([]);
    expect(await states(`?request_id=${String(made.headers['x-request-id'])}`)).toEqual([ids[4]]);
    for (const id of [first?.id, first?.order_id, first?.client_order_id, made.headers['x-request-id']])
      expect([id, await states(`?id=${String(id)}`)]).toEqual([id, [ids[4]]]);
    expect(await states(`?id=${String(first?.id)}&state=refused`)).toEqual([]);
    expect(await states('?id=req_ZZZZZZZZZZZZZZZZZZZZZZZZZZ')).toEqual([]);
    const middle = String(data[2]?.created_at);
    expect([...(await states(`?start=${middle}`)), ...(await states(`?end=${middle}`))]).toEqual(ids);
    const long = `?id=${'x'.repeat(201)}`;
    for (const query of [
      '?id=',
      long,
      '?id=a&id=b',
      '?state=open',
      '?exchange=none',
      '?start=x',
      '?limit=0',
      '?cursor=x',
      '?bot=x',
    ])
      expect([query, (await get(stand.app, `/account/orders${query}`, trader.user.token)).status]).toEqual([
        query,
        400,
      ]);
  });

  it('pages by a cursor that gives each row once, and belongs to its user and filters', async () => {
    const all = (await pageOf()).data;
    const seen: Row[] = [];
    let page = await pageOf('?limit=2');
    const cursor = page.next_cursor ?? '';
    for (; page.next_cursor !== null; page = await pageOf(`?limit=2&cursor=${page.next_cursor}`))
      seen.push(...page.data);
    expect([...seen, ...page.data]).toEqual(all);
    const other = await aTrader(stand);
    for (const [query, token] of [
      [`?cursor=${cursor}`, other.user.token],
      [`?state=made&cursor=${cursor}`, trader.user.token],
    ] as const)
      expect((await get(stand.app, `/account/orders${query}`, token)).status).toBe(400);
  });

  it('S-32 shows nobody the rows of another, by no filter, and takes no API key', async () => {
    const other = await aTrader(stand);
    const { id } = made.body as { id: string };
    const [own] = (await pageOf(`?id=${id}`)).data;
    const names = [id, own?.id, own?.client_order_id, made.headers['x-request-id']].map(
      (name) => `?id=${String(name)}`,
    );
    for (const query of ['', `?order_id=${id}`, '?exchange=kalshi', ...names])
      expect(await pageOf(query, other.user.token)).toEqual({ data: [], next_cursor: null });
    const refused = await get(stand.app, '/account/orders', trader.key);
    expect([refused.status, codeOf(refused)]).toEqual([401, 'unauthorized']);
  });

  it('leaves out what was only cancelled here, and looks at 2,000 rows a page', async () => {
    const other = await aTrader(stand);
    await stand.app.query(
      `INSERT INTO placements (id, user_id, exchange, kind, fingerprint, state, market_id, cancelled_at, busy_until, created_at)
       SELECT 'plc_' || lpad(n::text, 26, '0'), $1, 'kalshi', 'order', '', 'refused', 'm' || n,
              CASE WHEN n = 2500 THEN now() END, now(), now() - n * interval '1 minute' FROM generate_series(1, 2500) AS n`,
      [other.user.id],
    );
    const first = await pageOf('?market_id=m2400', other.user.token);
    expect([first.data.length, first.next_cursor === null]).toEqual([0, false]);
    const then = await pageOf(`?market_id=m2400&cursor=${String(first.next_cursor)}`, other.user.token);
    expect([then.data.map((row) => row.market_id), then.next_cursor]).toEqual([['m2400'], null]);
    const rest = await pageOf(
      `?market_id=m2500&cursor=${String((await pageOf('?market_id=m2500', other.user.token)).next_cursor)}`,
      other.user.token,
    );
    expect(rest).toEqual({ data: [], next_cursor: null });
    await stand.app.query(
      `INSERT INTO placements (id, user_id, exchange, kind, fingerprint, state, market_id, busy_until, created_at, first_sent_at, refusal_holds_at)
       VALUES ('plc_old', $1, 'kalshi', 'order', 'x', 'unknown', 'old', now(), now() - interval '9 days', now() - interval '9 days', 'infinity')`,
      [other.user.id],
    );
    const doubtful = await pageOf('?state=unknown', other.user.token);
    expect([doubtful.data.map(({ id }) => id), doubtful.next_cursor]).toEqual([['plc_old'], null]);
  });

  it('finds by any id what more than 2,000 others were asked for since, by the request that cancelled it too', async () => {
    const other = await aTrader(stand);
    const call = { ...stand, key: other.key };
    const placed = await post(stand.app, '/kalshi/orders', await kalshi.anOrder(call), other.key);
    const { id, client_order_id: clientOrderId } = placed.body as { id: string; client_order_id: string };
    await stand.app.query(
      `INSERT INTO placements (id, user_id, exchange, kind, fingerprint, state, busy_until, created_at)
       SELECT 'plc_more_' || n, $1, 'kalshi', 'order', '', 'refused', now(), now() + n * interval '1 microsecond'
         FROM generate_series(1, 2100) AS n`,
      [other.user.id],
    );
    const cancelled = await remove(stand.app, `/kalshi/orders/${id}`, other.key);
    expect(cancelled.status).toBe(200);
    const [row] = (await pageOf(`?id=${id}`, other.user.token)).data;
    for (const name of [row?.id, clientOrderId, cancelled.headers['x-request-id']]) {
      const page = await pageOf(`?id=${String(name)}`, other.user.token);
      expect([name, page]).toEqual([name, { data: [row], next_cursor: null }]);
    }
  });
});
