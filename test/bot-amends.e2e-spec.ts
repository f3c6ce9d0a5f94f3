import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { OrderProofs } from '../src/proxy/orders/order-proofs.js';
import { aPool } from './support/bot-ledger.js';
import { aBot, outcome } from './support/bots.js';
import { callAs, detailsOf } from './support/calls.js';
import { FaultStand } from './support/fault-stand.js';
import { json } from './support/gateway.js';

const AMEND = '/amend';
const MARKET = 'KXHIGHNY-TODAY-B55.5';
const LOT = 1_000_000n;

interface Usage {
  readonly open_risk: Readonly<Record<string, string>>;
  readonly daily_risk: Readonly<Record<string, string>>;
  readonly total_risk: Readonly<Record<string, string>>;
  readonly open_orders: number;
  readonly orders_last_minute: number;
}

describe('changes of orders of bots (contract.md 5.16)', () => {
  let stand: FaultStand;

  beforeAll(async () => {
    stand = await FaultStand.start(2_000);
  });

  afterEach(() => {
    stand.heal();
  });

  afterAll(() => stand.close());

  beforeEach(() => call(stand.trader.key, 'delete', '/kalshi/orders'));

  const call = (
    bearer: string,
    method: 'get' | 'post' | 'put' | 'patch' | 'delete',
    path: string,
    body?: object,
  ): Promise<Response> => callAs({ app: stand.app, bearer }, method, path, body && { body });
  const newBot = (limits: object = {}, terms: object = {}) => aBot(stand.app, stand.trader.user, { limits, ...terms });
  /** Buys 10 at 0.02 where nothing else is said: 0.2 is at risk. */
  const made = async (bearer: string, terms: object = {}): Promise<string> => {
    const order = { market_id: MARKET, outcome: 'yes', side: 'buy', price: '0.02', size: '10', ...terms };
    const answer = await call(bearer, 'post', '/kalshi/orders', order);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return (answer.body as { id: string }).id;
  };
  const amend = (bearer: string, id: string, change: object): Promise<Response> =>
    call(bearer, 'patch', `/kalshi/orders/${id}`, change);
  const usage = async (bearer: string): Promise<Usage> =>
    ((await call(bearer, 'get', '/bot')).body as { usage: Usage }).usage;
  const openRisk = async (bearer: string): Promise<string | undefined> => (await usage(bearer)).open_risk.USD;
  const gateway = () => stand.gatewayOf('kalshi');
  const sent = (): number => gateway().count('POST', AMEND);
  /** One reading of all orders of bots, as the service makes it by itself. */
  const proofs = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await stand.app.get(OrderProofs).read(stand.trader.user.id, 'kalshi');
  };
  /** As if so long had passed since the last change. */
  const later = (): Promise<unknown> =>
    stand.app.query(
      `UPDATE reservations SET amend_until = amend_until - interval '10 minutes', terms_at = terms_at - interval '10 minutes'`,
    );

  describe('limits', () => {
    it('exactly up to max_open_risk, and no further; nothing is sent above', async () => {
      const { key } = await newBot({ max_open_risk: '0.5' });
      const id = await made(key);
      const before = sent();
      const answer = await amend(key, id, { price: '0.03', size: '17' });
      expect(outcome(answer)).toEqual([403, 'limit_exceeded', undefined]);
      expect(detailsOf(answer)).toMatchObject({ limit: 'max_open_risk', allowed: '0.5', used: '0.2', asked: '0.31' });
      expect([sent(), await openRisk(key)]).toEqual([before, '0.2']);
      expect((await amend(key, id, { price: '0.03', size: '16.66' })).status).toBe(200);
      expect((await amend(key, id, { price: '0.02' })).status).toBe(200);
      expect((await amend(key, id, { size: '25' })).status).toBe(200);
      expect(await openRisk(key)).toBe('0.5');
    });

    it('a sale of YES risks what is left of 1', async () => {
      const { key } = await newBot({ max_open_risk: '0.3' });
      const id = await made(key, { side: 'sell', price: '0.98' });
      // It is read as a purchase of NO at 0.02.
      expect((await amend(key, id, { price: '0.03' })).body).toMatchObject({ price: '0.03', outcome: { index: 1 } });
      expect(await openRisk(key)).toBe('0.3');
      expect(outcome(await amend(key, id, { price: '0.04' }))[1]).toBe('limit_exceeded');
    });

    it.each([
      [{ price: '0.03', size: '5' }, '0.3', '0.15'],
      [{ price: '0.01', size: '100' }, '2', '1'],
    ])('%j reserves the larger size at the dearer price while it is on its way', async (change, most, left) => {
      const { key } = await newBot({ max_open_risk: most });
      const id = await made(key);
      const held = gateway().hold('POST', AMEND, 1);
      const before = sent();
      const changing = amend(key, id, change);
      await gateway().hasCome('POST', AMEND, before + 1);
      expect(await openRisk(key)).toBe(most);
      held.release();
      expect((await changing).status).toBe(200);
      expect(await openRisk(key)).toBe(left);
    });

    it('what fills whole while a lost change is on its way counts at its own price', async () => {
      const { key } = await newBot();
      const id = await made(key);
      stand.sandbox.kalshi.races.fillBeforeChange(id, 10n * LOT);
      gateway().answerInstead(AMEND, (response) => response.destroy(), 'POST');
      expect(outcome(await amend(key, id, { price: '0.01', size: '11' }))[1]).toBe('order_outcome_unknown');
      await proofs();
      expect((await usage(key)).total_risk).toEqual({ USD: '0.2' });
    });

    it.each([
      ['max_order_risk', '0.25', { size: '13' }, { size: '12.5' }, { allowed: '0.25', used: '0', asked: '0.26' }],
      ['max_daily_risk', '0.25', { size: '13' }, { size: '12.5' }, { used: '0.2', asked: '0.06' }],
      ['max_total_risk', '0.25', { size: '13' }, { size: '12.5' }, { used: '0.2', asked: '0.06', resets_at: null }],
      ['max_position', '12', { size: '12.01' }, { size: '12' }, { allowed: '12', used: '10', asked: '2.01' }],
    ])('%s %s', async (limit, most, above, edge, details) => {
      const { key } = await newBot({ [limit]: most });
      const id = await made(key);
      const answer = await amend(key, id, above);
      expect([outcome(answer), detailsOf(answer)]).toMatchObject([[403, 'limit_exceeded'], { limit, ...details }]);
      expect((await amend(key, id, edge)).status).toBe(200);
      // Without what could be refused again.
      expect((await amend(key, id, { size: '1' })).status).toBe(200);
    });

    it.each(['proved', 'not proved yet'])(
      'max_order_risk counts what has filled, %s, at its own price',
      async (how) => {
        const { key } = await newBot({ max_order_risk: '0.6' });
        const id = await made(key, { price: '0.05' });
        stand.sandbox.kalshi.races.fill(id, 5n * LOT, Date.now());
        if (how === 'proved') await proofs();
        const answer = await amend(key, id, { price: '0.02', size: '25' });
        expect(detailsOf(answer)).toMatchObject({ limit: 'max_order_risk', allowed: '0.6', asked: '0.65' });
        expect((await amend(key, id, { price: '0.02', size: '22.5' })).status).toBe(200);
      },
    );

    it('max_orders_per_minute counts each change, a smaller one too', async () => {
      const { key } = await newBot({ max_orders_per_minute: 2 });
      const id = await made(key);
      expect((await amend(key, id, { size: '9' })).status).toBe(200);
      const answer = await amend(key, id, { size: '8' });
      expect(detailsOf(answer)).toMatchObject({ limit: 'max_orders_per_minute', allowed: 2, used: 2, asked: 1 });
      expect((await usage(key)).orders_last_minute).toBe(2);
    });

    it('max_price_distance holds for a dearer price and a larger size, not for a cheaper or smaller one', async () => {
      const { key } = await newBot({ max_price_distance: '0.01' });
      const id = await made(key, { price: '0.40' });
      expect((await amend(key, id, { price: '0.43' })).status).toBe(200);
      expect(detailsOf(await amend(key, id, { price: '0.46' }))).toMatchObject({ limit: 'max_price_distance' });
      expect((await amend(key, id, { size: '4' })).status).toBe(200);
      expect((await amend(key, id, { price: '0.10' })).status).toBe(200);
    });

    /** As if a cancel or a smaller size of before were not in the reads yet. */
    const laggingOrder = async (id: string, known: string): Promise<void> => {
      const { user } = stand.trader;
      await stand.app.query(
        `UPDATE reservations SET ${known} FROM placements WHERE placements.id = placement_id AND exchange_id = $1`,
        [id],
      );
      await stand.app.query(`SELECT reckon_order(id) FROM placements WHERE exchange_id = $1 AND user_id = $2`, [
        id,
        user.id,
      ]);
    };

    it.each([
      ['max_order_risk', '0.25', '0.3'],
      ['max_position', '12', '5'],
    ])('%s holds above what is reserved, where the read shows more', async (limit, most, asked) => {
      const { key, id: bot } = await newBot();
      const id = await made(key, { size: '20' });
      await laggingOrder(id, `size = 10, most = 10, stated_at = clock_timestamp() + interval '1 minute'`);
      await call(stand.trader.user.token, 'patch', `/account/bots/${bot}`, { limits: { [limit]: most } });
      expect(detailsOf(await amend(key, id, { size: '15' }))).toMatchObject({ limit, asked });
      expect((await amend(key, id, { size: '10' })).status).toBe(200);
    });

    it('max_open_orders holds for an order that a cancel has ended, and that rests all the same', async () => {
      const { key } = await newBot({ max_open_orders: 1 });
      const id = await made(key);
      await laggingOrder(id, `fate = 'cancelled', ended_at = clock_timestamp() + interval '1 minute'`);
      const other = await made(key);
      const details = { limit: 'max_open_orders', allowed: 1, used: 1, asked: 1 };
      expect(detailsOf(await amend(key, id, { size: '5' }))).toMatchObject(details);
      await call(key, 'delete', `/kalshi/orders/${other}`);
      expect((await amend(key, id, { size: '5' })).status).toBe(200);
      expect((await usage(key)).open_orders).toBe(1);
    });

    it('max_order_seconds counts from when the order was made', async () => {
      const { key } = await newBot({ max_order_seconds: 3_600 });
      const id = await made(key);
      const ahead = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
      const answer = await amend(key, id, { expires_at: ahead(3_700) });
      expect(outcome(answer)).toEqual([403, 'limit_exceeded', 'expiry_too_late']);
      expect((await amend(key, id, { expires_at: ahead(3_000) })).status).toBe(200);
      expect((await amend(key, id, { size: '11' })).status).toBe(200);
    });

    it('what was raised on a day counts for it, whenever the order was made', async () => {
      const { id: bot, key } = await newBot({ max_daily_risk: '0.25' });
      const id = await made(key);
      await stand.app.query(`UPDATE reservations SET day = day - 1 WHERE bot_id = $1`, [bot]);
      await stand.app.query(`UPDATE bot_risks SET day_live = 0 WHERE bot_id = $1`, [bot]);
      await stand.app.query(`UPDATE bot_positions SET day_live = 0 WHERE bot_id = $1`, [bot]);
      expect((await amend(key, id, { size: '5' })).status).toBe(200);
      expect((await usage(key)).daily_risk).toEqual({});
      expect((await amend(key, id, { size: '12.5' })).status).toBe(200);
      expect((await usage(key)).daily_risk).toEqual({ USD: '0.25' });
    });

    it('what has filled stays in the day and in total', async () => {
      const { key } = await newBot({ max_total_risk: '0.5' });
      const id = await made(key);
      stand.sandbox.kalshi.races.fill(id, 5n * LOT, Date.now());
      await proofs();
      expect(await usage(key)).toMatchObject({ open_risk: { USD: '0.1' }, total_risk: { USD: '0.2' } });
      expect(detailsOf(await amend(key, id, { price: '0.05', size: '11' }))).toMatchObject({ limit: 'max_total_risk' });
      expect((await amend(key, id, { price: '0.05' })).status).toBe(200);
      expect(await usage(key)).toMatchObject({ open_risk: { USD: '0.25' }, total_risk: { USD: '0.5' } });
    });
  });

  describe('what is reserved', () => {
    it('a refusal of the exchange, and a change that was not sent, leave what was', async () => {
      const { key } = await newBot();
      const id = await made(key);
      gateway().misbehave(AMEND, json(400, { error: { code: 'invalid_order', message: 'no' } }), 'POST');
      expect(outcome(await amend(key, id, { size: '20' }))[1]).toBe('exchange_rejected');
      expect(await openRisk(key)).toBe('0.2');
      gateway().misbehave('/portfolio/orders', (response) => response.destroy(), 'GET');
      expect((await amend(key, id, { size: '20' })).status).toBeGreaterThan(500);
      expect(await openRisk(key)).toBe('0.2');
    });

    it('a change that had begun, and of which no byte left, leaves what was', async () => {
      const { key, id: bot } = await newBot();
      const id = await made(key);
      const pool = aPool(stand.app.database, 1);
      const holder = await pool.connect();
      await holder.query('BEGIN');
      await holder.query('SELECT FROM bot_sums WHERE bot_id = $1 FOR UPDATE', [bot]);
      const before = sent();
      const change = amend(key, id, { price: '0.03', size: '20' });
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      while ((await stand.app.query(waiting)).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      const answer = await gateway().refusing(async () => {
        await holder.query('COMMIT');
        return change;
      });
      holder.release();
      await pool.end();
      expect([outcome(answer), sent(), await openRisk(key)]).toEqual([
        [502, 'exchange_error', undefined],
        before,
        '0.2',
      ]);
      const rows = await stand.app.query('SELECT price, size FROM placements WHERE exchange_id = $1', [id]);
      expect(rows).toEqual([{ price: '0.02', size: '10' }]);
    });

    it('an order that fills, and is proved, after the read is not reserved again: its fills count once', async () => {
      const { key, id: bot } = await newBot();
      const id = await made(key);
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      const path = `/portfolio/orders/${id}`;
      const [before, reads] = [sent(), gateway().count('GET', path)];
      const read = gateway().holdAnswers('GET', path, 1);
      const change = amend(key, id, { price: '0.03' });
      await gateway().hasCome('GET', path, reads + 1);
      stand.sandbox.kalshi.races.fill(id, 10n * LOT, Date.now());
      await stand.app.get(OrderProofs).read(stand.trader.user.id, 'kalshi');
      read.release();
      expect((await change).status).toBeGreaterThan(400);
      expect(sent()).toBe(before);
      await proofs();
      expect(await usage(key)).toMatchObject({ open_risk: {}, total_risk: { USD: '0.2' }, open_orders: 0 });
      const held = await stand.app.query('SELECT trim_scale(held)::text AS held FROM bot_positions WHERE bot_id = $1', [
        bot,
      ]);
      expect(held).toEqual([{ held: '10' }]);
    });

    it.each([
      ['no read shows', '0.2'],
      ['a read shows', '0.1'],
    ])('a cheaper price where %s that nothing has filled', async (how, left) => {
      const { key } = await newBot();
      const id = await made(key);
      const before = sent();
      const held = gateway().hold('POST', AMEND, 1);
      const change = amend(key, id, { price: '0.01' });
      await gateway().hasCome('POST', AMEND, before + 1);
      if (how === 'no read shows') {
        gateway().misbehave(`/portfolio/orders/${id}`, (response) => response.destroy(), 'GET');
        stand.sandbox.kalshi.races.fillBeforeChange(id, 5n * LOT);
      }
      held.release();
      expect((await change).body).toMatchObject({ price: '0.01', filled_size: '0' });
      expect(await openRisk(key)).toBe(left);
    });

    it('a reading that began before a change is answered takes nothing back', async () => {
      const { key } = await newBot();
      const id = await made(key);
      const before = sent();
      const held = gateway().hold('POST', AMEND, 1);
      const change = amend(key, id, { size: '20' });
      await gateway().hasCome('POST', AMEND, before + 1);
      expect(await openRisk(key)).toBe('0.4');
      await proofs();
      expect(await openRisk(key)).toBe('0.4');
      held.release();
      expect((await change).status).toBe(200);
      await proofs();
      expect(await openRisk(key)).toBe('0.4');
      await later();
      await proofs();
      expect(await openRisk(key)).toBe('0.4');
    });

    it.each([
      ['made', '0.4'],
      ['not made', '0.2'],
    ])('of a lost answer the larger, until a later list shows that it was %s', async (how, proved) => {
      const { key } = await newBot();
      const id = await made(key);
      if (how === 'made') gateway().answerInstead(AMEND, (response) => response.destroy(), 'POST');
      else gateway().misbehave(AMEND, (response) => response.destroy(), 'POST');
      expect(outcome(await amend(key, id, { size: '20' }))[1]).toBe('order_outcome_unknown');
      gateway().heal();
      expect(await openRisk(key)).toBe('0.4');
      await proofs();
      expect(await openRisk(key)).toBe('0.4');
      // An earlier change may still arrive: a smaller one gives nothing back.
      expect((await amend(key, id, { size: '5' })).status).toBe(200);
      expect(await openRisk(key)).toBe('0.4');
      if (how === 'made') await call(stand.trader.key, 'patch', `/kalshi/orders/${id}`, { size: '20' });
      else await call(stand.trader.key, 'patch', `/kalshi/orders/${id}`, { size: '10' });
      await later();
      await proofs();
      expect(await openRisk(key)).toBe(proved);
    });

    it('the owner changes an order of a bot, above its limits too, and what is reserved follows', async () => {
      const { key, id: bot } = await newBot({ max_open_risk: '0.2', max_orders_per_minute: 1 });
      const id = await made(key);
      expect((await amend(stand.trader.key, id, { size: '20' })).body).toMatchObject({ size: '20', bot_id: bot });
      expect(await openRisk(key)).toBe('0.4');
      expect((await amend(stand.trader.key, id, { size: '2' })).status).toBe(200);
      expect(await openRisk(key)).toBe('0.04');
      expect((await usage(key)).orders_last_minute).toBe(1);
    });

    it('many at once of one bot hold its limit together', async () => {
      const { key } = await newBot({ max_open_risk: '1' });
      const ids = await Promise.all(Array.from({ length: 4 }, () => made(key)));
      const answers = await Promise.all(ids.map((id) => amend(key, id, { size: '20' })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403]);
      expect(await openRisk(key)).toBe('1');
    });
  });

  describe('any history', () => {
    const orderOf = (id: string) =>
      [...stand.sandbox.kalshi.exchange.accounts.values()].map(({ orders }) => orders.get(id)).find(Boolean);
    /** What the exchange could still execute of a bot's orders, in millionths of a dollar, rounded up. */
    const couldLose = (ids: ReadonlySet<string>): bigint => {
      let risk = 0n;
      for (const order of [...ids].map(orderOf)) {
        if (order?.status !== 'resting') continue;
        risk += (order.side === 'bid' ? order.price : LOT - order.price) * order.remaining;
      }
      return (risk + LOT - 1n) / LOT;
    };

    it.each([1, 2, 3])(
      '%i: what could be executed is reserved, and what is reserved within the limit',
      async (seed) => {
        const { key } = await newBot({ max_open_risk: '1' });
        // Of one outcome, so that nothing is taken back.
        const outcome = seed % 2 === 0 ? 'no' : 'yes';
        let state = seed;
        const random = (below: number): number => {
          state = (state * 48_271) % 2_147_483_647;
          return state % below;
        };
        const ids = new Set<string>();
        /** What has filled, at the price of then. */
        let spent = 0n;
        const one = <T>(values: readonly T[]): T => values[random(values.length)] as T;
        const price = (): string => `0.0${1 + random(6)}`;
        const size = (): string => String(1 + random(30));
        const create = async (): Promise<void> => {
          const terms = { market_id: MARKET, outcome, side: 'buy', price: price(), size: size() };
          const answer = await call(key, 'post', '/kalshi/orders', terms);
          if (answer.status === 200) ids.add((answer.body as { id: string }).id);
        };
        const change = async (): Promise<void> => {
          const asked = one([{ price: price() }, { size: size() }, { price: price(), size: size() }]);
          if (ids.size > 0) await amend(key, one([...ids]), asked);
        };
        const cancel = async (): Promise<void> => {
          if (ids.size > 0) await call(key, 'delete', `/kalshi/orders/${one([...ids])}`);
        };
        const fill = (): Promise<void> => {
          const order = ids.size === 0 ? undefined : orderOf(one([...ids]));
          if (order === undefined) return Promise.resolve();
          const { id, side, price: paid, remaining } = order;
          stand.sandbox.kalshi.races.fill(id, BigInt(1 + random(5)) * LOT, Date.now());
          spent += ((side === 'bid' ? paid : LOT - paid) * (remaining - order.remaining)) / LOT;
          return Promise.resolve();
        };
        const lose = (): Promise<void> => {
          if (random(2) === 0) gateway().answerInstead(AMEND, (response) => response.destroy(), 'POST');
          else gateway().misbehave(AMEND, (response) => response.destroy(), 'POST');
          return Promise.resolve();
        };
        const read = () => stand.app.get(OrderProofs).read(stand.trader.user.id, 'kalshi');
        for (let round = 0; round < 12; round += 1) {
          const work = Array.from({ length: 4 }, () =>
            one([create, change, change, change, cancel, fill, lose, read])(),
          );
          await Promise.all(work);
          stand.heal();
          const { open_risk: open, total_risk: total } = await usage(key);
          const [reserved, all] = [open, total].map(({ USD = '0' }) => BigInt(Math.round(Number(USD) * 1e6)));
          const could = couldLose(ids);
          const isKept = could <= (reserved ?? 0n) && could + spent <= (all ?? 0n);
          expect([round, isKept, (reserved ?? 0n) <= LOT]).toEqual([round, true, true]);
          if (random(3) === 0) await later();
        }
      },
    );
  });

  describe('who may', () => {
    it('a bot changes its own orders alone', async () => {
      const [one, other] = [await newBot(), await newBot()];
      const [own, owners] = [await made(one.key), await made(stand.trader.key)];
      const before = sent();
      expect(outcome(await amend(other.key, own, { price: '0.03' }))[1]).toBe('not_found');
      expect(outcome(await amend(other.key, owners, { price: '0.03' }))[1]).toBe('not_found');
      expect(sent()).toBe(before);
      expect((await amend(one.key, own, { price: '0.03' })).status).toBe(200);
    });

    it('of an exchange, a market or without trade that are not the bot’s any more', async () => {
      const { key, id: bot } = await newBot();
      const id = await made(key);
      const narrow = async (terms: object): Promise<void> => {
        const { status } = await call(stand.trader.user.token, 'patch', `/account/bots/${bot}`, terms);
        expect(status).toBe(200);
      };
      const before = sent();
      await narrow({ markets: [{ exchange: 'kalshi', market_id: 'KXHIGHNY-TODAY-B53.5' }] });
      expect(outcome(await amend(key, id, { price: '0.03' }))).toEqual([403, 'forbidden', 'market_not_allowed']);
      await narrow({ exchanges: ['polymarket'], markets: null });
      expect(outcome(await amend(key, id, { price: '0.03' }))).toEqual([403, 'forbidden', 'exchange_not_allowed']);
      await narrow({ exchanges: null, scopes: ['read'] });
      expect(outcome(await amend(key, id, { price: '0.03' }))[1]).toBe('forbidden');
      expect(sent()).toBe(before);
    });

    it('a halted bot changes nothing', async () => {
      const { key, id: bot } = await newBot();
      const id = await made(key);
      await stand.app.query(
        `UPDATE bots SET halted_at = clock_timestamp(), halt_reason = 'owner', halted_by = 'service', halt_complete_at = clock_timestamp() WHERE id = $1`,
        [bot],
      );
      const before = sent();
      const answer = await amend(key, id, { size: '1' });
      expect([outcome(answer), detailsOf(answer)]).toMatchObject([
        [403, 'bot_halted', 'owner'],
        { reason: 'owner', since: expect.any(String) as unknown },
      ]);
      expect(sent()).toBe(before);
    });

    it('a bot whose heartbeat was missed changes nothing', async () => {
      const { key, id: bot } = await newBot();
      const id = await made(key);
      await call(key, 'put', '/bot/heartbeat', { ttl_seconds: 3_600, on_miss: 'cancel' });
      await stand.app.query(`UPDATE bots SET missed_since = clock_timestamp() WHERE id = $1`, [bot]);
      const before = sent();
      expect(outcome(await amend(key, id, { price: '0.03' }))).toEqual([403, 'bot_halted', 'heartbeat_missed']);
      expect(sent()).toBe(before);
    });

    it('of a change that is on its way nothing rests once a halt has answered, and none begins after it', async () => {
      const { key } = await newBot();
      const id = await made(key);
      const other = await made(key);
      const before = sent();
      const held = gateway().hold('POST', AMEND, 1);
      const change = amend(key, id, { size: '20' });
      await gateway().hasCome('POST', AMEND, before + 1);
      const read = gateway().holdAnswers('GET', `/portfolio/orders/${other}`, 1);
      const late = amend(key, other, { size: '20' });
      await gateway().hasCome('GET', `/portfolio/orders/${other}`, 1);
      const halt = (await call(key, 'post', '/bot/halt')).body as { complete: boolean };
      read.release();
      expect(outcome(await late)).toEqual([403, 'bot_halted', 'bot']);
      expect(sent()).toBe(before + 1);
      held.release();
      await change;
      expect(halt.complete).toBe(true);
      const open = (await call(stand.trader.key, 'get', '/kalshi/orders')).body as { data: object[] };
      expect(open.data).toEqual([]);
      await later();
      await proofs();
      expect((await usage(key)).open_orders).toBe(0);
    });
  });
});
