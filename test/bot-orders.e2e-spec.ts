import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { aBot, aBotKey, type TestBot } from './support/bot-rows.js';
import { callAs } from './support/calls.js';
import { EXCHANGE, ORDER_WAYS } from './support/exchanges.js';
import { FaultStand } from './support/fault-stand.js';
import type { Trader } from './support/sandbox.js';
import { aSessionTrader } from './support/session-keys.js';

const UPSTREAM_TIMEOUT_MS = 2_000;

interface Order {
  readonly id: string;
  readonly bot_id: string | null;
  readonly client_order_id: string | null;
}

describe('orders of bots (contract.md 5.11)', () => {
  let stand: FaultStand;
  let traders: Readonly<Record<'stored' | 'session', Trader>>;

  beforeAll(async () => {
    stand = await FaultStand.start(UPSTREAM_TIMEOUT_MS);
    traders = { stored: stand.trader, session: await aSessionTrader(stand) };
  });

  afterEach(() => {
    stand.heal();
  });

  afterAll(() => stand.close());

  const as = (
    bearer: string,
    method: 'get' | 'post' | 'delete',
    path: string,
    sent: { body?: object; key?: string } = {},
  ): Promise<Response> => callAs({ app: stand.app, bearer }, method, path, sent);
  const errorOf = ({ status, body }: Response): unknown[] => {
    const { code, details = {} } = (body as { error: { code: string; details?: { reason?: string } } }).error;
    return details.reason === undefined ? [status, code] : [status, code, details.reason];
  };
  const listed = async (bearer: string, path: string): Promise<Order[]> => {
    const answer = await as(bearer, 'get', path);
    expect([path, answer.status]).toEqual([path, 200]);
    return (answer.body as { data: Order[] }).data;
  };
  const idsOf = (orders: readonly Order[]): string[] => orders.map(({ id }) => id).sort();
  const rowsOf = (column: 'exchange_id' | 'key' | 'client_order_id', value: string): Promise<object[]> =>
    stand.app.query(`SELECT bot_id, state, reason, key FROM placements WHERE ${column} = $1 ORDER BY created_at`, [
      value,
    ]);

  describe.each(ORDER_WAYS)('%s', (_, by, way) => {
    const { id: exchange, anOrder, reference, unknownOrder, wire } = way;
    const at = `/${exchange}/orders`;
    const gateway = () => stand.gatewayOf(exchange);
    let trader: Trader;
    let one: TestBot;
    let other: TestBot;

    beforeEach(async () => {
      trader = traders[by];
      const { user } = trader;
      [one, other] = [await aBot(stand.app, user.id), await aBot(stand.app, user.id)];
      await as(trader.key, 'delete', at);
    });

    const body = (): Promise<object> => anOrder({ app: stand.app, sandbox: stand.sandbox, key: trader.key });
    const place = async (bearer: string, key?: string): Promise<Order> => {
      const answer = await as(bearer, 'post', at, { body: await body(), ...(key !== undefined && { key }) });
      expect([answer.status, answer.text]).toEqual([200, answer.text]);
      return answer.body as Order;
    };

    it('the row, the answer and every read say whose it is: keyed, without a key, and the main key', async () => {
      const orders = [await place(one.key, randomUUID()), await place(other.key), await place(trader.key)];
      const owners = [one.id, other.id, null];
      expect(orders.map(({ bot_id: id }) => id)).toEqual(owners);
      for (const [index, { id }] of orders.entries()) {
        expect(await rowsOf('exchange_id', id)).toMatchObject([{ bot_id: owners[index] }]);
        expect((await as(trader.key, 'get', `${at}/${id}`)).body).toMatchObject({ id, bot_id: owners[index] });
      }
      const seen = await listed(trader.user.token, at);
      expect(seen.map(({ id, bot_id }) => [id, bot_id]).sort()).toEqual(
        orders.map(({ id, bot_id }) => [id, bot_id]).sort(),
      );
      const history = await as(trader.user.token, 'get', `/account/orders?bot_id=${one.id}`);
      expect((history.body as { data: object[] }).data).toMatchObject([{ order_id: orders[0]?.id, bot_id: one.id }]);
    });

    it('R-14 a key is of who sends: a sibling and the main key make orders of their own under it', async () => {
      const key = randomUUID();
      const made = [await place(one.key, key), await place(other.key, key), await place(trader.key, key)];
      expect(new Set(made.map(({ id }) => id)).size).toBe(3);
      const [, inOrder] = reference;
      expect(new Set(made.map((order) => order[inOrder])).size).toBe(3);
      const path = `${at}/by-key/${key}`;
      for (const [index, bearer] of [one.key, other.key, trader.key, trader.user.token].entries()) {
        const fate = await as(bearer, 'get', path);
        expect(fate.body).toMatchObject({ state: 'done', order: { id: made[Math.min(index, 2)]?.id } });
      }
      const again = await aBotKey(stand.app, trader.user.id, one.id);
      expect((await as(again, 'get', path)).body).toMatchObject({ state: 'done', order: { id: made[0]?.id } });

      expect((await as(other.key, 'delete', path)).body).toMatchObject({
        state: 'cancelled',
        order: { id: made[1]?.id },
      });
      expect(idsOf(await listed(trader.key, at))).toEqual(idsOf([made[0], made[2]].flatMap((order) => order ?? [])));
    });

    it('a repeat under a key that was rotated is the same order', async () => {
      const [key, order] = [randomUUID(), await body()];
      const first = await as(one.key, 'post', at, { body: order, key });
      const rotated = await aBotKey(stand.app, trader.user.id, one.id);
      const repeat = await as(rotated, 'post', at, { body: order, key });
      expect([repeat.status, repeat.body]).toEqual([200, { ...(first.body as object), replayed: true }]);
    });

    it("another's order is 404 to read and to cancel, and nothing is asked of the exchange", async () => {
      const [mine, theirs] = [await place(one.key), await place(trader.key)];
      const ids = [mine.id, theirs.id, unknownOrder];
      // What the service looks up by itself meanwhile are lists.
      const asked = (): number =>
        stand.sandbox.log.list(exchange).filter(({ url, body }) => ids.some((id) => `${url} ${body}`.includes(id)))
          .length;
      const before = asked();
      for (const id of ids) {
        expect(errorOf(await as(other.key, 'get', `${at}/${id}`))).toEqual([404, 'not_found']);
        expect(errorOf(await as(other.key, 'delete', `${at}/${id}`))).toEqual([404, 'not_found']);
      }
      expect(asked()).toBe(before);
      expect((await as(one.key, 'get', `${at}/${mine.id}`)).body).toMatchObject({ id: mine.id, bot_id: one.id });
      expect((await as(one.key, 'delete', `${at}/${mine.id}`)).body).toMatchObject({
        id: mine.id,
        status: 'cancelled',
      });
      expect((await as(trader.key, 'delete', `${at}/${theirs.id}`)).status).toBe(200);
    });

    it('lists and cancels of all are of its own alone, over pages that are full', async () => {
      const mine: Order[] = [];
      for (let count = 0; count < 3; count += 1) {
        mine.push(await place(one.key));
        await place(other.key);
        await place(trader.key);
      }
      const pages: Order[][] = [];
      let cursor: string | null = '';
      while (cursor !== null && pages.length < 9) {
        const answer = await as(one.key, 'get', `${at}?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
        const page = answer.body as { data: Order[]; next_cursor: string | null };
        pages.push(page.data);
        cursor = page.next_cursor;
      }
      expect(pages[0]).toHaveLength(2);
      expect(idsOf(pages.flat())).toEqual(idsOf(mine));
      expect(pages.flat().map(({ bot_id: id }) => id)).toEqual(mine.map(() => one.id));

      const report = (await as(one.key, 'delete', at)).body as { cancelled: string[]; not_cancelled: object[] };
      expect([report.cancelled.sort(), report.not_cancelled]).toEqual([idsOf(mine), []]);
      expect((await listed(trader.key, at)).map(({ bot_id: id }) => id).sort()).toEqual(
        [null, null, null, other.id, other.id, other.id].sort(),
      );
    });

    it('an order whose answer was lost is its own in lists and cancels, and no sibling sees it', async () => {
      const key = randomUUID();
      gateway().answerInstead(wire.order[1], (response) => void response.destroy(), 'POST');
      const lost = await as(one.key, 'post', at, { body: await body(), key });
      expect(errorOf(lost)[1]).toBe('order_outcome_unknown');
      stand.heal();
      const [seen, ...more] = await listed(one.key, at);
      expect([seen?.bot_id, more]).toEqual([one.id, []]);
      expect(await listed(other.key, at)).toEqual([]);
      expect((await listed(trader.key, at)).map(({ bot_id: id }) => id)).toEqual([one.id]);
      expect((await as(one.key, 'get', `${at}/${String(seen?.id)}`)).body).toMatchObject({ bot_id: one.id });
      expect((await as(other.key, 'delete', at)).body).toEqual({ cancelled: [], not_cancelled: [] });
      expect((await as(one.key, 'delete', at)).body).toEqual({ cancelled: [seen?.id], not_cancelled: [] });
    });

    it('R-13 a repeat looks up what was sent, and never sends, once its bot is halted or may not trade the market', async () => {
      const [key, order] = [randomUUID(), await body()];
      const never = gateway();
      never.misbehave(wire.order[1], (response) => void response.destroy(), 'POST');
      expect(errorOf(await as(one.key, 'post', at, { body: order, key }))[1]).toBe('order_outcome_unknown');
      const [lostKey, lost] = [randomUUID(), await body()];
      stand.heal();
      never.answerInstead(wire.order[1], (response) => void response.destroy(), 'POST');
      expect(errorOf(await as(one.key, 'post', at, { body: lost, key: lostKey }))[1]).toBe('order_outcome_unknown');
      stand.heal();
      const before = never.count('POST', wire.order[1]);
      await stand.app.query(`UPDATE bots SET markets = '[]' WHERE id = $1`, [one.id]);
      const rotated = await aBotKey(stand.app, trader.user.id, one.id);
      expect(errorOf(await as(rotated, 'post', at, { body: order, key }))[1]).toBe('order_outcome_unknown');
      expect((await as(rotated, 'post', at, { body: lost, key: lostKey })).body).toMatchObject({ bot_id: one.id });
      await stand.app.query(`UPDATE bots SET markets = NULL, halted_at = now(), halt_reason = 'owner' WHERE id = $1`, [
        one.id,
      ]);
      expect(errorOf(await as(one.key, 'post', at, { body: order, key }))[1]).toBe('order_outcome_unknown');
      expect((await as(one.key, 'post', at, { body: lost, key: lostKey })).status).toBe(200);
      expect(never.count('POST', wire.order[1])).toBe(before);
    });

    it('a market that is not its own is refused before credentials are, and is in the history', async () => {
      const elsewhere = await aBot(stand.app, trader.user.id, { markets: [{ exchange, market_id: 'another-market' }] });
      const key = randomUUID();
      const before = gateway().count('POST', wire.order[1]);
      const refused = await as(elsewhere.key, 'post', at, { body: await body(), key });
      expect(errorOf(refused)).toEqual([403, 'forbidden', 'market_not_allowed']);
      expect(await rowsOf('key', key)).toMatchObject([
        { bot_id: elsewhere.id, state: 'refused', reason: 'market_not_allowed' },
      ]);
      expect(errorOf(await as(elsewhere.key, 'post', at, { body: await body() }))[2]).toBe('market_not_allowed');
      expect(gateway().count('POST', wire.order[1])).toBe(before);
      const history = await as(trader.user.token, 'get', `/account/orders?bot_id=${elsewhere.id}`);
      expect((history.body as { data: object[] }).data).toMatchObject([
        { reason: 'market_not_allowed' },
        { reason: 'market_not_allowed' },
      ]);
    });

    it('a market of its own is taken by its id, its event and its series', async () => {
      const { event_id, series_id, id } = (await as(trader.key, 'get', `/${exchange}/markets/${way.market}`)).body as {
        event_id: string;
        series_id: string | null;
        id: string;
      };
      const ways = [{ market_id: id }, { event_id }, ...(series_id === null ? [] : [{ series_id }])];
      for (const market of ways) {
        const bot = await aBot(stand.app, trader.user.id, { markets: [{ exchange, ...market }] });
        expect((await as(bot.key, 'post', at, { body: await body() })).status).toBe(200);
      }
      const nowhere = await aBot(stand.app, trader.user.id, { markets: [{ exchange: 'elsewhere', market_id: id }] });
      expect(errorOf(await as(nowhere.key, 'post', at, { body: await body() }))[2]).toBe('market_not_allowed');
    });

    it.each([
      ['scope', `scopes = '{read}'`, [403, 'forbidden']],
      ['exchange', `exchanges = '{elsewhere}'`, [403, 'forbidden', 'exchange_not_allowed']],
      ['end', `expires_at = now() - interval '1 second'`, [401, 'unauthorized', 'key_expired']],
      ['switch', `halted_at = now(), halt_reason = 'owner'`, [403, 'bot_halted', 'owner']],
      [
        'beat',
        `beat_ttl = 0, beat_on_miss = 'cancel', beat_lapses_at = now()`,
        [403, 'bot_halted', 'heartbeat_missed'],
      ],
    ])(
      'S-30 its %s is looked at when the order is sent: keyed and without a key, nothing leaves',
      async (_name, change, error) => {
        const key = randomUUID();
        // The key is known to the service from before.
        await listed(one.key, at);
        await stand.app.query(`UPDATE bots SET ${change} WHERE id = $1`, [one.id]);
        const before = gateway().count('POST', wire.order[1]);
        const refused = [
          await as(one.key, 'post', at, { body: await body(), key }),
          await as(one.key, 'post', at, { body: await body() }),
        ];
        expect(refused.map(errorOf)).toEqual([error, error]);
        expect(gateway().count('POST', wire.order[1])).toBe(before);
      },
    );
  });

  // A signed order is what its wallet has signed.
  describe.each(ORDER_WAYS.filter(([name]) => name !== 'polymarket'))(
    'fills: %s',
    (_, by, { id: exchange, anOrder }) => {
      it('are of its own orders alone, over pages that are full, and say whose', async () => {
        const { user, key } = traders[by];
        const bot = await aBot(stand.app, user.id);
        const body = {
          ...(await anOrder({ app: stand.app, sandbox: stand.sandbox, key })),
          price: '0.9',
          time_in_force: 'ioc',
        };
        const filled: Order[] = [];
        for (const bearer of [bot.key, key, bot.key, key]) {
          const answer = await as(bearer, 'post', `/${exchange}/orders`, { body });
          expect(answer.status).toBe(200);
          filled.push(answer.body as Order);
        }
        type Fill = Order & { readonly order_id: string };
        const seen = (await listed(key, `/${exchange}/fills`)) as Fill[];
        for (const { id, bot_id } of filled)
          expect(seen.find((fill) => fill.order_id === id)).toMatchObject({ bot_id });
        const own = (await listed(bot.key, `/${exchange}/fills?limit=2`)) as Fill[];
        expect(own).toHaveLength(2);
        const all = (await listed(bot.key, `/${exchange}/fills`)) as Fill[];
        expect(new Set(all.map(({ order_id: id }) => id))).toEqual(new Set([filled[0]?.id, filled[2]?.id]));
        const theirs = await listed(bot.key, `/${exchange}/fills?order_id=${String(filled[1]?.id)}`);
        expect(theirs).toEqual([]);
      });
    },
  );

  describe.each(ORDER_WAYS.slice(0, 2))('order_of_another_bot: %s', (_, by, { id: exchange, anOrder, named, wire }) => {
    const at = `/${exchange}/orders`;
    const body = async (): Promise<object> => {
      const order = await anOrder({ app: stand.app, sandbox: stand.sandbox, key: traders[by].key });
      return named?.(order, randomUUID()) ?? order;
    };
    const another = [409, 'order_of_another_bot'];

    it('what one sender has sent is no answer to another, in either direction, and stays an answer to who sent it', async () => {
      const { user, key } = traders[by];
      const [one, other] = [await aBot(stand.app, user.id), await aBot(stand.app, user.id)];
      for (const [owner, others] of [
        [one.key, [other.key, key]],
        [key, [one.key]],
      ] as const) {
        const order = await body();
        const made = await as(owner, 'post', at, { body: order });
        expect(made.status).toBe(200);
        const { id, bot_id } = made.body as Order;
        for (const bearer of others) {
          const idempotency = randomUUID();
          const answers = [
            await as(bearer, 'post', at, { body: order }),
            await as(bearer, 'post', at, { body: order, key: idempotency }),
            await as(bearer, 'post', at, { body: order, key: idempotency }),
          ];
          expect(answers.map(errorOf)).toEqual([another, another, another]);
          expect(answers[2]?.headers).toHaveProperty('idempotency-replayed');
          const fate = await as(bearer, 'get', `${at}/by-key/${idempotency}`);
          expect(fate.body).toMatchObject({ state: 'done', order: null, error: { code: 'order_of_another_bot' } });
        }
        expect((await as(owner, 'post', at, { body: order })).body).toMatchObject({ id, bot_id });
        expect((await as(key, 'get', `${at}/${id}`)).body).toMatchObject({ id, bot_id });
      }
    });

    it('what was sent first and whose answer was lost is of who sent it first', async () => {
      const { user } = traders[by];
      const [one, other] = [await aBot(stand.app, user.id), await aBot(stand.app, user.id)];
      const [order, key] = [await body(), randomUUID()];
      stand.gatewayOf(exchange).answerInstead(wire.order[1], (response) => void response.destroy(), 'POST');
      expect(errorOf(await as(one.key, 'post', at, { body: order, key }))[1]).toBe('order_outcome_unknown');
      stand.heal();
      expect(errorOf(await as(other.key, 'post', at, { body: order, key }))).toEqual(another);
      const repeat = await as(one.key, 'post', at, { body: order, key });
      expect([repeat.status, (repeat.body as Order).bot_id]).toEqual([200, one.id]);
    });
  });

  it('kalshi: a client order id finds its own order alone', async () => {
    const { user } = traders.stored;
    const [one, other] = [await aBot(stand.app, user.id), await aBot(stand.app, user.id)];
    const anOrder = EXCHANGE.kalshi.anOrder;
    const client_order_id = randomUUID();
    const body = {
      ...(await anOrder({ app: stand.app, sandbox: stand.sandbox, key: traders.stored.key })),
      client_order_id,
    };
    const { id } = (await as(one.key, 'post', '/kalshi/orders', { body })).body as Order;
    const path = `/kalshi/orders?client_order_id=${client_order_id}`;
    expect([idsOf(await listed(one.key, path)), await listed(other.key, path)]).toEqual([[id], []]);
  });
});
