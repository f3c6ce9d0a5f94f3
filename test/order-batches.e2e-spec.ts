import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { aBot, type TestBot } from './support/bot-rows.js';
import { callAs } from './support/calls.js';
import { ORDER_WAYS } from './support/exchanges.js';
import { FaultStand } from './support/fault-stand.js';
import { json } from './support/gateway.js';
import type { ItemFaultKind } from '../sandbox/wire/faults.js';
import type { Trader } from './support/sandbox.js';
import { aSessionTrader } from './support/session-keys.js';

const UPSTREAM_TIMEOUT_MS = 2_000;
/** Where the exchanges take several orders, and how many of one list fit in a call. */
const MANY = { kalshi: ['/portfolio/events/orders/batched', 10], polymarket: ['/orders', 15] } as const;

interface Order {
  readonly id: string;
  readonly client_order_id: string | null;
  readonly status: string;
  readonly replayed: boolean;
}

interface Result {
  readonly index: number;
  readonly order?: Order;
  readonly error?: {
    readonly code: string;
    readonly retryable: boolean;
    readonly details?: { readonly reason?: string; readonly limit?: string };
  };
}

interface CancelledOrders {
  readonly cancelled: string[];
  readonly not_cancelled: readonly { readonly id: string; readonly reason: string }[];
}

/** In short: `made`, `replayed`, or the code, with the reason. */
function wordOf({ order, error }: Result): string {
  if (order !== undefined) return order.replayed ? 'replayed' : 'made';
  const { code = 'nothing', details } = error ?? {};
  return details?.reason === undefined ? code : `${code} ${details.reason}`;
}

const words = (results: readonly Result[]): string[] => results.map(wordOf);
const idsOf = (results: readonly Result[]): string[] => results.flatMap(({ order }) => order?.id ?? []);
const times = (count: number, word: string): string[] => Array.from({ length: count }, () => word);

