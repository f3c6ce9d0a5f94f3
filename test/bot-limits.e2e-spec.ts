import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { aPool, type Asked, BotLedger } from './support/bot-ledger.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';

const BUY_HALF: Asked = {};
const SELL_ALL: Asked = { side: 'sell', price: '0.45' };
const WAITING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
const confirmed = (size: string) => ({ size, status: 'confirmed' }) as const;
const pending = (size: string) => ({ size, status: 'pending' }) as const;
const failed = (size: string) => ({ size, status: 'failed' }) as const;

describe('the limits of a bot, in the ledger (contract.md 5.12)', () => {
  let database: TestDatabase;
  let pool: pg.Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = aPool(database, 24);
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  /** Buys 10 of M at 0.4, which are proved. */
  const holdingTen = async (limits = {}): Promise<BotLedger> => {
    const bot = await BotLedger.create(pool, limits);
    const id = await bot.send({ price: '0.4' });
    await bot.becomes(id, 'closed', { status: 'filled', filled_size: '10' });
    await bot.prove(id, true, { a: confirmed('10') });
    return bot;
  };

  describe('risk', () => {
    it.each([
      [{ side: 'buy', outcome_index: 0, price: '0.42', size: '10' }, '4.2'],
      [{ side: 'sell', outcome_index: 0, price: '0.42', size: '10' }, '5.8'],
      [{ side: 'buy', outcome_index: 1, price: '0.42', size: '10' }, '4.2'],
      [{ side: 'sell', outcome_index: 1, price: '0.42', size: '10' }, '5.8'],
      [{ side: 'buy', outcome_index: 0, price: '0.0001', size: '0.01' }, '0.000001'],
      [{ side: 'buy', outcome_index: 0, price: '0.333333', size: '123456789.000001' }, '41152221.847737333333'],
    ] satisfies [Asked, string][])('%j can lose %s', async (asked, risk) => {
      const bot = await BotLedger.create(pool);
      await bot.send(asked);
      expect(await bot.sums()).toEqual({ open: risk, daily: risk, total: risk, orders: 1 });
    });

    it('a price that was rounded loses what the order costs', async () => {
      const bot = await BotLedger.create(pool);
      await bot.send({ price: '0.333333', size: '3', cost: '1' });
      expect(await bot.sums()).toMatchObject({ open: '1.000000000002' });
    });

    it('keeps currencies apart', async () => {
      const bot = await BotLedger.create(pool, { max_open_risk: '5' });
      await bot.send();
      await bot.send({ market_id: 'P', currency: 'PUSD' });
      expect(await bot.sums()).toMatchObject({ open: '5' });
      expect(await bot.sums('PUSD')).toMatchObject({ open: '5' });
      expect(await bot.begin()).toMatchObject({ broken: { limit: 'max_open_risk', used: '5', asked: '5' } });
    });

    it('a sale of what its own proved fills hold risks nothing, and no more than that', async () => {
      const bot = await holdingTen();
      expect(await bot.position()).toEqual(['10', '0', '0']);
      await bot.send({ side: 'sell', price: '0.45', size: '10' });
      expect(await bot.sums()).toEqual({ open: '0', daily: '4', total: '4', orders: 1 });
    });

    it('takes the open sales of a market together, the dearest first', async () => {
      const bot = await holdingTen();
      await bot.send({ side: 'sell', price: '0.45', size: '10' });
      await bot.send({ side: 'sell', price: '0.5', size: '4' });
      expect(await bot.sums()).toMatchObject({ open: '2.2', total: '6.2' });
    });

    it('buying the other outcome takes back', async () => {
      const bot = await holdingTen();
      await bot.send({ outcome_index: 1, side: 'buy', price: '0.55', size: '10' });
      expect(await bot.sums()).toMatchObject({ open: '0' });
      await bot.send({ outcome_index: 1, side: 'buy', price: '0.3', size: '1' });
      expect(await bot.sums()).toMatchObject({ open: '0.55' });
    });

    it('what may fail yet is not there to be taken back', async () => {
      const bot = await BotLedger.create(pool);
      const id = await bot.send({ price: '0.4' });
      await bot.becomes(id, 'closed', { status: 'filled', filled_size: '10' });
      expect(await bot.position()).toEqual(['0', '10', '0']);
      await bot.send({ side: 'sell', price: '0.4', size: '10' });
      expect(await bot.sums()).toMatchObject({ open: '6' });
      await bot.prove(id, true, { a: pending('10') });
      expect(await bot.sums()).toMatchObject({ open: '6' });
      await bot.prove(id, true, { a: confirmed('10') });
      expect(await bot.sums()).toMatchObject({ open: '0', total: '4' });
    });

    it('a sale that may fail yet still uses up what it takes back', async () => {
      const bot = await holdingTen();
      const id = await bot.send({ side: 'sell', price: '0.45', size: '10' });
      await bot.becomes(id, 'closed', { status: 'filled', filled_size: '10' });
      expect(await bot.sums()).toMatchObject({ open: '0', total: '4' });
      await bot.send({ side: 'sell', price: '0.45', size: '1' });
      expect(await bot.sums()).toMatchObject({ open: '0.55' });
      await bot.prove(id, true, { b: failed('10') });
      expect(await bot.sums()).toMatchObject({ open: '0', total: '4' });
      expect(await bot.position()).toEqual(['10', '0', '0']);
    });
  });

  describe('what is given back', () => {
    it('what fills leaves the open risk, and stays in those of the day and in total', async () => {
      const bot = await BotLedger.create(pool);
      const id = await bot.send();
      await bot.becomes(id, 'made', { status: 'partially_filled', filled_size: '4' });
      expect(await bot.sums()).toEqual({ open: '3', daily: '5', total: '5', orders: 1 });
      await bot.becomes(id, 'closed', { status: 'cancelled', filled_size: '4' });
      expect(await bot.sums()).toEqual({ open: '0', daily: '2', total: '2', orders: 0 });
    });

    it('a cancel gives back what rests; the day, the total and the position wait for what was filled', async () => {
      const bot = await BotLedger.create(pool, { max_position: '10' });
      const id = await bot.send();
      await bot.becomes(id, 'made', { status: 'open', filled_size: '0' });
      await bot.becomes(id, 'closed');
      expect(await bot.sums()).toEqual({ open: '0', daily: '5', total: '5', orders: 0 });
      expect(await bot.begin({ size: '1' })).toMatchObject({
        broken: { limit: 'max_position', used: '10', asked: '1' },
      });
      await bot.prove(id, true, {}, '0');
      expect(await bot.sums()).toEqual({ open: '0', daily: '0', total: '0', orders: 0 });
      await bot.send({ size: '10' });
    });

    it('the same proof twice gives back once, and a fill that failed counts back', async () => {
      const bot = await BotLedger.create(pool);
      const id = await bot.send();
      await bot.becomes(id, 'made', { status: 'open', filled_size: '0' });
      for (let times = 0; times < 2; times += 1) {
        await bot.prove(id, false, { a: confirmed('2'), b: pending('3') });
        expect(await bot.position()).toEqual(['2', '3', '0']);
        expect(await bot.sums()).toEqual({ open: '2.5', daily: '5', total: '5', orders: 1 });
      }
      await bot.prove(id, true, { a: confirmed('2'), b: failed('3') }, '5');
      expect(await bot.position()).toEqual(['2', '0', '0']);
      expect(await bot.sums()).toEqual({ open: '0', daily: '1', total: '1', orders: 0 });
      await bot.prove(id, true, { a: confirmed('2'), b: pending('3') }, '5');
      expect(await bot.position()).toEqual(['2', '0', '0']);
    });

    it('two instances that prove the same order at once give back once', async () => {
      const bot = await BotLedger.create(pool);
      const id = await bot.send();
      await bot.becomes(id, 'made', { status: 'open', filled_size: '0' });
      await Promise.all(Array.from({ length: 20 }, async () => bot.prove(id, true, { a: confirmed('6') }, '6')));
      expect(await bot.position()).toEqual(['6', '0', '0']);
      expect(await bot.sums()).toEqual({ open: '0', daily: '3', total: '3', orders: 0 });
    });

    it('what was refused is given back, and reserved again where it lives all the same', async () => {
      const bot = await BotLedger.create(pool);
      const id = await bot.send();
      await bot.becomes(id, 'refused');
      expect(await bot.sums()).toEqual({ open: '0', daily: '0', total: '0', orders: 0 });
      await bot.becomes(id, 'made', { status: 'open', filled_size: '1' });
      expect(await bot.sums()).toEqual({ open: '4.5', daily: '5', total: '5', orders: 1 });
      await bot.becomes(id, 'unknown');
      expect(await bot.sums()).toMatchObject({ open: '4.5' });
    });

    it('what was never sent is given back', async () => {
      const bot = await BotLedger.create(pool);
      const id = await bot.send();
      await pool.query(
        `UPDATE placements SET state = 'refused', first_sent_at = NULL, refusal_holds_at = NULL WHERE id = $1`,
        [id],
      );
      expect(await bot.sums()).toEqual({ open: '0', daily: '0', total: '0', orders: 0 });
    });

    it('the same order under another row reserves nothing of its own, and its fills count once', async () => {
      const bot = await BotLedger.create(pool);
      const ids = [await bot.send(), await bot.send(), await bot.send()];
      for (const id of ids) {
        await pool.query(`UPDATE placements SET exchange_id = 'same' WHERE id = $1`, [id]);
        await bot.becomes(id, 'closed', { status: 'filled', filled_size: '10' });
        await bot.prove(id, true, { a: confirmed('10') });
      }
      expect(await bot.position()).toEqual(['10', '0', '0']);
      expect(await bot.sums()).toEqual({ open: '0', daily: '5', total: '5', orders: 0 });
    });

    it('an order that was sent twice keeps its reservation, and its fills, as more of it fills', async () => {
      const bot = await BotLedger.create(pool);
      const [first, second] = [await bot.send(), await bot.send()];
      for (const id of [first, second]) {
        await pool.query(`UPDATE placements SET exchange_id = 'twice' WHERE id = $1`, [id]);
        await bot.becomes(id, 'made', { status: 'open', filled_size: '0' });
      }
      await bot.prove(first, false, { a: confirmed('4') }, '4');
      expect(await bot.position()).toEqual(['4', '0', '0']);
      expect(await bot.sums()).toEqual({ open: '3', daily: '5', total: '5', orders: 1 });
    });

    it('trades that an order does not state yet count', async () => {
      const bot = await BotLedger.create(pool);
      const id = await bot.send();
      await bot.becomes(id, 'made', { status: 'open', filled_size: '0' });
      await bot.prove(id, true, { a: confirmed('4') }, '0');
      expect(await bot.position()).toEqual(['4', '0', '0']);
      expect(await bot.sums()).toEqual({ open: '0', daily: '2', total: '2', orders: 0 });
    });

    it('an order of unknown fate keeps all of it', async () => {
      const bot = await BotLedger.create(pool);
      await bot.becomes(await bot.send(), 'unknown');
      expect(await bot.sums()).toEqual({ open: '5', daily: '5', total: '5', orders: 1 });
    });
  });

  describe('refusals', () => {
    it.each([
      ['max_order_risk', '4.99', { used: '0', asked: '5', allowed: '4.99', resets_at: null }],
      ['max_open_risk', '4.99', { used: '0', asked: '5', allowed: '4.99', resets_at: null }],
      [
        'max_daily_risk',
        '4.99',
        { used: '0', asked: '5', allowed: '4.99', resets_at: expect.stringMatching(/T00:00:00/) },
      ],
      ['max_total_risk', '4.99', { used: '0', asked: '5', allowed: '4.99', resets_at: null }],
      ['max_position', '9.99', { used: '0', asked: '10', allowed: '9.99', resets_at: null }],
    ])('%s refuses above it, by name, and takes exactly as much', async (limit, allowed, details) => {
      const bot = await BotLedger.create(pool, { [limit]: allowed });
      expect(await bot.begin()).toMatchObject({ refusal: 'limit_exceeded', broken: { limit, ...details } });
      expect(await bot.sums()).toEqual({});
      const exactly = await BotLedger.create(pool, { [limit]: limit === 'max_position' ? '10.000000' : '5.000000' });
      await exactly.send();
    });

    it.each([
      ['max_order_risk', '5', '4.99'],
      ['max_open_risk', '10', '9.99'],
      ['max_daily_risk', '10', '9.99'],
      ['max_total_risk', '10', '9.99'],
      ['max_position', '20', '19.99'],
      ['max_open_orders', 2, 1],
      ['max_orders_per_minute', 2, 1],
      ['max_price_distance', '0.1', '0.09'],
      ['max_order_seconds', 600, 300],
    ])('%s holds for an order beside others: %s is room for it, %s is none', async (limit, enough, tooFew) => {
      const bot = await BotLedger.create(pool);
      const asked: Asked = { time_in_force: 'gtd' };
      const facts = { price_distance: '0.1', expires_at: new Date(Date.now() + 450_000).toISOString() };
      await bot.send(asked, facts);
      await bot.set(`limits = '${JSON.stringify({ [limit]: tooFew })}'`);
      expect(await bot.begin(asked, facts)).toMatchObject({ refusal: 'limit_exceeded', broken: { limit } });
      await pool.query(`UPDATE bot_sums SET attempts = '{1}' WHERE bot_id = $1`, [bot.botId]);
      await bot.set(`limits = '${JSON.stringify({ [limit]: enough })}'`);
      await bot.send(asked, facts);
      expect(await bot.sums()).toEqual({ open: '10', daily: '10', total: '10', orders: 2 });
    });

    it('an order beside others adds exactly what all of them come to', async () => {
      const bot = await holdingTen();
      for (const [price, size] of [
        ['0.333333', '0.000001'],
        ['0.9', '123456789.000001'],
        ['0.42', '7'],
      ] as const) {
        await bot.send({ price, size });
        await bot.send({ side: 'sell', price, size });
        await bot.becomes(await bot.send({ price, size }), 'made', { status: 'open', filled_size: '0' });
      }
      const read = async (): Promise<object[]> => {
        const { rows } = await pool.query<object>(
          `SELECT to_jsonb(bot_risks) AS risks, to_jsonb(bot_positions) AS at_market
             FROM bot_risks JOIN bot_positions USING (bot_id) WHERE bot_id = $1`,
          [bot.botId],
        );
        return rows;
      };
      const added = await read();
      await pool.query(`SELECT reckon_market($1, 'kalshi', 'M')`, [bot.botId]);
      expect(await read()).toEqual(added);
    });

    it('names the first that is broken, in the order of the table', async () => {
      const limits = {
        max_order_risk: '1',
        max_open_risk: '1',
        max_daily_risk: '1',
        max_position: '1',
        max_open_orders: 1,
      };
      const bot = await BotLedger.create(pool, limits);
      expect(await bot.begin()).toMatchObject({ broken: { limit: 'max_order_risk' } });
      await bot.set(`limits = limits - 'max_order_risk'`);
      expect(await bot.begin()).toMatchObject({ broken: { limit: 'max_open_risk' } });
      await bot.set(`limits = limits - 'max_open_risk'`);
      expect(await bot.begin({}, { price_distance: '0.2' })).toMatchObject({
        broken: { limit: 'max_daily_risk' },
      });
      await bot.set(`limits = '{"max_price_distance":"0.1"}'`);
      expect(await bot.begin({}, { price_distance: '0.2' })).toMatchObject({
        broken: { limit: 'max_price_distance' },
      });
      expect(await bot.sums()).toEqual({});
    });

    it('counts open orders, and those of unknown fate', async () => {
      const bot = await BotLedger.create(pool, { max_open_orders: 2 });
      await bot.becomes(await bot.send(), 'unknown');
      const second = await bot.send();
      expect(await bot.begin()).toMatchObject({
        broken: { limit: 'max_open_orders', allowed: 2, used: 2, asked: 1 },
      });
      await bot.becomes(second, 'closed', { status: 'filled', filled_size: '10' });
      await bot.send();
    });

    it('takes back above a limit that was lowered, and never more', async () => {
      const bot = await holdingTen();
      await bot.set(`limits = '{"max_total_risk":"1","max_open_risk":"0.1","max_daily_risk":"1","max_position":"5"}'`);
      await bot.send({ side: 'sell', price: '0.45', size: '10' });
      expect(await bot.begin({ side: 'sell', price: '0.45', size: '1' })).toMatchObject({
        broken: { limit: 'max_open_risk' },
      });
    });

    it('an hour that has many attempts is refused at the limit, whatever else refused them, and a repeat counts as none', async () => {
      const bot = await BotLedger.create(pool, { max_orders_per_minute: 3, max_order_risk: '1' });
      await bot.begin();
      await bot.begin({}, { isAgain: true });
      await bot.begin();
      await bot.send({ size: '1' });
      expect(await bot.begin({ size: '1' })).toMatchObject({
        broken: { limit: 'max_orders_per_minute', allowed: 3, used: 3, asked: 1 },
      });
      await pool.query('UPDATE bot_sums SET bucket = bucket - 12 WHERE bot_id = $1', [bot.botId]);
      expect(await bot.begin({ size: '1' })).toMatchObject({ broken: { limit: 'max_orders_per_minute' } });
      await pool.query('UPDATE bot_sums SET bucket = bucket - 1 WHERE bot_id = $1', [bot.botId]);
      await bot.send({ size: '1' });
    });

    it('says when so many attempts of the last minute have left that one more is allowed', async () => {
      const bot = await BotLedger.create(pool, { max_orders_per_minute: 5 });
      await bot.send({ size: '1' });
      // Of 30 s, 20 s and 5 s ago: the limit, lowered since, waits for the ones of 20 s ago too.
      const { rows } = await pool.query<{ bucket: string }>(
        `UPDATE bot_sums SET attempts = '{0,2,0,0,3,0,2}' WHERE bot_id = $1 RETURNING bucket`,
        [bot.botId],
      );
      const resetsAt = Number(rows[0]?.bucket) - 4 + 13;
      const refused = await bot.begin({ size: '1' });
      expect(refused.broken).toMatchObject({ limit: 'max_orders_per_minute', used: 7 });
      expect(Date.parse(String(refused.broken?.resets_at))).toBe(resetsAt * 5_000);
    });

    it('yesterday counts in total alone', async () => {
      const bot = await BotLedger.create(pool, { max_daily_risk: '5' });
      await bot.send();
      await pool.query(`UPDATE bot_risks SET day = day - 1 WHERE bot_id = $1`, [bot.botId]);
      await pool.query(`UPDATE bot_positions SET day = day - 1 WHERE bot_id = $1`, [bot.botId]);
      await pool.query(`UPDATE reservations SET day = day - 1 WHERE bot_id = $1`, [bot.botId]);
      await bot.send();
      expect(await bot.sums()).toEqual({ open: '10', daily: '5', total: '10', orders: 2 });
      expect(await bot.begin({ size: '1' })).toMatchObject({ broken: { limit: 'max_daily_risk', used: '5' } });
    });

    it('money that buys more shares than were asked for reserves them all in the position', async () => {
      const bot = await BotLedger.create(pool, { max_position: '100' });
      expect(await bot.begin({}, { most_size: '5000' })).toMatchObject({
        broken: { limit: 'max_position', asked: '5000', reason: 'size_not_bounded' },
      });
      await bot.send({}, { most_size: '60' });
      expect(await bot.begin({ size: '41' })).toMatchObject({ broken: { limit: 'max_position', used: '60' } });
    });

    it('a price too far from the reference, or without one, is refused; what takes back is not', async () => {
      const bot = await holdingTen();
      await bot.set(`limits = '{"max_price_distance":"0.05"}'`);
      await bot.send({}, { price_distance: '0.05' });
      await bot.send({}, { price_distance: '-0.3' });
      expect(await bot.begin({}, { price_distance: '0.0501' })).toMatchObject({
        broken: { limit: 'max_price_distance', allowed: '0.05', asked: '0.0501', reason: null },
      });
      expect(await bot.begin()).toMatchObject({
        broken: { limit: 'max_price_distance', reason: 'no_reference_price' },
      });
      await bot.send({ side: 'sell', size: '10' });
    });

    it('what may rest for longer than is allowed is refused', async () => {
      const bot = await BotLedger.create(pool, { max_order_seconds: 600 });
      const inSeconds = (count: number): { expires_at: string } => ({
        expires_at: new Date(Date.now() + count * 1_000).toISOString(),
      });
      await bot.send({ time_in_force: 'gtd' }, inSeconds(599));
      await bot.send({ time_in_force: 'ioc' });
      expect(await bot.begin({ time_in_force: 'gtd' }, inSeconds(700))).toMatchObject({
        broken: { limit: 'max_order_seconds', reason: 'expiry_too_late' },
      });
      expect(await bot.begin({ time_in_force: 'gtc' })).toMatchObject({
        broken: { limit: 'max_order_seconds', asked: null, reason: 'expiry_too_late' },
      });
    });

    it.each([
      ["halted_at = now(), halt_reason = 'owner'", 'bot_halted'],
      ['missed_since = now()', 'bot_halted'],
      ["beat_ttl = 0, beat_on_miss = 'halt', beat_lapses_at = now() - interval '1 second'", 'bot_halted'],
      ['expires_at = now()', 'key_expired'],
      ["scopes = '{read}'", 'scope_refused'],
      ["exchanges = '{polymarket}'", 'exchange_not_allowed'],
      ['removed_at = now()', 'key_revoked'],
      [
        `markets = '[{"exchange":"kalshi","market_id":"N"},{"exchange":"polymarket","market_id":"M"}]'`,
        'market_not_allowed',
      ],
    ])('%s: %s', async (change, refusal) => {
      const bot = await BotLedger.create(pool);
      await bot.set(change);
      expect(await bot.begin()).toMatchObject({ refusal });
      expect(await bot.sums()).toEqual({});
    });

    it("a market is allowed while that by which it was found allowed is the bot's", async () => {
      const bot = await BotLedger.create(pool);
      const [event, market] = [
        { exchange: 'kalshi', event_id: 'E' },
        { exchange: 'kalshi', market_id: 'M' },
      ];
      await bot.set(`markets = '${JSON.stringify([event, market])}'`);
      await bot.send({}, { allowed_by: event });
      await bot.send({}, { allowed_by: market });
      for (const refused of [null, { exchange: 'kalshi', event_id: 'F' }, { exchange: 'polymarket', event_id: 'E' }])
        expect(await bot.begin({}, { allowed_by: refused })).toMatchObject({ refusal: 'market_not_allowed' });
    });
  });

  describe('races', () => {
    const limits = {
      max_open_risk: { max_open_risk: '50' },
      max_daily_risk: { max_daily_risk: '50' },
      max_total_risk: { max_total_risk: '50' },
      max_position: { max_position: '100' },
      max_open_orders: { max_open_orders: 10 },
      max_orders_per_minute: { max_orders_per_minute: 10 },
    };

    it.each(Object.entries(limits))('100 at once against room for 10 within %s: 10', async (_, limit) => {
      const bot = await BotLedger.create(pool, limit);
      const begun = await Promise.all(Array.from({ length: 100 }, () => bot.begin(BUY_HALF)));
      expect(begun.filter(({ refusal }) => refusal === null)).toHaveLength(10);
      expect(await bot.sums()).toEqual({ open: '50', daily: '50', total: '50', orders: 10 });
    });

    it('a halt and orders that begin never wait for each other in a circle', async () => {
      const bot = await BotLedger.create(pool);
      for (let round = 0; round < 10; round += 1) {
        await bot.set(`halted_at = NULL, halt_reason = NULL`);
        const orders = Array.from({ length: 20 }, () => bot.begin());
        const halting = pool.query(
          `WITH held AS MATERIALIZED (SELECT id FROM bots WHERE id = $1 FOR NO KEY UPDATE)
           UPDATE bots SET halted_at = now(), halt_reason = 'owner' WHERE id IN (SELECT id FROM held)`,
          [bot.botId],
        );
        await expect(Promise.all([...orders, halting])).resolves.toBeDefined();
      }
    });

    it('none begins after a halt was committed while many wait', async () => {
      const bot = await BotLedger.create(pool);
      const blocker = await pool.connect();
      await blocker.query('BEGIN');
      await blocker.query(`UPDATE bots SET halted_at = now(), halt_reason = 'owner' WHERE id = $1`, [bot.botId]);
      const waiting = Array.from({ length: 50 }, () => bot.begin());
      await delay(200);
      await blocker.query('COMMIT');
      blocker.release();
      const begun = await Promise.all(waiting);
      expect(begun.map(({ refusal }) => refusal)).toEqual(Array.from({ length: 50 }, () => 'bot_halted'));
    });

    it.each([
      ['a proof', `SELECT prove_order($1, now(), NULL, '10', true, false, '{"a":{"size":"10","status":"confirmed"}}')`],
      ['its row', `UPDATE placements SET state = 'closed', status = 'filled', filled_size = '10' WHERE id = $1`],
    ])('of two orders whose fills are told at once, by %s, one takes back what the bot holds', async (_, fill) => {
      const bot = await holdingTen();
      const [first, second] = [await bot.send(SELL_ALL), await bot.send(SELL_ALL)];
      for (const id of [first, second]) await bot.becomes(id, 'made', { status: 'open', filled_size: '0' });
      const client = await pool.connect();
      await client.query('BEGIN');
      await client.query(fill, [first]);
      const other = pool.query(fill, [second]);
      while ((await pool.query(WAITING)).rows.length === 0) await delay(5);
      await client.query('COMMIT');
      client.release();
      await other;
      expect(await bot.sums()).toEqual({ open: '0', daily: '9.5', total: '9.5', orders: 0 });
    });
  });
});
