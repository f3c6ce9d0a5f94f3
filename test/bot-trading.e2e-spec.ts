import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request, { type Response } from 'supertest';
import { LedgerReads } from '../src/proxy/placing/ledger-reads.repository.js';
import { ProofRounds } from '../src/proxy/orders/proof-rounds.js';
import { aBot } from './support/bots.js';
import { EXCHANGE, type ExchangeUnderTest, ORDER_WAYS } from './support/exchanges.js';
import { FaultStand } from './support/fault-stand.js';
import { json } from './support/gateway.js';
import { aTrader, storeCredentials, type Trader } from './support/sandbox.js';
import { aSessionTrader } from './support/session-keys.js';

const UPSTREAM_TIMEOUT_MS = 5_000;
/** More than all other tests ask for. */
const A_DAY = 1_000;

interface Usage {
  readonly open_risk: Readonly<Record<string, string>>;
  readonly daily_risk: Readonly<Record<string, string>>;
  readonly total_risk: Readonly<Record<string, string>>;
  readonly open_orders: number;
  readonly unsettled_orders: number;
}

interface Bot {
  readonly id: string;
  readonly key: string;
}

describe('what bots may send (contract.md 5.12)', () => {
  let stand: FaultStand;
  let traders: Readonly<Record<'stored' | 'session', Trader>>;

  beforeAll(async () => {
    stand = await FaultStand.start(UPSTREAM_TIMEOUT_MS, 0, { ORDERS_PER_DAY: String(A_DAY) });
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
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> => {
    const call = request(stand.app.url)[method](path).auth(bearer, { type: 'bearer' }).set(headers);
    return call.send(body).then((answer) => answer);
  };
  const bodyOf = ({ body }: Response): { readonly id: string } & Readonly<Record<string, string>> =>
    body as { readonly id: string } & Readonly<Record<string, string>>;
  /** A fresh order that rests. */
  const restingOf = (way: ExchangeUnderTest, key: string): Promise<object> =>
    way.anOrder({ app: stand.app, sandbox: stand.sandbox, key });

  const usageOf = async (bot: Bot): Promise<Usage> => {
    const answer = await as(bot.key, 'get', '/bot');
    expect(answer.status).toBe(200);
    return (answer.body as { usage: Usage }).usage;
  };

  const ORDER = { market_id: EXCHANGE.kalshi.market, outcome: 'yes', side: 'buy', price: '0.05', size: '1' };
  const buyOne = ({ key }: { readonly key: string }, price: string, headers = {}): Promise<Response> =>
    as(key, 'post', '/kalshi/orders', { ...ORDER, price }, headers);
  /** Keeps the bot's orders from being reserved until what it returns is called. */
  const holdingSums = async ({ id }: Pick<Bot, 'id'>): Promise<() => Promise<void>> => {
    const client = new pg.Client({ connectionString: stand.app.database.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT FROM bot_sums WHERE bot_id = $1 FOR UPDATE', [id]);
    return () => client.end();
  };
  /** Until so many statements wait for a lock. */
  const waitingForLocks = async (count: number): Promise<void> => {
    const wait = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    const deadline = Date.now() + 20_000;
    while ((await stand.app.query(wait)).length < count) {
      if (Date.now() > deadline) throw new Error('nothing waits for a lock');
      await delay(10);
    }
  };

  /** Keeps the service from reading what is not proved by itself. */
  const unread = ({ id }: Bot): Promise<object[]> =>
    stand.app.query(`UPDATE reservations SET read_at = 'infinity' WHERE bot_id = $1`, [id]);
  /** Reads what is not proved, as the service does by itself every 5 s. */
  const proofs = async (): Promise<void> => {
    await stand.app.query(`UPDATE reservations SET read_at = now() - interval '2 minutes'`);
    await stand.app.get(ProofRounds).run();
  };

  describe.each(ORDER_WAYS)('%s', (_, by, way: ExchangeUnderTest) => {
    const orders = `/${way.id}/orders`;
    let trader: Trader;

    beforeEach(() => {
      trader = traders[by];
    });

    const make = (limits: object): Promise<Bot> => aBot(stand.app, trader.user, { limits });
    const order = (): Promise<object> => restingOf(way, trader.key);
    const place = async (bot: Bot, headers = {}): Promise<Response> =>
      as(bot.key, 'post', orders, await order(), headers);
    const openAt = async (bot: Bot): Promise<string[]> => {
      const answer = await as(bot.key, 'get', orders);
      return (answer.body as { data: { id: string }[] }).data.map(({ id }) => id);
    };

    it('reserves what an order can lose, and says what is used', async () => {
      const bot = await make({ max_open_risk: '1000' });
      const { size, currency = '', price } = bodyOf(await place(bot));
      const risk = String(Number(size) * Number(price));
      const used = { [currency]: risk };
      expect(await usageOf(bot)).toMatchObject({
        open_risk: used,
        daily_risk: used,
        total_risk: used,
        open_orders: 1,
        unsettled_orders: 0,
      });
    });

    it('30 at once against room for 5: 5 are sent; a cancel gives one place back, at once', async () => {
      const bot = await make({ max_open_orders: 5 });
      const answers = await Promise.all(Array.from({ length: 30 }, () => place(bot)));
      const made = answers.filter(({ status }) => status === 200);
      expect(made).toHaveLength(5);
      expect(answers.filter(({ status }) => status === 403)).toHaveLength(25);
      const ids = await openAt(bot);
      expect(ids).toHaveLength(5);
      await as(bot.key, 'delete', `${orders}/${ids[0] ?? ''}`);
      expect((await usageOf(bot)).open_orders).toBe(4);
      expect((await place(bot)).status).toBe(200);
      expect((await place(bot)).status).toBe(403);
    });

    it('a refusal says which limit, frees the key, and leaves nothing at the exchange', async () => {
      const bot = await make({ max_order_risk: '0.000001' });
      const refused = await place(bot, { 'Idempotency-Key': 'one' });
      expect([refused.status, refused.body]).toMatchObject([
        403,
        { error: { code: 'limit_exceeded', retryable: false, details: { limit: 'max_order_risk', used: '0' } } },
      ]);
      expect(await openAt(bot)).toEqual([]);
      await stand.app.query(`UPDATE bots SET limits = '{}' WHERE id = $1`, [bot.id]);
      expect((await place(bot, { 'Idempotency-Key': 'one' })).status).toBe(200);
    });

    it('the day, the total and the position wait until it is read how much of a cancelled order had filled', async () => {
      const bot = await make({ max_daily_risk: '0.2' });
      const { id } = bodyOf(await place(bot));
      await unread(bot);
      const before = await usageOf(bot);
      await as(bot.key, 'delete', `${orders}/${id}`);
      const cancelled = await usageOf(bot);
      expect(cancelled.open_risk).toEqual({});
      expect(cancelled.daily_risk).toEqual(before.daily_risk);
      await proofs();
      const proved = await usageOf(bot);
      expect([proved.daily_risk, proved.total_risk, proved.unsettled_orders]).toEqual([{}, {}, 0]);
    });

    it('an order that rests although its cancel was answered counts again', async () => {
      const bot = await make({ max_open_orders: 1 });
      const { id } = bodyOf(await place(bot));
      await unread(bot);
      await stand.app.get(LedgerReads).noteCancelled(trader.user.id, way.id, [{ orderId: id, size: null }], '[]');
      expect((await usageOf(bot)).open_orders).toBe(0);
      await proofs();
      expect((await usageOf(bot)).open_orders).toBe(1);
      expect((await place(bot)).status).toBe(403);
      expect((await as(bot.key, 'delete', `${orders}/${id}`)).body).toMatchObject({ status: 'cancelled' });
      expect((await usageOf(bot)).open_orders).toBe(0);
    });

    it('size and price of an open order are as the exchange shows them', async () => {
      const bot = await make({});
      await place(bot);
      const before = await usageOf(bot);
      // As if the order had been larger and its price another, before its owner changed it at the exchange.
      await stand.app.query(
        `UPDATE reservations SET size = size * 3, most = most * 3, unit_risk = unit_risk / 2 WHERE bot_id = $1`,
        [bot.id],
      );
      await stand.app.query(`SELECT set_reservation(placement_id, size, 0, 0, 0) FROM reservations WHERE bot_id = $1`, [
        bot.id,
      ]);
      expect((await usageOf(bot)).open_risk).not.toEqual(before.open_risk);
      await proofs();
      expect((await usageOf(bot)).open_risk).toEqual(before.open_risk);
    });

    it('where there is no room the exchange is asked first', async () => {
      const bot = await make({ max_open_orders: 1 });
      const { id } = bodyOf(await place(bot));
      expect((await place(bot)).status).toBe(403);
      await stand.app.query(`UPDATE reservations SET read_at = now() WHERE bot_id = $1`, [bot.id]);
      await as(trader.key, 'delete', `${orders}/${id}`);
      // As an owner who cancels at the exchange itself.
      await stand.app.query(`UPDATE placements SET state = 'made', cancelled_at = NULL WHERE exchange_id = $1`, [id]);
      await stand.app.query(`SELECT set_reservation(placement_id, size, 0, 0, 0) FROM reservations WHERE bot_id = $1`, [
        bot.id,
      ]);
      expect((await usageOf(bot)).open_orders).toBe(1);
      await delay(1_050);
      expect((await place(bot)).status).toBe(200);
    });

    it('an order of unknown fate keeps its place', async () => {
      const bot = await make({ max_open_orders: 1 });
      const [method, path] = way.wire.order;
      stand.gatewayOf(way.id).answerInstead(path, (response) => void response.destroy(), method);
      expect((await place(bot)).status).toBe(504);
      stand.heal();
      const refused = await place(bot);
      expect([refused.status, (refused.body as { error: object }).error]).toMatchObject([
        403,
        { details: { limit: 'max_open_orders' } },
      ]);
      expect((await usageOf(bot)).unsettled_orders).toBe(1);
    });
  });

  describe('a position', () => {
    it('what its own proved fills hold it may take back without risk, and a main key does not count', async () => {
      const bot = await aBot(stand.app, stand.trader.user, { limits: { max_total_risk: '10' } });
      const market_id = EXCHANGE.kalshi.market;
      const buy = { market_id, outcome: 'yes', side: 'buy', price: '0.99', size: '5', time_in_force: 'ioc' };
      const bought = await as(bot.key, 'post', '/kalshi/orders', buy);
      expect([bought.status, (bought.body as { filled_size: string }).filled_size]).toEqual([200, '5']);
      await proofs();
      const held = await usageOf(bot);
      expect(held).toMatchObject({ open_risk: {}, total_risk: { USD: '4.95' }, unsettled_orders: 0 });
      const sell = { ...buy, side: 'sell', price: '0.98', time_in_force: 'gtc' };
      expect((await as(bot.key, 'post', '/kalshi/orders', sell)).status).toBe(200);
      expect(await usageOf(bot)).toMatchObject({ open_risk: {}, total_risk: { USD: '4.95' }, open_orders: 1 });
      const more = await as(bot.key, 'post', '/kalshi/orders', { ...sell, price: '0.9', size: '300' });
      expect((more.body as { error: object }).error).toMatchObject({ details: { limit: 'max_total_risk' } });
    });
  });

  describe('max_order_seconds', () => {
    it.each(['kalshi', 'polymarket'] as const)('makes a gtc order one that ends by itself: %s', async (exchange) => {
      const trader = exchange === 'kalshi' ? traders.stored : traders.session;
      const bot = await aBot(stand.app, trader.user, { limits: { max_order_seconds: 600 } });
      const way = exchange === 'kalshi' ? EXCHANGE.kalshi : ORDER_WAYS[2]?.[2];
      const body = way === undefined ? {} : await restingOf(way, trader.key);
      const headers = { 'Idempotency-Key': `ends-${exchange}` };
      const made = await as(bot.key, 'post', `/${exchange}/orders`, body, headers);
      expect([made.status, made.body]).toMatchObject([200, { time_in_force: 'gtd' }]);
      const { expires_at: at } = made.body as { expires_at: string };
      expect((Date.parse(at) - Date.now()) / 1_000).toBeGreaterThan(590);
      expect((Date.parse(at) - Date.now()) / 1_000).toBeLessThanOrEqual(600);
      const again = await as(bot.key, 'post', `/${exchange}/orders`, body, headers);
      expect([again.status, again.body]).toMatchObject([200, { replayed: true, expires_at: at }]);
    });
  });

  describe('max_price_distance', () => {
    it('refuses a price far from the quotes of others, and is blind to its own', async () => {
      const bot = await aBot(stand.app, stand.trader.user, { limits: { max_price_distance: '0.02' } });
      const book = await as(stand.trader.key, 'get', EXCHANGE.kalshi.book);
      const [ask] = (book.body as { asks: { price: string }[] }).asks;
      const best = Number(ask?.price);
      const buy = (price: number): Promise<Response> =>
        as(bot.key, 'post', '/kalshi/orders', {
          market_id: EXCHANGE.kalshi.market,
          outcome: 'yes',
          side: 'buy',
          price: price.toFixed(2),
          size: '1',
          time_in_force: 'ioc',
        });
      const refused = await buy(best + 0.03);
      expect([refused.status, (refused.body as { error: object }).error]).toMatchObject([
        403,
        { code: 'limit_exceeded', details: { limit: 'max_price_distance', allowed: '0.02', asked: '0.03' } },
      ]);
      expect((await buy(best + 0.02)).status).toBe(200);
    });

    it('a book that grew old while the order waited is read anew', async () => {
      const bot = await aBot(stand.app, stand.trader.user, { limits: { max_price_distance: '0.99' } });
      expect((await buyOne(bot, '0.05')).status).toBe(200);
      const { kalshi } = stand.gateways;
      const [method, path] = EXCHANGE.kalshi.wire.public;
      const release = await holdingSums(bot);
      const waiting = buyOne(bot, '0.05');
      await waitingForLocks(1);
      const read = kalshi.count(method, path);
      await delay(1_100);
      await release();
      expect((await waiting).status).toBe(200);
      expect(kalshi.count(method, path)).toBeGreaterThan(read);
    });
  });

  it('orders of a bot that wait for their reservation hold no places: its owner trades on', async () => {
    const bot = await aBot(stand.app, stand.trader.user);
    expect((await buyOne(bot, '0.05')).status).toBe(200);
    const release = await holdingSums(bot);
    const waiting = Promise.all(Array.from({ length: 45 }, () => buyOne(bot, '0.05')));
    await waitingForLocks(2);
    const sent = stand.gateways.kalshi.count('POST', EXCHANGE.kalshi.wire.order[1]);
    expect((await as(stand.trader.key, 'post', '/kalshi/orders', ORDER)).status).toBe(200);
    expect(stand.gateways.kalshi.count('POST', EXCHANGE.kalshi.wire.order[1])).toBe(sent + 1);
    await release();
    await waiting;
  });

  it('a cancel whose end is only assumed gives nothing back', async () => {
    const { user, key } = traders.session;
    const bot = await aBot(stand.app, user);
    const way = ORDER_WAYS[2]?.[2] ?? EXCHANGE.polymarket;
    const made = await as(bot.key, 'post', '/polymarket/orders', await restingOf(way, key), { 'Idempotency-Key': 'a' });
    const { id } = bodyOf(made);
    const { clob } = stand.gateways;
    clob.misbehave('/data/order/', json(200, null), 'GET');
    clob.misbehave('/data/orders', json(200, { data: [], next_cursor: 'LTE=', limit: 100, count: 0 }), 'GET');
    const not_canceled = { [id]: "order can't be found - already canceled or matched" };
    clob.misbehave('/order', json(200, { canceled: [], not_canceled }), 'DELETE');
    const given = await as(bot.key, 'delete', '/polymarket/orders/by-key/a');
    expect([given.status, given.body]).toMatchObject([200, { state: 'cancelled' }]);
    expect(await usageOf(bot)).toMatchObject({ open_orders: 1 });
    stand.heal();
    expect((await as(bot.key, 'delete', `/polymarket/orders/${id}`)).status).toBe(200);
    expect(await usageOf(bot)).toMatchObject({ open_orders: 0 });
  });

  it('where there is no room one reading serves all who ask while it runs, however long that is', async () => {
    const { user } = await aTrader(stand);
    const { access_key, private_key } = await stand.sandbox.kalshi.addAccount({ keyType: 'ed25519' });
    await storeCredentials(stand.app, user, 'kalshi', { access_key, private_key });
    const bot = await aBot(stand.app, user, { limits: { max_open_orders: 1 } });
    expect((await buyOne(bot, '0.05')).status).toBe(200);
    await unread(bot);
    const { kalshi } = stand.gateways;
    const readings = (): number =>
      kalshi.arrived.filter(
        ({ method, target, headers }) =>
          method === 'GET' && target.includes('/portfolio/orders') && headers['kalshi-access-key'] === access_key,
      ).length;
    const held = kalshi.hold('GET', '/portfolio/orders');
    const first = buyOne(bot, '0.05');
    while (readings() === 0) await delay(10);
    await delay(1_100);
    const second = buyOne(bot, '0.05');
    await delay(300);
    held.release();
    expect([(await first).status, (await second).status]).toEqual([403, 403]);
    expect(readings()).toBe(1);
  });

  describe('what one bot may ask for on a day', () => {
    it('is half of what all others leave, and then it alone is refused', async () => {
      const trader = await aTrader(stand);
      const [bot, sibling] = [await aBot(stand.app, trader.user), await aBot(stand.app, trader.user)];
      const rows = (count: number, botId: string | null): Promise<object[]> =>
        stand.app.query(
          `INSERT INTO placements (id, user_id, bot_id, exchange, kind, fingerprint, state, busy_until)
           SELECT 'plc_' || gen_random_uuid(), $1, $2, 'kalshi', 'order', '', 'refused', now() FROM generate_series(1, $3)`,
          [trader.user.id, botId, count],
        );
      await rows(A_DAY * 0.6, null);
      await rows(A_DAY * 0.2 - 1, bot.id);
      expect((await buyOne(bot, '0.05')).status).toBe(200);
      for (const headers of [{}, { 'Idempotency-Key': 'one' }]) {
        const refused = await buyOne(bot, '0.05', headers);
        expect([refused.status, (refused.body as { error: object }).error]).toMatchObject([
          429,
          { code: 'rate_limited', details: { reason: 'orders_per_day' } },
        ]);
      }
      expect((await buyOne(sibling, '0.05')).status).toBe(200);
      expect((await buyOne(trader, '0.05')).status).toBe(200);
    });

    it('of refusals by its limits the first 1,000 are kept, and the others are counted', async () => {
      const bot = await aBot(stand.app, stand.trader.user, { limits: { max_order_risk: '0.000001' } });
      const refuse = async (headers = {}): Promise<void> => {
        expect((await buyOne(bot, '0.05', headers)).status).toBe(403);
      };
      const kept = async (): Promise<number> =>
        (await stand.app.query('SELECT FROM placements WHERE bot_id = $1', [bot.id])).length;
      await refuse();
      await stand.app.query('UPDATE bot_sums SET refused_today = 998 WHERE bot_id = $1', [bot.id]);
      await refuse({ 'Idempotency-Key': 'one' });
      await refuse();
      expect(await kept()).toBe(3);
      await refuse();
      await refuse({ 'Idempotency-Key': 'two' });
      expect(await kept()).toBe(3);
      expect(await stand.app.query('SELECT refused_today FROM bot_sums WHERE bot_id = $1', [bot.id])).toEqual([
        { refused_today: 1_002 },
      ]);
      await stand.app.query('UPDATE bot_sums SET refused_on = refused_on - 1 WHERE bot_id = $1', [bot.id]);
      await refuse();
      expect(await kept()).toBe(4);
    });
  });
});
