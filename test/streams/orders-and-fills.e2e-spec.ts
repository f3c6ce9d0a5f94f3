import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { exchangeAddresses, exchangeCredentials, streamKeys } from '../../sandbox/demo/environment.js';
import { KalshiTrader } from '../../sandbox/kalshi/trader.js';
import { PolymarketTrader } from '../../sandbox/polymarket/trader.js';
import type { StreamFault } from '../../sandbox/streams/faults.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { aBot } from '../support/bots.js';
import { codeOf, get, post, remove } from '../support/calls.js';
import { EXCHANGE } from '../support/exchanges.js';
import { rounds } from '../support/long.js';
import { aTrader, startTestStand, storeCredentials, type TestStand, type Trader } from '../support/sandbox.js';
import { aSessionTrader } from '../support/session-keys.js';
import { StreamReader, type Told } from '../support/stream-reader.js';
import { anApiKey, aUser } from '../support/users.js';

const TICKER = 'KXHIGHNY-TODAY-B55.5';
/** The first outcome of a market of V2, where a deposit wallet can trade. */
const TOKEN = BigInt(`0x013009decfd1e0532df9db26862e9635ef${'0'.repeat(30)}`).toString();
const ORDERS = '/kalshi/orders/stream';
const FILLS = '/kalshi/fills/stream';

interface ShownOrder {
  readonly id: string;
  readonly bot_id: string | null;
  readonly market_id: string;
  readonly status: string;
}

interface ShownFill {
  readonly id: string;
  readonly order_id: string;
  readonly bot_id: string | null;
  readonly status: string;
  readonly timestamp: string;
}

const isLive = ({ type, state }: Told): boolean => type === 'status' && state === 'live';
const isFill = ({ type }: Told): boolean => type === 'fill';
const orderOf = ({ data }: Told): ShownOrder => data as ShownOrder;
const fillOf = ({ data }: Told): ShownFill => data as ShownFill;
const isOrder =
  (id: string, status?: string) =>
  (told: Told): boolean =>
    told.type === 'order' && orderOf(told).id === id && (status === undefined || orderOf(told).status === status);
const isFillOf =
  (orderId: string) =>
  (told: Told): boolean =>
    isFill(told) && fillOf(told).order_id === orderId;
const fillsOf = ({ messages }: StreamReader): ShownFill[] => messages.filter(isFill).map(fillOf);
const lastIdOf = ({ messages }: StreamReader): string => messages.findLast(({ id }) => id !== null)?.id ?? '';

