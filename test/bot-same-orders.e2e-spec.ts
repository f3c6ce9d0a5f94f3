import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { aPool, type Asked, BotLedger } from './support/bot-ledger.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { type ServiceModule, startModule } from './support/database-module.js';

const confirmed = (size: string) => ({ size, status: 'confirmed' }) as const;
const pending = (size: string) => ({ size, status: 'pending' }) as const;
const failed = (size: string) => ({ size, status: 'failed' }) as const;

/** Both risk 5: on each side of the market. */
const SIDES: readonly [string, Asked, sign: '' | '-'][] = [
  ['a purchase', { side: 'buy' }, ''],
  ['a sale', { side: 'sell' }, '-'],
];

describe('an order of the exchange that several rows name counts once (contract.md 5.12)', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let workspace: string;
  let service: ServiceModule;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = aPool(database, 8);
    workspace = await mkdtemp(join(tmpdir(), 'bot-same-orders-'));
    service = await startModule(workspace, { DATABASE_URL: database.url });
  });

  afterAll(async () => {
    await service.app.close();
    await pool.end();
    await database.drop();
    await rm(workspace, { recursive: true });
  });

  /** So many rows of orders that are on their way, and that are one: its name at the exchange, and their ids. */
  const sent = async (count: number, asked: Asked = {}, by: readonly BotLedger[] = []) => {
    const bot = by[0] ?? (await BotLedger.create(pool));
    const ids: string[] = [];
    for (let row = 0; row < count; row += 1) ids.push(await (by[row] ?? bot).send(asked));
    const name = `0x${ids[0] ?? ''}`;
    await pool.query('UPDATE placements SET exchange_id = $2 WHERE id = ANY($1)', [ids, name]);
    return { bot, name, ids, first: ids[0] ?? '', second: ids[1] ?? '' };
  };
  /** The answer was lost more than two minutes ago, and the exchange calls the order a duplicate. */
  const lost = async (bot: BotLedger, id: string): Promise<void> => {
    await bot.becomes(id, 'unknown', { refusal_holds_at: 'infinity' });
    await pool.query(`UPDATE placements SET attempt_at = now() - interval '3 minutes' WHERE id = $1`, [id]);
  };
  /** Made, filled in part, cancelled and proved: nothing of it is reserved any more. */
  const over = async (bot: BotLedger, id: string, filled = '3.75'): Promise<void> => {
    await bot.becomes(id, 'made', { status: 'open', filled_size: '0' });
    await bot.prove(id, true, filled === '0' ? {} : { a: confirmed(filled) }, filled);
    expect(await bot.reserved(id)).toBeUndefined();
  };
  const sizeOf = (sign: string, size: string): string => (size === '0' ? '0' : `${sign}${size}`);

  describe.each(SIDES)('%s whose first answer was lost', (_, asked, sign) => {
    const held = (size: string) => [sizeOf(sign, size), '0', '0'];

    it.each(['closed', 'refused'])(
      'and whose second is over and proved, before the first is proved, and then %s',
      async (end) => {
        const { bot, first, second } = await sent(2, asked);
        await lost(bot, first);
        await over(bot, second);
        await bot.prove(first, true, { a: confirmed('3.75') }, '3.75');
        expect(await bot.position()).toEqual(held('3.75'));
        await bot.becomes(first, end, { status: 'cancelled', filled_size: '3.75' });
        expect(await bot.position()).toEqual(held('3.75'));
        expect(await bot.sums()).toEqual({ open: '0', daily: '1.875', total: '1.875', orders: 0 });
        expect(await bot.reserved(first)).toBeUndefined();
      },
    );

    it.each(['is proved', 'is refused as that of another row', 'is found'])(
      'and whose second is made after the first was proved: also when that %s again',
      async (how) => {
        const { bot, first, second } = await sent(2, asked);
        await lost(bot, first);
        await bot.prove(first, false, { a: confirmed('2'), b: pending('1') }, '3');
        await bot.becomes(second, 'made', { status: 'partially_filled', filled_size: '3' });
        expect(await bot.reserved(second)).toMatchObject({ open: '7', confirmed: '2', pending: '1' });
        if (how === 'is proved') await bot.prove(first, false, { a: confirmed('2'), b: pending('1') }, '3');
        else await bot.becomes(first, how === 'is found' ? 'made' : 'refused');
        expect(await bot.sums()).toEqual({ open: '3.5', daily: '5', total: '5', orders: 1 });
        await bot.prove(second, true, { a: confirmed('2'), b: confirmed('1') }, '3');
        expect(await bot.position()).toEqual(held('3'));
        expect(await bot.sums()).toEqual({ open: '0', daily: '1.5', total: '1.5', orders: 0 });
      },
    );

    it('and the second too: the one that is proved first counts, and what is made after that', async () => {
      const { bot, ids, first, second } = await sent(3, asked);
      for (const id of ids) await lost(bot, id);
      for (const id of [second, first, second, ids[2] ?? '']) {
        await bot.prove(id, false, { a: confirmed('4') }, '4');
        expect(await bot.position()).toEqual(held('4'));
      }
      expect(await bot.sums()).toEqual({ open: '3', daily: '5', total: '5', orders: 1 });
      await bot.becomes(first, 'made', { status: 'partially_filled', filled_size: '4' });
      for (const id of [second, ids[2] ?? '']) await bot.prove(id, true, { a: confirmed('4') }, '4');
      expect(await bot.sums()).toEqual({ open: '3', daily: '5', total: '5', orders: 1 });
      await bot.prove(first, true, { a: confirmed('4'), b: confirmed('1') }, '5');
      expect(await bot.position()).toEqual(held('5'));
      expect(await bot.sums()).toEqual({ open: '0', daily: '2.5', total: '2.5', orders: 0 });
    });

    it('leaves all the room of max_position that the fills of one leave, and no more', async () => {
      const { bot, first, second } = await sent(2, asked);
      await bot.set(`limits = '{"max_position":"5"}'`);
      await lost(bot, first);
      await over(bot, second);
      await bot.prove(first, true, { a: confirmed('3.75') }, '3.75');
      const more = await bot.begin({ ...asked, size: '1.26' });
      expect(more).toMatchObject({ broken: { limit: 'max_position', used: '3.75', asked: '1.26' } });
      await bot.send({ ...asked, size: '1.25' });
      const back: Asked = { side: asked.side === 'buy' ? 'sell' : 'buy', size: '8.76' };
      expect(await bot.begin(back)).toMatchObject({ broken: { limit: 'max_position', used: '-3.75' } });
    });
  });

  it('what failed of it counts by no row, though the exchange states it', async () => {
    const { bot, first, second } = await sent(2);
    await lost(bot, first);
    await bot.becomes(second, 'made', { status: 'open', filled_size: '0' });
    await bot.prove(second, true, { a: failed('5'), b: confirmed('3.75') }, null);
    await bot.becomes(first, 'closed', { status: 'cancelled', filled_size: '8.75' });
    expect(await bot.position()).toEqual(['3.75', '0', '0']);
    expect(await bot.sums()).toEqual({ open: '0', daily: '1.875', total: '1.875', orders: 0 });
  });

  it('a list that lags behind the proof of another row takes nothing back', async () => {
    const { bot, first, second } = await sent(2);
    await over(bot, second);
    await bot.becomes(first, 'made', { status: 'open', filled_size: '0' });
    await bot.prove(first, false, {}, '0');
    expect(await bot.position()).toEqual(['3.75', '0', '0']);
    expect(await bot.sums()).toEqual({ open: '3.125', daily: '5', total: '5', orders: 1 });
    await bot.prove(first, true, { a: confirmed('3.75') }, '3.75');
    expect(await bot.sums()).toEqual({ open: '0', daily: '1.875', total: '1.875', orders: 0 });
  });

  it('what was proved of a row that is then refused counts once where the order lives all the same', async () => {
    const { bot, first } = await sent(1);
    await lost(bot, first);
    await bot.prove(first, true, { a: confirmed('4') }, '4');
    await bot.becomes(first, 'refused');
    await bot.becomes(first, 'closed', { status: 'cancelled', filled_size: '5' });
    await bot.prove(first, true, { a: confirmed('4'), b: confirmed('1') }, '5');
    expect(await bot.position()).toEqual(['5', '0', '0']);
    expect(await bot.sums()).toEqual({ open: '0', daily: '2.5', total: '2.5', orders: 0 });
  });

  describe('what an operator has settled of it counts once', () => {
    /** As `npm run orders -- settle` does, a day later. */
    const settle = async (bot: BotLedger, id: string, filled: string): Promise<void> => {
      await pool.query(`UPDATE placements SET attempt_at = now() - interval '25 hours' WHERE id = $1`, [id]);
      await bot.becomes(id, 'closed', { status: 'cancelled', filled_size: filled });
      await pool.query('SELECT settle_by_hand($1, $2)', [id, filled]);
    };
    const counted = async (bot: BotLedger): Promise<unknown> => [await bot.position(), (await bot.sums()).total];

    it('also where a second row takes it over and is proved, and a third one takes that over', async () => {
      const { bot, ids, first, second } = await sent(3);
      for (const id of ids) await lost(bot, id);
      await settle(bot, first, '4');
      expect(await counted(bot)).toEqual([['4', '0', '0'], '12']);
      await bot.becomes(second, 'made', { status: 'open', filled_size: '0' });
      const trades = { a: confirmed('4') };
      await bot.prove(second, true, trades, '4');
      const third = ids[2] ?? '';
      await bot.becomes(third, 'made', { status: 'open', filled_size: '4' });
      expect(await bot.reserved(third)).toMatchObject({ open: '6', confirmed: '4' });
      await bot.prove(third, true, trades, '4');
      expect(await counted(bot)).toEqual([['4', '0', '0'], '2']);
    });

    it('also where a second row takes it over, and the exchange shows nothing of the order', async () => {
      const { bot, ids, first, second } = await sent(3);
      for (const id of ids) await lost(bot, id);
      await settle(bot, first, '4');
      for (const id of [second, ids[2] ?? '']) {
        await pool.query(`UPDATE placements SET attempt_at = now() - interval '25 hours' WHERE id = $1`, [id]);
        await bot.prove(id, true, {}, null, { isGone: true });
      }
      expect(await counted(bot)).toEqual([['4', '0', '0'], '2']);
    });

    it('also where a row that takes proofs over is settled, once more, and another takes that over', async () => {
      const { bot, ids, first, second } = await sent(4);
      for (const id of ids) await lost(bot, id);
      await bot.becomes(first, 'closed', { status: 'cancelled', filled_size: '2' });
      await bot.prove(first, true, { a: confirmed('2') }, '2');
      await settle(bot, second, '4');
      const third = ids[2] ?? '';
      await settle(bot, third, '5');
      expect(await counted(bot)).toEqual([['5', '0', '0'], '7.5']);
      const last = ids[3] ?? '';
      await bot.becomes(last, 'made', { status: 'open', filled_size: '0' });
      expect(await bot.reserved(last)).toMatchObject({ open: '5', confirmed: '5' });
      await bot.prove(last, true, { a: confirmed('2'), b: confirmed('3') }, '5');
      expect(await counted(bot)).toEqual([['5', '0', '0'], '2.5']);
    });
  });

  it('whichever of its rows instances prove, find and cancel at once', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { bot, ids, first, second } = await sent(3);
      for (const id of [first, ids[2] ?? '']) await lost(bot, id);
      const trades = { a: confirmed('3'), b: confirmed('0.75') };
      await Promise.all([
        ...ids.flatMap((id) => [bot.prove(id, false, trades, '3.75'), bot.prove(id, true, trades, '3.75')]),
        bot.becomes(second, 'made', { status: 'open', filled_size: '0' }),
        bot.becomes(ids[2] ?? '', 'made', { status: 'partially_filled', filled_size: '3.75' }),
      ]);
      for (const id of ids) await bot.prove(id, true, trades, '3.75');
      expect(await bot.position()).toEqual(['3.75', '0', '0']);
      expect(await bot.sums()).toEqual({ open: '0', daily: '1.875', total: '1.875', orders: 0 });
    }
  });

  it('a call whose claim has lapsed is refused, and reserves nothing: an earlier version begins what is not refused', async () => {
    const { bot, first } = await sent(1);
    await pool.query(`UPDATE placements SET state = 'begun', busy_until = now() WHERE id = $1`, [first]);
    await pool.query('DELETE FROM reservations WHERE placement_id = $1', [first]);
    const { rows } = await pool.query(
      `SELECT refusal, broken, may_begin FROM placements AS row,
              begin_order_of_bot('usr_1', NULL, 'kalshi', NULL, NULL, $2, to_jsonb(row), attempt, '{}', false) WHERE id = $1`,
      [first, bot.botId],
    );
    expect(rows).toEqual([{ refusal: 'claim_lapsed', broken: null, may_begin: false }]);
    expect(await bot.reserved(first)).toBeUndefined();
  });

  it('of two bots it counts for the one that is known to have made it, of others not at all', async () => {
    const two = [await BotLedger.create(pool), await BotLedger.create(pool)] as const;
    const { first, second } = await sent(2, {}, two);
    await lost(two[0], first);
    await two[0].prove(first, false, { a: confirmed('3.75') }, '3.75');
    await two[1].becomes(second, 'made', { status: 'open', filled_size: '0' });
    for (const [index, id] of [first, second].entries())
      await two[index === 0 ? 0 : 1].prove(id, true, { a: confirmed('3.75') }, '3.75');
    expect([await two[0].position(), await two[1].position()]).toEqual([
      ['0', '0', '0'],
      ['3.75', '0', '0'],
    ]);
    expect(await two[0].sums()).toEqual({ open: '0', daily: '0', total: '0', orders: 0 });
  });

  it('a bot counts nothing of what the main key has made, and nothing of what was sent before it once it is refused', async () => {
    const [bot, other] = [await BotLedger.create(pool), await BotLedger.create(pool)];
    const { first, second } = await sent(2, {}, [bot, other]);
    await pool.query(`UPDATE placements SET bot_id = NULL, state = 'made' WHERE id = $1`, [first]);
    await lost(other, second);
    await other.prove(second, false, { a: confirmed('3.75') }, '3.75');
    expect([await other.sums(), await other.position()]).toEqual([
      { open: '0', daily: '0', total: '0', orders: 0 },
      ['0', '0', '0'],
    ]);
    const later = await sent(2, {}, [bot, other]);
    for (const [index, id] of later.ids.entries()) await lost(index === 0 ? bot : other, id);
    await other.prove(later.second, false, { a: confirmed('2') }, '2');
    expect(await other.position()).toEqual(['2', '0', '0']);
    await other.becomes(later.second, 'refused');
    expect(await other.position()).toEqual(['0', '0', '0']);
  });

  it('is reserved by the one that was made first, whatever becomes of that', async () => {
    const { bot, first, second } = await sent(2);
    for (const id of [second, first]) await bot.becomes(id, 'made', { status: 'open', filled_size: '0' });
    expect(await bot.sums()).toMatchObject({ open: '5', orders: 1 });
    await bot.becomes(second, 'made', { filled_size: '4' });
    expect(await bot.sums()).toEqual({ open: '3', daily: '5', total: '5', orders: 1 });
    await bot.becomes(first, 'closed', { status: 'cancelled', filled_size: '4' });
    expect(await bot.sums()).toEqual({ open: '3', daily: '5', total: '5', orders: 1 });
  });

  describe('sent once more when it is over and proved', () => {
    it('is reserved where it lives', async () => {
      const { bot, first, second } = await sent(2);
      await over(bot, first, '0');
      await bot.becomes(second, 'made', { status: 'open', filled_size: '0' });
      expect(await bot.sums()).toEqual({ open: '5', daily: '5', total: '5', orders: 1 });
    });

    it('counts where it has filled further at once, and else not twice', async () => {
      const { bot, ids, first, second } = await sent(3);
      await over(bot, first, '0');
      await bot.becomes(second, 'closed', { status: 'filled', filled_size: '10' });
      await bot.prove(second, true, { a: confirmed('10') }, '10');
      expect(await bot.sums()).toMatchObject({ open: '5', orders: 1 });
      const once = ids[2] ?? '';
      await bot.becomes(once, 'closed', { status: 'filled', filled_size: '10' });
      expect([await bot.sums(), await bot.reserved(once)]).toMatchObject([{ total: '5', orders: 0 }, undefined]);
      expect(await bot.position()).toEqual(['10', '0', '0']);
    });
  });
});
