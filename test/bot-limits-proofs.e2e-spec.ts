import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { Exchange } from '../src/exchanges/exchange.js';
import type { AskedOrder } from '../src/exchanges/orders.contract.js';
import { Settings } from '../src/platform/config/settings.js';
import { ReferencePrices } from '../src/proxy/orders/reference-prices.js';
import { Ledger } from '../src/proxy/placing/ledger.repository.js';
import { LedgerReads } from '../src/proxy/placing/ledger-reads.repository.js';
import { OpenPlacements } from '../src/proxy/placing/ledger-open.repository.js';
import { Proofs } from '../src/proxy/placing/proofs.repository.js';
import { Reservations } from '../src/proxy/placing/reservations.repository.js';
import { aPool, type Asked, BotLedger } from './support/bot-ledger.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { type ServiceModule, startModule } from './support/database-module.js';

const confirmed = (size: string) => ({ size, status: 'confirmed' }) as const;
const pending = (size: string) => ({ size, status: 'pending' }) as const;
const failed = (size: string) => ({ size, status: 'failed' }) as const;
const NOTHING = { open: '0', daily: '0', total: '0', orders: 0 };

describe('what orders of bots reserve, and what gives it back (contract.md 5.12)', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let workspace: string;
  let service: ServiceModule;
  let proofs: Proofs;
  let reads: LedgerReads;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = aPool(database, 8);
    workspace = await mkdtemp(join(tmpdir(), 'bot-limits-'));
    service = await startModule(workspace, { DATABASE_URL: database.url });
    proofs = new Proofs(service.transactions);
    reads = new LedgerReads(service.transactions);
  });

  afterAll(async () => {
    await service.app.close();
    await pool.end();
    await database.drop();
    await rm(workspace, { recursive: true });
  });

  /** An order that rests, as the exchange names it by its own id. */
  const resting = async (bot: BotLedger, asked: Asked = {}, filled = '0'): Promise<string> => {
    const id = await bot.send(asked);
    await bot.becomes(id, 'made', { status: 'open', filled_size: filled, exchange_id: id });
    return id;
  };
  /** Holds so much of M, proved: below 0 sold. */
  const holding = async (bot: BotLedger, size: number): Promise<void> => {
    const asked = { side: size < 0 ? 'sell' : 'buy', price: '0.4', size: String(Math.abs(size)) } as const;
    const id = await bot.send(asked);
    await bot.becomes(id, 'closed', { status: 'filled', filled_size: asked.size });
    await bot.prove(id, true, { held: confirmed(asked.size) });
  };
  /** Shown by nobody: the exchange has called it a duplicate. */
  const duplicate = async (bot: BotLedger): Promise<string> => {
    const id = await bot.send();
    await bot.becomes(id, 'unknown', { exchange_id: id, refusal_holds_at: 'infinity' });
    return id;
  };
  /** So many seconds from now. */
  const later = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();

  describe('an order that was cancelled here', () => {
    it('and that the exchange lists as open after that could be executed, and is reserved again', async () => {
      const bot = await BotLedger.create(pool);
      const id = await resting(bot);
      const before = await bot.now();
      await bot.becomes(id, 'closed');
      expect(await bot.sums()).toMatchObject({ open: '0', orders: 0 });
      await bot.prove(id, false, {}, '0', { began: before });
      expect(await bot.sums()).toMatchObject({ open: '0', total: '5', orders: 0 });
      await bot.prove(id, false, {}, '2');
      expect(await bot.sums()).toEqual({ open: '4', daily: '5', total: '5', orders: 1 });
      const { rows } = await pool.query('SELECT state, cancelled_at, filled_size FROM placements WHERE id = $1', [id]);
      expect(rows).toEqual([{ state: 'made', cancelled_at: null, filled_size: '2' }]);
      await bot.becomes(id, 'closed');
      expect(await bot.sums()).toEqual({ open: '0', daily: '5', total: '5', orders: 0 });
    });

    it('may have used up what the next one takes back', async () => {
      const bot = await BotLedger.create(pool);
      await holding(bot, 10);
      const id = await resting(bot, { side: 'sell', price: '0.45' });
      await bot.becomes(id, 'closed');
      await bot.send({ side: 'sell', price: '0.45' });
      expect(await bot.sums()).toMatchObject({ open: '5.5', total: '9.5' });
      await bot.prove(id, true, {}, '0');
      expect(await bot.sums()).toMatchObject({ open: '0', total: '4' });
    });
  });

  describe('what is stated', () => {
    it('stands until it is stated anew: what was too high leaves the order as open as it is', async () => {
      const bot = await BotLedger.create(pool);
      const id = await resting(bot, {}, '10');
      expect(await bot.sums()).toEqual({ open: '0', daily: '5', total: '5', orders: 0 });
      await bot.prove(id, false, { a: confirmed('4') }, '4');
      expect(await bot.sums()).toEqual({ open: '3', daily: '5', total: '5', orders: 1 });
      expect(await bot.position()).toEqual(['4', '0', '0']);
    });

    it('by a reading that began before is not believed', async () => {
      const bot = await BotLedger.create(pool);
      const before = await bot.now();
      const id = await resting(bot, {}, '6');
      await bot.prove(id, false, {}, '1', { began: before });
      expect(await bot.reserved(id)).toMatchObject({ open: '4', pending: '6' });
      await bot.prove(id, false, {}, '1');
      expect(await bot.reserved(id)).toMatchObject({ open: '9', pending: '1' });
      const between = await bot.now();
      await bot.prove(id, false, {}, '1');
      await bot.prove(id, false, {}, '5', { began: between });
      expect(await bot.reserved(id)).toMatchObject({ open: '9', pending: '1' });
    });

    it.each([
      ['states less', '4', false],
      ['has forgotten the order', null, true],
    ])('of an order that is over counts until its trades show it, or the exchange %s', async (_, filled, isGone) => {
      const bot = await BotLedger.create(pool);
      const id = await bot.send();
      await bot.becomes(id, 'closed', { status: 'filled', filled_size: '10', exchange_id: id });
      for (let times = 0; times < 2; times += 1) {
        await bot.prove(id, true, { a: confirmed('4') });
        expect([await bot.position(), await bot.reserved(id)]).toMatchObject([['4', '6', '0'], { fate: 'over' }]);
      }
      await bot.prove(id, true, { a: confirmed('4') }, filled, { isGone });
      expect([await bot.position(), await bot.reserved(id)]).toEqual([['4', '0', '0'], undefined]);
      expect(await bot.sums()).toEqual({ open: '0', daily: '2', total: '2', orders: 0 });
    });

    it('more or less, again and again, comes to the same sums', async () => {
      const bot = await BotLedger.create(pool);
      await holding(bot, 4);
      const id = await resting(bot, { side: 'sell' });
      const sums: object[] = [];
      for (const filled of ['9', '10', '9', '8', '10', '9']) {
        await bot.prove(id, false, {}, filled);
        sums.push(await bot.sums());
      }
      expect(sums.filter((_, index) => index !== 3)).toEqual(
        Array.from({ length: 5 }, () => expect.objectContaining({ total: '4.6' })),
      );
      await bot.prove(id, true, { a: confirmed('3'), b: failed('6') }, '9');
      expect([await bot.position(), await bot.sums()]).toMatchObject([['1', '0', '0'], { total: '1.6' }]);
    });
  });

  describe('what the owner changes at the exchange itself', () => {
    const shows = (bot: BotLedger, id: string, terms: readonly [string, string], filled = '0', began = 'now') =>
      bot.prove(id, false, filled === '0' ? {} : { a: pending(filled) }, filled, { terms, began });

    it('changes what is reserved: a decrease gives back, an increase raises, above the limit too', async () => {
      const bot = await BotLedger.create(pool, { max_open_risk: '5' });
      const id = await resting(bot);
      await shows(bot, id, ['4', '0.5']);
      expect(await bot.sums()).toEqual({ open: '2', daily: '2', total: '2', orders: 1 });
      const before = await bot.now();
      await shows(bot, id, ['20', '0.6']);
      expect(await bot.sums()).toEqual({ open: '12', daily: '12', total: '12', orders: 1 });
      await shows(bot, id, ['4', '0.5'], '0', before);
      expect(await bot.sums()).toMatchObject({ open: '12' });
      expect(await bot.begin({ size: '1' })).toMatchObject({ broken: { limit: 'max_open_risk', used: '12' } });
    });

    it('of an order that has filled in part: the risk of the whole never falls', async () => {
      const bot = await BotLedger.create(pool);
      const id = await resting(bot);
      await shows(bot, id, ['10', '0.5'], '4');
      await shows(bot, id, ['8', '0.2'], '4');
      expect(await bot.sums()).toEqual({ open: '2', daily: '4', total: '4', orders: 1 });
      await shows(bot, id, ['8', '0.7'], '4');
      expect(await bot.sums()).toEqual({ open: '2.8', daily: '5.6', total: '5.6', orders: 1 });
      await bot.prove(id, true, { a: failed('4') }, '4');
      expect(await bot.sums()).toEqual(NOTHING);
    });

    it('a price as it was asked risks what was reserved for it, rounded costs included', async () => {
      const bot = await BotLedger.create(pool);
      const id = await bot.send({ cost: '5.01' });
      await bot.becomes(id, 'made', { status: 'open', filled_size: '0', exchange_id: id });
      await pool.query(`UPDATE placements SET cost = '5.01' WHERE id = $1`, [id]);
      await shows(bot, id, ['10', '0.5']);
      expect(await bot.sums()).toMatchObject({ open: '5.01' });
    });
  });

  describe('readings', () => {
    it('take what was read longest ago first, so that none waits for ever, and no instance what another one has', async () => {
      const bot = await BotLedger.create(pool);
      const ids: string[] = [];
      for (let count = 0; count < 7; count += 1) ids.push(await resting(bot));
      await pool.query(`UPDATE reservations SET read_at = now() WHERE bot_id <> $1`, [bot.botId]);
      await pool.query(`UPDATE reservations SET read_at = now() - interval '1 hour' WHERE bot_id = $1`, [bot.botId]);
      const account = { userId: 'usr_1', exchange: 'kalshi' };
      expect(await proofs.listDue(8)).toEqual([account]);
      const pages = [await proofs.take(account, 3, true), await proofs.take(account, 3, true)];
      pages.push(...(await Promise.all([proofs.take(account, 3, true), proofs.take(account, 3, true)])));
      const taken = pages.flatMap((page) => page.map(({ placementId }) => placementId));
      expect(taken.sort()).toEqual(ids.sort());
      expect([await proofs.listDue(8), await proofs.take(account, 3, true)]).toEqual([[], []]);
      expect(await proofs.take(account, 3, false)).toHaveLength(3);
    });

    it('a list lacks what was never shown only once it would show: after refusal_holds_at', async () => {
      const bot = await BotLedger.create(pool);
      const id = await resting(bot);
      await pool.query(`UPDATE reservations SET shown_at = NULL WHERE placement_id = $1`, [id]);
      await pool.query(`UPDATE placements SET refusal_holds_at = $2 WHERE id = $1`, [id, later(40)]);
      expect(await proofs.markMissing(id, later(0))).toBe(false);
      expect(await proofs.markMissing(id, later(39))).toBe(false);
      expect(await proofs.markMissing(id, later(41))).toBe(false);
      expect(await proofs.markMissing(id, later(70))).toBe(false);
      expect(await proofs.markMissing(id, later(72))).toBe(true);
    });

    it('two missing lists prove the end of what the exchange only calls a duplicate, and no look-up reserves it again', async () => {
      const bot = await BotLedger.create(pool);
      const id = await duplicate(bot);
      await pool.query(`UPDATE placements SET reference = '{}' WHERE id = $1`, [id]);
      const taken = await proofs.take({ userId: 'usr_1', exchange: 'kalshi' }, 1_000, false);
      expect(taken.map(({ placementId }) => placementId)).toContain(id);
      expect(await proofs.markMissing(id, later(60))).toBe(false);
      expect(await proofs.markMissing(id, later(130))).toBe(false);
      expect(await proofs.markMissing(id, later(161))).toBe(true);
      await bot.prove(id, true, { a: confirmed('3') }, null, { isGone: true });
      expect(await bot.sums()).toMatchObject({ open: '5' });
      await bot.prove(id, true, { a: confirmed('3') }, null, { isGone: true, began: later(161) });
      const proved = { open: '0', daily: '1.5', total: '1.5', orders: 0 };
      expect([await bot.sums(), await bot.position()]).toEqual([proved, ['3', '0', '0']]);
      await bot.becomes(id, 'sending');
      await bot.becomes(id, 'unknown');
      expect([await bot.sums(), await bot.position()]).toEqual([proved, ['3', '0', '0']]);
      await pool.query(`UPDATE placements SET attempt_at = now() - interval '25 hours' WHERE id = $1`, [id]);
      const due = await new OpenPlacements(service.transactions).takeDue(100, 100, 1);
      expect(due.map(({ claim }) => claim.id)).not.toContain(id);
      await bot.becomes(id, 'closed', { status: 'filled', filled_size: '3' });
      expect([await bot.sums(), await bot.position()]).toEqual([proved, ['3', '0', '0']]);
      expect(await bot.reserved(id)).toBeUndefined();
    });

    it('what is sent once more is reserved once more, within the limits', async () => {
      const bot = await BotLedger.create(pool);
      const id = await duplicate(bot);
      await bot.prove(id, true, {}, null, { isGone: true, began: later(161) });
      expect(await bot.sums()).toEqual(NOTHING);
      const again = async (): Promise<unknown> => {
        const { rows } = await pool.query<{ broken: object | null }>(
          `SELECT reserve_within_limits(placements, '{}', true) AS broken FROM placements WHERE id = $1`,
          [id],
        );
        return rows[0]?.broken;
      };
      await bot.set(`limits = '{"max_open_risk":"4"}'`);
      expect(await again()).toMatchObject({ limit: 'max_open_risk', asked: '5' });
      await bot.set(`limits = '{}'`);
      expect(await again()).toBeNull();
      expect(await bot.sums()).toMatchObject({ open: '5', orders: 1 });
    });
  });

  it('a key whose order is of unknown fate stays bound after 24 h, and the order is looked up, until its fate is proved', async () => {
    const bot = await BotLedger.create(pool);
    const ledger = new Ledger(service.transactions);
    const scope = {
      userId: 'usr_1',
      exchange: 'kalshi',
      kind: 'order',
      key: '1',
      keyPrefix: 'p',
      botId: bot.botId,
    } as const;
    const begin = (): Promise<{ readonly id: string } | null> => ledger.begin(scope, Buffer.alloc(32), 0);
    const id = (await begin())?.id ?? '';
    await pool.query(
      `UPDATE placements SET state = 'sending', reference = '{}', market_id = 'M', outcome_index = 0, side = 'buy', price = '0.5', size = '10',
              currency = 'USD', first_sent_at = now(), refusal_holds_at = now(), attempt_at = now() - interval '25 hours' WHERE id = $1`,
      [id],
    );
    await bot.becomes(id, 'unknown');
    expect(await bot.sums()).toMatchObject({ open: '5' });
    expect(await begin()).toBeNull();
    const due = await new OpenPlacements(service.transactions).takeDue(1_000, 1_000, 1);
    expect(due.map(({ claim }) => claim.id)).toContain(id);
    await bot.becomes(id, 'refused');
    expect([await bot.sums(), await begin()]).toMatchObject([NOTHING, { key: '1' }]);
  });

  it('the operator ends by hand, after 24 h, what nothing proves', async () => {
    const bot = await BotLedger.create(pool);
    const ids = [await duplicate(bot), await resting(bot, {}, '4')];
    const settle = async (id: string, filled: string | null): Promise<unknown> => {
      const { rows } = await pool.query<{ done: boolean }>('SELECT settle_by_hand($1, $2) AS done', [id, filled]);
      return rows[0]?.done;
    };
    expect(await settle(ids[0] ?? '', '6')).toBe(false);
    await pool.query(`UPDATE placements SET attempt_at = now() - interval '25 hours' WHERE id = ANY($1)`, [ids]);
    expect([await settle(ids[0] ?? '', '6'), await settle(ids[1] ?? '', null)]).toEqual([true, true]);
    expect([await bot.sums(), await bot.position()]).toEqual([
      { open: '0', daily: '5', total: '5', orders: 0 },
      ['10', '0', '0'],
    ]);
    expect(await settle('plc_none', '1')).toBe(false);
  });

  describe('an order that spends a sum', () => {
    const bySum: Asked = { price: '0.5', size: '10', cost: '5', time_in_force: 'ioc' };

    it('takes back at most what it buys at the smallest tick, and the rest is at risk', async () => {
      const bot = await BotLedger.create(pool, { max_order_risk: '18' });
      await holding(bot, -30);
      await bot.set(`limits = '{"max_order_risk":"1.9"}'`);
      expect(await bot.begin(bySum, { most_size: '50' })).toMatchObject({
        broken: { limit: 'max_order_risk', asked: '2' },
      });
      await bot.set(`limits = '{"max_order_risk":"2"}'`);
      const id = await bot.send(bySum, { most_size: '50' });
      expect(await bot.sums()).toMatchObject({ open: '2', total: '20' });
      await bot.becomes(id, 'closed', { status: 'filled', filled_size: '40' });
      expect(await bot.sums()).toEqual({ open: '0', daily: '19.25', total: '19.25', orders: 0 });
    });
  });

  describe('attacks', () => {
    it('an outcome that nobody knows is not sent', async () => {
      const bot = await BotLedger.create(pool);
      await expect(bot.begin({ outcome_index: null })).rejects.toThrow(/is_long/);
      expect(await bot.sums()).toEqual({});
    });

    it('a price above 1 makes no room', async () => {
      const bot = await BotLedger.create(pool);
      await bot.send({ side: 'sell', price: '1.5', size: '100' });
      expect(await bot.sums()).toMatchObject({ open: '0', total: '0', orders: 1 });
    });

    it('an order of a bot whose beat ends while the order waits for its turn is refused', async () => {
      const bot = await BotLedger.create(pool);
      await bot.send();
      const holder = await pool.connect();
      try {
        await holder.query('BEGIN');
        await holder.query('SELECT FROM bot_sums WHERE bot_id = $1 FOR UPDATE', [bot.botId]);
        await bot.set(
          `beat_ttl = 1, beat_on_miss = 'halt', last_beat_at = now(), beat_lapses_at = clock_timestamp() + interval '500 milliseconds'`,
        );
        const waiting = bot.begin();
        await pool.query('SELECT pg_sleep(0.6)');
        await holder.query('ROLLBACK');
        expect(await waiting).toMatchObject({ refusal: 'bot_halted' });
      } finally {
        holder.release();
      }
    });

    it('a book that was read more than a second ago is none', async () => {
      const bot = await BotLedger.create(pool, { max_price_distance: '0.05' });
      const old = { price_distance: '0.01', book_at: later(-2) };
      expect(await bot.begin({}, old)).toMatchObject({
        broken: { limit: 'max_price_distance', reason: 'no_reference_price', is_stale: true },
      });
      expect(await bot.begin({}, { price_distance: null })).toMatchObject({ broken: { is_stale: false } });
      await bot.send({}, { price_distance: '0.01' });
    });

    it('how long an order rests goes by the clock of the database, whatever that of the host says', async () => {
      const bot = await BotLedger.create(pool, { max_order_seconds: 600 });
      const asked: Asked = { time_in_force: 'gtd', created_at: new Date(Date.now() + 3_600_000) };
      expect(await bot.begin(asked, { expires_at: later(4_000) })).toMatchObject({
        broken: {
          limit: 'max_order_seconds',
          allowed: 600,
          used: 0,
          asked: expect.any(Number),
          reason: 'expiry_too_late',
        },
      });
      await bot.send(asked, { expires_at: later(599) });
    });
  });

  describe('the price that the market offers', () => {
    const ask = (price: string) => ({ price, size: '10' });
    const buy = { market_id: 'M', outcome_index: 0, side: 'buy', price: '0.9' } as AskedOrder;
    let tradedAt = '';
    beforeEach(() => {
      tradedAt = later(-3_600);
    });
    /** An exchange whose market shows these asks, and was traded at 0.4 last, an hour ago. */
    const exchangeWith = (...asks: string[]): Exchange => {
      const trades = { items: [{ price: '0.4', outcome: { index: 0 }, timestamp: tradedAt }], next: null };
      const marketData = {
        getOrderBook: () => Promise.resolve({ value: { asks: asks.map(ask), bids: [] } }),
        listTrades: () => Promise.resolve({ value: trades }),
      };
      return { id: 'kalshi', marketData } as unknown as Exchange;
    };
    const distanceOf = async ({ botId }: BotLedger, exchange: Exchange): Promise<string | null> => {
      const settings = Settings.read({ DATA_DIR: join(workspace, 'settings'), DATABASE_URL: database.url });
      const prices = new ReferencePrices(new Reservations(service.transactions), settings);
      return (await prices.distanceOf(botId, exchange, buy)).distance;
    };

    it.each([
      ['rests', 'made'],
      ['was cancelled just now', 'closed'],
      ['was cancelled just now, and is proved', 'proved'],
    ])('is not what the bot itself offers, where that %s', async (_, state) => {
      const bot = await BotLedger.create(pool);
      const id = await resting(bot, { side: 'sell', price: '0.9' });
      if (state !== 'made') await bot.becomes(id, 'closed');
      if (state === 'proved') await bot.prove(id, true, {}, '0');
      expect(await distanceOf(bot, exchangeWith('0.9'))).toBe('0.5');
    });

    it('is what others offer at the price of what the bot has cancelled', async () => {
      const bot = await BotLedger.create(pool);
      const id = await resting(bot, { side: 'sell', price: '0.5' });
      await bot.becomes(id, 'closed');
      expect(await distanceOf(bot, exchangeWith('0.5', '0.9'))).toBe('0.4');
    });

    it.each([
      ['is on its way', 'sending'],
      ['is of unknown fate', 'unknown'],
      ['has filled, which was not read', 'made'],
    ])("is what others offer beside an order of the bot's that %s, and that no book shows", async (_, state) => {
      const bot = await BotLedger.create(pool);
      const id = await bot.send({ side: 'sell', price: '0.5' });
      if (state !== 'sending') await bot.becomes(id, state, { status: 'open', filled_size: '0', exchange_id: id });
      expect(await distanceOf(bot, exchangeWith('0.5', '0.9'))).toBe('0.4');
    });

    it("is no last price of a time at which no own order's fills were read", async () => {
      const bot = await BotLedger.create(pool);
      const id = await resting(bot, { side: 'sell', price: '0.9' });
      tradedAt = later(0);
      expect(await distanceOf(bot, exchangeWith())).toBeNull();
      await pool.query(`UPDATE reservations SET shown_at = now() + interval '10 seconds' WHERE placement_id = $1`, [
        id,
      ]);
      expect(await distanceOf(bot, exchangeWith())).toBe('0.5');
    });

    it("is no last price that may be the bot's own", async () => {
      const bot = await BotLedger.create(pool);
      await holding(bot, 10);
      expect(await distanceOf(bot, exchangeWith())).toBeNull();
      await pool.query(`UPDATE bot_positions SET traded_at = now() - interval '25 hours' WHERE bot_id = $1`, [
        bot.botId,
      ]);
      expect(await distanceOf(bot, exchangeWith())).toBe('0.5');
    });
  });

  describe('orders of several bots', () => {
    it('that are cancelled, and shown, by two at once never wait for each other in a circle', async () => {
      const bots = [await BotLedger.create(pool), await BotLedger.create(pool), await BotLedger.create(pool)];
      for (let round = 0; round < 5; round += 1) {
        const ids: string[] = [];
        for (let count = 0; count < 12; count += 1) {
          const bot = bots[count % bots.length];
          if (bot !== undefined) ids.push(await resting(bot));
        }
        const orders = ids.map((orderId) => ({ orderId, size: null }));
        await Promise.all([
          reads.noteCancelled('usr_1', 'kalshi', orders, '[]'),
          proofs.markShown(ids.toReversed()),
          reads.noteCancelled('usr_1', 'kalshi', orders.toReversed(), '[]'),
          proofs.markShown(ids),
          ...ids
            .toReversed()
            .map((id) =>
              pool.query('SELECT prove_order($1, now(), NULL, NULL, false, false, $2)', [id, { a: pending('1') }]),
            ),
        ]);
      }
      for (const bot of bots) expect(await bot.sums()).toMatchObject({ open: '0', orders: 0 });
    });
  });
});