describe('contract.md 5.14 own orders and fills', () => {
  let stand: TestStand;
  let other: TestApp;
  let trader: Trader;
  let kalshi: KalshiTrader;
  let polymarket: PolymarketTrader;
  const open: StreamReader[] = [];

  beforeAll(async () => {
    stand = await startTestStand();
    const { sandbox, app } = stand;
    const addresses = { ...exchangeAddresses(sandbox.addresses), ...streamKeys(sandbox.addresses) };
    other = await startTestApp(addresses, app.database);
    trader = await aTrader(stand);
    kalshi = new KalshiTrader(sandbox.kalshi.account);
    polymarket = new PolymarketTrader(sandbox.polymarket.account.clob_url, sandbox.polymarket.account);
  });

  afterEach(() => {
    stand.sandbox.streamFaults.clear();
    for (const reader of open.splice(0)) reader.close();
  });

  afterAll(async () => {
    await other.close();
    await stand.close();
  });

  /** Reads until all is told. */
  const reading = async (
    path: string,
    key = trader.key,
    { app = stand.app, after = '' }: { app?: TestApp; after?: string } = {},
  ): Promise<StreamReader> => {
    const reader = new StreamReader(app.url, path, key, after === '' ? {} : { 'last-event-id': after });
    open.push(reader);
    await reader.message(isLive);
    return reader;
  };
  const arm = (fault: Omit<StreamFault, 'exchange'>): void => {
    stand.sandbox.streamFaults.add({ exchange: 'kalshi', ...fault });
  };
  /** Buys so many of Kalshi's contracts at once, beside the service. */
  const buy = async (count: number, ticker = TICKER): Promise<string> => {
    const terms = { ticker, price: '0.9900', count: `${count}.00`, time_in_force: 'immediate_or_cancel' };
    const { body } = await kalshi.order(terms);
    return (body as { order_id: string }).order_id;
  };
  /** Says whether what is traded from now on fails at the chain. */
  const failTrades = (fail: boolean): Promise<unknown> =>
    fetch(`${stand.sandbox.controlUrl}/polymarket/trades`, { method: 'POST', body: JSON.stringify({ fail }) });
  /** Buys shares of Polymarket for some dollars at once, beside the service. */
  const take = async (size: string, fail = false): Promise<string> => {
    await failTrades(fail);
    const order = polymarket.sign({ tokenId: TOKEN, side: 'BUY', price: '0.99', size });
    const { body } = await polymarket.post(order, { orderType: 'FAK' });
    return (body as { orderID: string }).orderID;
  };
  /** Sends an order by the service. */
  const place = async (key: string, terms: object = {}): Promise<string> => {
    const order = { market_id: TICKER, outcome: 'yes', side: 'buy', price: '0.02', size: '1', ...terms };
    const answer = await post(stand.app, '/kalshi/orders', order, key);
    if (answer.status !== 200) throw new Error(`an order was answered ${answer.status}: ${answer.text}`);
    return (answer.body as ShownOrder).id;
  };
  /** Waits until all orders of a bot are proved, while no round looks at them. */
  const settled = async (bot: string): Promise<void> => {
    const later = `UPDATE reservations SET read_at = 'infinity' WHERE bot_id = $1`;
    const left = `SELECT FROM reservations WHERE bot_id = $1 AND NOT (fate = 'over' AND pending = 0)`;
    const from = performance.now();
    do {
      await stand.app.query(later, [bot]);
      if (performance.now() - from > 15_000) throw new Error('nothing was given back');
    } while ((await stand.app.query(left, [bot])).length > 0);
  };
  const read = async <T>(path: string, key = trader.key): Promise<T> => (await get(stand.app, path, key)).body as T;

  it.each(['kalshi', 'polymarket'] as const)('tells orders and fills of %s as HTTP shows them', async (exchange) => {
    const body = await EXCHANGE[exchange].anOrder({ ...stand, key: trader.key });
    const resting = ((await post(stand.app, `/${exchange}/orders`, body, trader.key)).body as ShownOrder).id;
    const path = `/stream?subscribe=${exchange}.orders&subscribe=${exchange}.fills`;
    const reader = await reading(path);
    const snapshot = reader.messages.find(({ type }) => type === 'snapshot');
    expect(snapshot).toMatchObject({ channel: 'orders', exchange, market_id: null, reason: 'initial' });
    const listed = (snapshot?.data as ShownOrder[]).find(({ id }) => id === resting);
    expect(listed).toEqual(await read(`/${exchange}/orders/${resting}`));
    const taken = exchange === 'kalshi' ? await buy(2) : await take('4');
    const fill = await reader.message(isFillOf(taken));
    const { data } = await read<{ data: ShownFill[] }>(`/${exchange}/fills?order_id=${taken}`);
    const settles = ['status', 'transaction_hash'];
    const same = Object.entries(fillOf(fill)).filter(([name]) => !settles.includes(name));
    expect(data).toContainEqual(expect.objectContaining(Object.fromEntries(same)));
    expect([fill.channel, fill.exchange, fill.id === null]).toEqual(['fills', exchange, false]);
    const order = orderOf(await reader.message(isOrder(taken, 'filled')));
    expect(await read(`/${exchange}/orders/${taken}`)).toMatchObject({ ...order, trade_ids: expect.any(Array) });
    await remove(stand.app, `/${exchange}/orders/${resting}`, trader.key);
    await reader.message(isOrder(resting, 'cancelled'));
  });

  it('tells what a session key sends', async () => {
    const { key } = await aSessionTrader(stand);
    const reader = await reading('/stream?subscribe=polymarket.orders&subscribe=polymarket.fills', key);
    const terms = { market_id: EXCHANGE.polymarket.market, outcome: 'yes', side: 'buy', price: '0.99', size: '5' };
    const made = await post(stand.app, '/polymarket/orders', { ...terms, time_in_force: 'ioc' }, key);
    const { id } = made.body as ShownOrder;
    expect(fillOf(await reader.message(isFillOf(id)))).toMatchObject({ status: 'pending', bot_id: null });
    await reader.message(isOrder(id, 'filled'));
  });

  it('shows a bot its own alone, and a session everything with the bot that sent it', async () => {
    const [one, two] = await Promise.all([aBot(stand.app, trader.user), aBot(stand.app, trader.user)]);
    const before = await place(one.key);
    const path = '/stream?subscribe=kalshi.orders&subscribe=kalshi.fills';
    const [own, sibling, person] = await Promise.all([
      reading(path, one.key),
      reading(path, two.key),
      reading(path, trader.user.token),
    ]);
    const ioc = await place(one.key, { price: '0.99', time_in_force: 'ioc' });
    const beside = await buy(1);
    for (const [id, bot] of [[ioc, one.id] as const, [beside, null] as const]) {
      expect(fillOf(await person.message(isFillOf(id)))).toMatchObject({ bot_id: bot });
      expect(orderOf(await person.message(isOrder(id)))).toMatchObject({ bot_id: bot });
    }
    await own.message(isFillOf(ioc));
    await own.message(isOrder(ioc));
    expect(fillsOf(own).every(({ bot_id }) => bot_id === one.id)).toBe(true);
    const snapshots = [own, sibling].map(({ messages }) => messages.find(({ type }) => type === 'snapshot')?.data);
    expect(snapshots).toMatchObject([[{ id: before, bot_id: one.id }], []]);
    expect(sibling.messages.filter(({ type }) => type === 'fill' || type === 'order')).toEqual([]);
    await remove(stand.app, `/kalshi/orders/${before}`, one.key);
    await own.message(isOrder(before, 'cancelled'));
  });

  it('waits for the answer to a placement that the stream overtakes', async () => {
    const bot = await aBot(stand.app, trader.user);
    const fills = await reading(FILLS, bot.key);
    const slow = {
      exchange: 'kalshi',
      method: 'POST',
      path: '/portfolio/events/orders',
      fault: 'delay',
      times: 1,
    } as const;
    stand.sandbox.faults.add({ ...slow, delay_ms: 700 });
    const id = await place(bot.key, { price: '0.99', time_in_force: 'ioc' });
    expect(fillOf(await fills.message(isFillOf(id)))).toMatchObject({ bot_id: bot.id });
  });

  it('keeps to the markets and the order that are asked for', async () => {
    const elsewhere = 'KXHIGHNY-TODAY-B53.5';
    const [market, orders] = await Promise.all([
      reading(`${FILLS}?market_id=${elsewhere}`),
      reading(`${ORDERS}?market_id=${elsewhere}`),
    ]);
    const first = await buy(1);
    const [one, all] = await Promise.all([reading(`${FILLS}?order_id=${first}`), reading(FILLS)]);
    const second = await buy(1, elsewhere);
    await Promise.all([
      market.message(isFillOf(second)),
      orders.message(isOrder(second)),
      all.message(isFillOf(second)),
    ]);
    expect(fillsOf(one).every(({ order_id }) => order_id === first)).toBe(true);
    expect(fillsOf(market).every(({ order_id }) => order_id === second)).toBe(true);
    expect(orders.messages.filter(isOrder(first))).toEqual([]);
    expect(orders.messages.find(({ type }) => type === 'snapshot')?.data).toEqual([]);
    const bad = await Promise.all(
      [
        `${FILLS}?order_id=nothing`,
        `${ORDERS}?market_id=`,
        '/stream?subscribe=kalshi.fills&subscribe=kalshi.fills',
      ].map((path) => get(stand.app, path, trader.key)),
    );
    expect(bad.map(({ status }) => status)).toEqual([400, 400, 400]);
    const reader = await anApiKey(stand.app, await aUser(stand.app), ['read']);
    const refused = await Promise.all(
      [ORDERS, FILLS, '/stream?subscribe=kalshi.fills'].map((path) => get(stand.app, path, reader)),
    );
    expect(refused.map(codeOf)).toEqual(['forbidden', 'forbidden', 'forbidden']);
    const stranger = await anApiKey(stand.app, await aUser(stand.app), ['trade']);
    expect(codeOf(await get(stand.app, FILLS, stranger))).toBe('credentials_not_configured');
  });

  it('says stale when the exchange is lost, and then what was missed', async () => {
    const [fills, orders] = await Promise.all([reading(FILLS), reading(ORDERS)]);
    const resting = await place(trader.key);
    await orders.message(isOrder(resting));
    arm({ stream: 'drop' });
    const taken = await buy(2);
    await kalshi.call('DELETE', `/portfolio/events/orders/${resting}`);
    for (const reader of [fills, orders]) {
      const lost = await reader.message(({ state }) => state === 'stale');
      expect(lost).toMatchObject({ reason: 'exchange_disconnected', market_id: null });
      await reader.message(isLive, reader.messages.indexOf(lost));
    }
    const missed = fillsOf(fills).filter(({ order_id }) => order_id === taken);
    expect([missed.length > 0, new Set(missed.map(({ id }) => id)).size]).toEqual([true, missed.length]);
    const again = orders.messages.findLast(({ type }) => type === 'snapshot');
    expect(again).toMatchObject({ reason: 'resync' });
    expect((again?.data as ShownOrder[]).filter(({ id }) => id === resting)).toEqual([]);
    await orders.message(isOrder(resting, 'cancelled'));
  });

  it('goes on at another instance behind the last id, each fill told', async () => {
    const first = await reading(FILLS);
    const one = await buy(1);
    await first.message(isFillOf(one));
    const after = lastIdOf(first);
    first.close();
    const between = await buy(3);
    const second = await reading(FILLS, trader.key, { app: other, after });
    const missed = fillsOf(second);
    const { data } = await read<{ data: ShownFill[] }>(`/kalshi/fills?order_id=${between}`);
    expect(missed.filter(({ order_id }) => order_id === between)).toEqual(data.toReversed());
    expect(missed.filter(({ order_id }) => order_id === one)).toEqual([]);
    expect(await second.message(isLive)).toMatchObject({ reason: null, id: expect.any(String) });
    const quiet = await reading(FILLS, trader.key, { after: lastIdOf(second) });
    const late = await buy(1);
    await Promise.all([quiet, second].map((reader) => reader.message(isFillOf(late))));
    expect(fillsOf(quiet).filter(({ order_id }) => order_id !== late)).toEqual([]);
    const both = await reading('/stream?subscribe=kalshi.fills&subscribe=kalshi.orders', trader.key, { after });
    expect(fillsOf(both).map(({ order_id }) => order_id)).toEqual(expect.arrayContaining([between, late]));
  });

  it.each([
    ['kalshi', rounds(8, 200)],
    ['polymarket', rounds(8, 200)],
  ] as const)(
    'tells every fill of %s over %d cuts and moves between two instances, and takes back what failed',
    async (exchange, times) => {
      const path = `/${exchange}/fills/stream`;
      const folded = new Map<string, ShownFill>();
      const bought: string[] = [];
      let reader = await reading(path);
      const fold = (): void => {
        for (const fill of fillsOf(reader)) folded.set(fill.id, fill);
      };
      for (let at = 0; at < times; at += 1) {
        const order = exchange === 'kalshi' ? buy(1) : take('2', at % 2 === 0);
        const step = Math.floor(Math.random() * 4);
        if (step === 0) stand.sandbox.streamFaults.add({ exchange, stream: 'drop' });
        else if (step === 1) stand.sandbox.streamFaults.add({ exchange, stream: 'garbage', times: 1 });
        else {
          const after = lastIdOf(reader);
          reader.close();
          fold();
          reader = await reading(path, trader.key, { app: step === 2 ? stand.app : other, after });
        }
        bought.push(await order);
      }
      for (const order of bought) {
        for (let isTold = false; !isTold;) {
          fold();
          const { data } = await read<{ data: ShownFill[] }>(`/${exchange}/fills?order_id=${order}`);
          isTold = data.every(({ id, status }) => status !== 'pending' && folded.get(id)?.status === status);
          if (!isTold) await delay(50);
        }
      }
      const ofThese = [...folded.values()].filter(({ order_id }) => bought.includes(order_id));
      expect(ofThese.length).toBeGreaterThanOrEqual(times);
      expect(ofThese.some(({ status }) => status === 'failed')).toBe(exchange === 'polymarket');
    },
    rounds(30_000, 600_000),
  );

  it('takes no id that is made up or of another, and says a gap where the filters are others', async () => {
    const after = lastIdOf(await reading(FILLS));
    const bot = await aBot(stand.app, trader.user);
    const of = (key: string, id: string, path = FILLS) =>
      new StreamReader(stand.app.url, path, key, { 'last-event-id': id }).opened();
    const refused = await Promise.all([
      of(trader.key, `${after.slice(0, -2)}AA`),
      of(trader.key, 'made up'),
      of(bot.key, after),
      of((await aTrader(stand)).key, after),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    expect((await of(trader.key, 'made up', ORDERS)).status).toBe(200);
    const elsewhere = await reading(`${FILLS}?market_id=${TICKER}`, trader.key, { after });
    const gap = elsewhere.messages.find(isLive);
    expect(gap).toMatchObject({ state: 'live', reason: 'gap', from: expect.any(String), to: expect.any(String) });
    expect(fillsOf(elsewhere)).toEqual([]);
  });

  it('gives back at once what was reserved for an order of a bot, also where two instances see it', async () => {
    const bot = await aBot(stand.app, trader.user, { limits: { max_open_orders: 5 } });
    await Promise.all([reading(ORDERS), reading(ORDERS, trader.key, { app: other })]);
    const ids = [await place(bot.key), await place(bot.key, { price: '0.99', time_in_force: 'ioc' })];
    await kalshi.call('DELETE', `/portfolio/events/orders/${ids[0] ?? ''}`);
    await settled(bot.id);
    const { usage } = await read<{ usage: object }>('/bot', bot.key);
    expect(usage).toMatchObject({ open_orders: 0, open_risk: {}, unsettled_orders: 0 });
  });

  it('counts a fill of a bot that failed back', async () => {
    const bot = await aBot(stand.app, trader.user, { limits: { max_total_risk: '1000' } });
    const fills = await reading('/polymarket/fills/stream', bot.key);
    await failTrades(true);
    const signed_order = polymarket.sign({ tokenId: TOKEN, side: 'BUY', price: '0.99', size: '5' });
    const made = await post(stand.app, '/polymarket/orders', { signed_order, time_in_force: 'ioc' }, bot.key);
    expect(made.status).toBe(200);
    const failed = await fills.message((told) => isFill(told) && fillOf(told).status === 'failed');
    await failTrades(false);
    const states = fillsOf(fills).flatMap(({ id, status }) => (id === fillOf(failed).id ? [status] : []));
    expect(states).toEqual(['pending', 'failed']);
    await settled(bot.id);
    const { usage } = await read<{ usage: object }>('/bot', bot.key);
    expect(usage).toMatchObject({ total_risk: {}, unsettled_orders: 0 });
  });

  it('S-60 ends where the credentials are stored anew, or removed', async () => {
    const own = await aTrader(stand);
    const readers = await Promise.all([reading(FILLS, own.key), reading(ORDERS, own.key, { app: other })]);
    await storeCredentials(stand.app, own.user, 'kalshi', exchangeCredentials(stand.sandbox.addresses).kalshi);
    const ends = async (all: readonly StreamReader[]): Promise<unknown[]> => {
      await Promise.all(all.map((reader) => reader.until(() => reader.over !== null)));
      return all.map(({ messages }) => [messages.at(-1)?.error?.code, messages.at(-1)?.error?.details?.reason]);
    };
    const changed = ['service_unavailable', 'credentials_changed'];
    expect(await ends(readers)).toEqual([changed, changed]);
    const again = await Promise.all([reading(FILLS, own.key), reading(ORDERS, own.key)]);
    await remove(stand.app, '/account/credentials/kalshi', own.user.token);
    const gone = ['credentials_not_configured', undefined];
    expect(await ends(again)).toEqual([gone, gone]);
  });
});