describe('batches of orders (contract.md 5.15)', () => {
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

  describe.each(ORDER_WAYS)('%s', (_, by, way) => {
    const { id: exchange, anOrder, reference } = way;
    const at = `/${exchange}/orders`;
    const [path, most] = MANY[exchange];
    let trader: Trader;

    beforeEach(async () => {
      trader = traders[by];
      await call(trader.key, 'delete', at);
    });

    const call = (
      bearer: string,
      method: 'get' | 'post' | 'delete',
      to: string,
      sent: { body?: object; key?: string } = {},
    ): Promise<Response> => callAs({ app: stand.app, bearer }, method, to, sent);
    const gateway = () => stand.gatewayOf(exchange);
    const callsOf = (one: string): number =>
      gateway().arrived.filter(({ method, target }) => method === 'POST' && target.split('?')[0]?.endsWith(one)).length;
    const some = async (count: number): Promise<object[]> => {
      const orders: object[] = [];
      for (let made = 0; made < count; made += 1)
        orders.push(await anOrder({ app: stand.app, sandbox: stand.sandbox, key: trader.key }));
      return orders;
    };
    const batch = async (orders: readonly object[], key?: string, bearer = trader.key): Promise<Result[]> => {
      const answer = await call(bearer, 'post', `${at}/batch`, { body: { orders }, ...(key !== undefined && { key }) });
      expect([answer.status, answer.text]).toEqual([200, answer.text]);
      const { results } = answer.body as { results: Result[] };
      expect(results.map(({ index }) => index)).toEqual(orders.map((__, index) => index));
      return results;
    };
    const open = async (): Promise<string[]> => {
      const answer = await call(trader.key, 'get', `${at}?limit=100`);
      return (answer.body as { data: Order[] }).data.map(({ id }) => id).sort();
    };

    it('15 orders leave by the exchange’s own call, and each is made once', async () => {
      const before = [callsOf(path), callsOf(way.wire.order[1])];
      const results = await batch(await some(15));
      expect(words(results)).toEqual(times(15, 'made'));
      expect(await open()).toEqual(idsOf(results).sort());
      expect(new Set(idsOf(results)).size).toBe(15);
      expect([callsOf(path), callsOf(way.wire.order[1])]).toEqual([(before[0] ?? 0) + Math.ceil(15 / most), before[1]]);
      if (exchange === 'kalshi') await gateway().hasCome('GET', '/account/limits', 1);
      // The member's budget of 900 tokens holds them, and is known by now (kalshi.md 10).
      await call(trader.key, 'delete', at);
      const again = callsOf(path);
      expect(words(await batch(await some(15)))).toEqual(times(15, 'made'));
      expect([callsOf(path) - again, gateway().count('GET', '/account/limits')]).toEqual([
        1,
        exchange === 'kalshi' ? 1 : 0,
      ]);
    });

    it('what is wrong with one order is told of it alone', async () => {
      const [one = {}, two = {}, three = {}] = await some(3);
      const results = await batch([one, { ...two, nonsense: 1 }, {}, three]);
      expect(words(results)).toEqual(['made', 'bad_request', 'bad_request', 'made']);
      expect(await open()).toEqual(idsOf(results).sort());
    });

    it('under a key each order has its own: a repeat replays, a changed one is refused alone', async () => {
      const key = randomUUID();
      const orders = await some(3);
      const results = await batch(orders, key);
      expect(words(results)).toEqual(times(3, 'made'));
      const sent = callsOf(path);
      expect(words(await batch(orders, key))).toEqual(times(3, 'replayed'));
      const single = await call(trader.key, 'post', at, { body: orders[1] ?? {}, key: `${key}#1` });
      expect([single.status, single.body]).toMatchObject([200, { id: results[1]?.order?.id, replayed: true }]);
      const [other = {}] = await some(1);
      const changed = 'size' in other ? { ...other, size: '7' } : other;
      const repeated = await batch([orders[0] ?? {}, changed, orders[2] ?? {}], key);
      expect(words(repeated)).toEqual(['replayed', 'idempotency_key_reused', 'replayed']);
      expect([callsOf(path), await open()]).toEqual([sent, idsOf(results).sort()]);
    });

    it('R-13, R-14 a lost answer leaves each of its orders unknown, and a repeat finds each', async () => {
      const key = randomUUID();
      const orders = await some(4);
      gateway().answerInstead(path, (response) => response.socket?.resetAndDestroy(), 'POST');
      const lost = await batch(orders, key);
      expect(words(lost)).toEqual(times(4, 'order_outcome_unknown'));
      const names = lost.map(({ error }) => (error?.details as Record<string, string>)[reference[0]]);
      expect(new Set(names).size).toBe(4);
      stand.heal();
      const sent = callsOf(path);
      const lookUps = gateway().count('GET', way.lookUps[0]);
      const found = await batch(orders, key);
      // Before the list of open orders below, whose path begins like that of a look-up.
      const looks = gateway().count('GET', way.lookUps[0]) - lookUps;
      expect(words(found)).toEqual(times(4, 'made'));
      expect(found.map(({ order }) => order?.[reference[1]])).toEqual(names);
      expect([callsOf(path), await open()]).toEqual([sent, idsOf(found).sort()]);
      expect(looks).toBeLessThanOrEqual(exchange === 'kalshi' ? 2 : 8);
    });

    it.each<[ItemFaultKind, number | undefined, string[]]>([
      ['reset_midway', undefined, times(4, 'order_outcome_unknown')],
      ['refuse_item', 400, ['made', 'made', 'exchange_rejected invalid_order', 'made']],
      ['fail_item', 500, ['made', 'made', 'order_outcome_unknown', 'made']],
      ['cut_items', undefined, times(4, 'order_outcome_unknown')],
      ['drop_item', undefined, ['made', 'made', 'order_outcome_unknown', 'made']],
      ['reorder_items', undefined, times(4, 'made')],
    ])(
      'R-13 %s: each order is told its own fate, and a repeat makes what is missing, none twice',
      async (fault, status, told) => {
        const key = randomUUID();
        const orders = await some(4);
        const sent = { method: 'POST', path, fault, item: 2, times: 1, ...(status !== undefined && { status }) };
        stand.sandbox.faults.add({ exchange, ...sent });
        const first = await batch(orders, key);
        expect(words(first)).toEqual(told);
        const again = await batch(orders, key);
        const after = { made: 'replayed', order_outcome_unknown: 'made' } as Readonly<Record<string, string>>;
        expect(words(again)).toEqual(told.map((word) => after[word] ?? word));
        expect(await open()).toEqual(idsOf(again).sort());
        const ids = idsOf(first);
        expect(idsOf(again).filter((id) => ids.includes(id))).toEqual(ids);
      },
    );

    it('R-13 a batch that never arrived is unknown, and a repeat sends each order once', async () => {
      const key = randomUUID();
      const orders = await some(3);
      gateway().misbehave(path, (response) => response.socket?.resetAndDestroy(), 'POST');
      expect(words(await batch(orders, key))).toEqual(times(3, 'order_outcome_unknown'));
      stand.heal();
      const results = await batch(orders, key);
      expect(words(results)).toEqual(times(3, 'made'));
      expect(await open()).toEqual(idsOf(results).sort());
    });

    it('R-28 a refusal of the batch as a whole is the end of none of its orders', async () => {
      const key = randomUUID();
      const orders = await some(3);
      gateway().misbehave(path, json(400, way.refusal), 'POST');
      expect(words(await batch(orders, key))).toEqual(times(3, 'exchange_error'));
      gateway().heal();
      gateway().misbehave(path, json(429, { error: 'too many requests' }), 'POST');
      expect(words(await batch(orders, key))).toEqual(times(3, 'exchange_rate_limited'));
      gateway().heal();
      const results = await batch(orders, key);
      expect(words(results)).toEqual(times(3, 'made'));
      expect(await open()).toEqual(idsOf(results).sort());
    });

    it('a body that is no list of 1 to 15 objects, or a key that is too long, is 400 and sends nothing', async () => {
      const sent = gateway().count('POST', path);
      const [order = {}] = await some(1);
      const bodies = [
        {},
        { orders: [] },
        { orders: order },
        { orders: [order, 'x'] },
        { orders: [order], more: 1 },
        { orders: Array.from({ length: 16 }, () => order) },
        [order],
      ];
      for (const body of bodies) {
        const answer = await call(trader.key, 'post', `${at}/batch`, { body });
        expect([answer.status, body]).toEqual([400, body]);
      }
      const long = await call(trader.key, 'post', `${at}/batch`, { body: { orders: [order] }, key: 'k'.repeat(253) });
      expect([long.status, gateway().count('POST', path)]).toEqual([400, sent]);
    });

    it.each([
      ['max_open_orders', 3],
      ['max_orders_per_minute', 4],
    ])('contract.md 5.12 each order of a bot counts alone: %s', async (limit, most) => {
      const bot = await aBot(stand.app, trader.user.id);
      await stand.app.query('UPDATE bots SET limits = $2 WHERE id = $1', [bot.id, JSON.stringify({ [limit]: most })]);
      const results = await batch(await some(7), undefined, bot.key);
      expect(words(results).sort()).toEqual([...times(7 - most, 'limit_exceeded'), ...times(most, 'made')]);
      expect(results.flatMap(({ error }) => error?.details?.limit ?? [])).toEqual(times(7 - most, limit));
      expect(await open()).toEqual(idsOf(results).sort());
    });

    it('contract.md 5.13 of a bot that is halted none leaves', async () => {
      const bot = await aBot(stand.app, trader.user.id);
      await stand.app.query(`UPDATE bots SET halted_at = now(), halt_reason = 'owner' WHERE id = $1`, [bot.id]);
      const sent = callsOf(path);
      expect(words(await batch(await some(2), undefined, bot.key))).toEqual(times(2, 'bot_halted owner'));
      expect(callsOf(path)).toBe(sent);
    });

    it.each<ItemFaultKind>(['reset_midway', 'refuse_item', 'fail_item', 'cut_items', 'drop_item', 'reorder_items'])(
      '5.15 a cancel of several with %s calls none cancelled that rests, and a repeat cancels the rest',
      async (fault) => {
        const ids = idsOf(await batch(await some(3)));
        stand.sandbox.faults.add({ exchange, method: 'DELETE', path, fault, item: 1, times: 1 });
        const cancel = (): Promise<Response> =>
          call(trader.key, 'post', `${at}/batch-cancel`, { body: { order_ids: ids } });
        const { cancelled, not_cancelled: left } = (await cancel()).body as CancelledOrders;
        const resting = await open();
        expect(cancelled.filter((id) => resting.includes(id))).toEqual([]);
        expect([...cancelled, ...left.map(({ id }) => id)].sort()).toEqual([...ids].sort());
        expect(new Set(left.map(({ reason }) => reason))).toEqual(
          new Set(fault === 'reorder_items' ? [] : ['unknown']),
        );
        const again = (await cancel()).body as CancelledOrders;
        expect(again.cancelled.sort()).toEqual(resting);
        expect(await open()).toEqual([]);
      },
    );

    it('a cancel of several says of each what became of it; what is not the caller’s is not found', async () => {
      const [bot, other]: readonly TestBot[] = [
        await aBot(stand.app, trader.user.id),
        await aBot(stand.app, trader.user.id),
      ];
      const own = idsOf(await batch(await some(3), undefined, bot?.key));
      const others = idsOf(await batch(await some(1), undefined, other?.key));
      const cancel = (ids: readonly string[], bearer = ''): Promise<Response> =>
        call(bearer, 'post', `${at}/batch-cancel`, { body: { order_ids: ids } });
      const [first = '', ...rest] = own;
      const answer = await cancel([first, first, way.unknownOrder, ...others], bot?.key);
      expect([answer.status, answer.body]).toEqual([
        200,
        {
          cancelled: [first],
          not_cancelled: expect.arrayContaining(
            [way.unknownOrder, ...others].map((id) => ({ id, reason: 'not_found' })),
          ),
        },
      ]);
      expect((answer.body as { not_cancelled: object[] }).not_cancelled).toHaveLength(2);
      expect(await open()).toEqual([...rest, ...others].sort());
      const all = await cancel([...rest, ...others], trader.key);
      expect((all.body as { cancelled: string[] }).cancelled.sort()).toEqual([...rest, ...others].sort());
      expect(await open()).toEqual([]);
      for (const ids of [[], Array.from({ length: 101 }, () => first), ['../x']])
        expect((await cancel(ids, trader.key)).status).toBe(400);
    });
  });
});
