import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { KeptPreviews } from '../../src/agents/previews/kept-previews.repository.js';
import { Retention } from '../../src/platform/retention/retention.js';
import { BOTS } from '../support/bots.js';
import { get, remove } from '../support/calls.js';
import { json } from '../support/gateway.js';
import { fateOf, orderIdOf, type PreviewBot, PreviewStand } from './preview-stand.js';

interface Warned {
  readonly warnings: readonly object[];
}

describe('preview_order (contract.md 5.21)', () => {
  let place: PreviewStand;

  beforeAll(async () => {
    place = await PreviewStand.start();
  }, 60_000);

  afterEach(() => {
    place.stand.heal();
  });

  afterAll(() => place.close());

  const rowsOf = async ({ id }: PreviewBot): Promise<number> =>
    (await place.stand.app.query('SELECT FROM order_previews WHERE bot_id = $1', [id])).length;

  it('is made 60 times in any 60 s by one bot, over two instances at once, and past that says when to come again', async () => {
    const venue = place.venues.kalshi;
    const [bot, sibling] = [await place.aBot(venue), await place.aBot(venue)];
    const atOnce = (count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, index) =>
          bot.agents[index % 2 === 0 ? 0 : 1].call('preview_order', venue.order),
        ),
      );
    for (let made = 0; made < 54; made += 9) await atOnce(9);
    expect(await rowsOf(bot)).toBe(54);
    const answers = await atOnce(14);
    const refused = answers.filter(({ isError }) => isError);
    expect([refused.length, await rowsOf(bot)]).toEqual([8, 60]);
    expect(refused.map(fateOf)).toEqual(refused.map(() => ['rate_limited', 'previews']));
    const waits = refused.map(({ answer }) => (answer.error as { retry_after_seconds: number }).retry_after_seconds);
    for (const wait of waits) {
      expect(wait).toBeGreaterThan(30);
      expect(wait).toBeLessThanOrEqual(60);
    }
    expect(fateOf(await sibling.agents[0].call('preview_order', venue.order))).toEqual([undefined, undefined]);
    const [first] = await place.stand.app.query('SELECT id FROM order_previews WHERE bot_id = $1 LIMIT 1', [bot.id]);
    await place.age(String(first?.id), 61);
    const again = await Promise.all(bot.agents.map((agent) => agent.call('preview_order', venue.order)));
    expect(again.map(({ isError }) => isError).sort()).toEqual([false, true]);
  }, 60_000);

  it('R-22 the newest 100 of a bot that were not placed are kept, and those that were', async () => {
    const venue = place.venues.kalshi;
    const bot = await place.aBot(venue);
    const id = await place.preview(bot, venue.order);
    expect(fateOf(await bot.agents[0].call('place_order', { preview_id: id }))).toEqual(['placed', null]);
    await place.age(id, 7_200);
    await place.stand.app.query(
      `INSERT INTO order_previews (id, bot_id, exchange, market_id, request, of_day, created_at)
       SELECT 'prv_' || lpad(n::text, 26, '0'), $1, 'kalshi', 'KX-1', '{}', n, now() - n * interval '2 minutes' FROM generate_series(1, 100) AS n`,
      [bot.id],
    );
    await place.preview(bot, venue.order);
    expect(await rowsOf(bot)).toBe(101);
    const kept = async (n: number): Promise<unknown[]> =>
      fateOf(await bot.agents[0].call('get_order', { preview_id: `prv_${String(n).padStart(26, '0')}` }));
    expect([await kept(99), await kept(100)]).toEqual([
      ['expired', 'preview_order'],
      ['not_found', undefined],
    ]);
    expect(fateOf(await bot.agents[0].call('get_order', { preview_id: id }))).toEqual(['placed', null]);
  });

  it('R-22 of those that were placed and made no order within 10 minutes no more are kept', async () => {
    const venue = place.venues.kalshi;
    const bot = await place.aBot(venue);
    const id = await place.preview(bot, venue.order);
    expect(fateOf(await bot.agents[0].call('place_order', { preview_id: id }))).toEqual(['placed', null]);
    await place.age(id, 14_400);
    // Of every second one a placing was begun: those of 2 and 6 minutes ago may be begun anew.
    await place.stand.app.query(
      `INSERT INTO order_previews (id, bot_id, exchange, market_id, request, of_day, created_at, placed_at)
       SELECT 'prv_1' || lpad(n::text, 25, '0'), $1, 'kalshi', 'KX-1', '{}', n, now() - n * interval '2 minutes',
              CASE WHEN n % 2 = 1 THEN now() - n * interval '2 minutes' END FROM generate_series(1, 120) AS n`,
      [bot.id],
    );
    await place.preview(bot, venue.order);
    expect(await rowsOf(bot)).toBe(1 + 2 + 100);
    expect(fateOf(await bot.agents[0].call('get_order', { preview_id: id }))).toEqual(['placed', null]);
  });

  it('waits with one connection of an instance, however many a bot asks for at once', async () => {
    const venue = place.venues.kalshi;
    const bot = await place.aBot(venue);
    const answers = await place.whileLocked(bot, async () => {
      const calls = Array.from({ length: 12 }, (_, index) =>
        bot.agents[index % 2 === 0 ? 0 : 1].call('preview_order', venue.order),
      );
      while ((await place.waiting()) < 2);
      await delay(500);
      expect(await place.waiting()).toBe(2);
      return calls;
    });
    expect(answers.map(({ isError }) => isError)).toEqual(answers.map(() => false));
  });

  it('R-22 goes after 24 h, with its bot and with the account', async () => {
    const venue = place.venues.kalshi;
    const [bot, gone] = [await place.aBot(venue), await place.aBot(venue)];
    const [old, young] = [await place.preview(bot, venue.order), await place.preview(bot, venue.order)];
    await place.preview(gone, venue.order);
    await place.age(old, 86_401);
    await remove(place.stand.app, `${BOTS}/${gone.id}`, venue.trader().user.token).expect(200);
    await place.stand.app.get(Retention).run();
    const left = await place.stand.app.query('SELECT id FROM order_previews WHERE bot_id = $1', [bot.id]);
    expect([left, await rowsOf(gone)]).toEqual([[{ id: young }], 0]);
  });

  it('S-31 is ended at its placing by the call that is at it, and by none that was frozen before', async () => {
    const venue = place.venues.kalshi;
    const bot = await place.aBot(venue);
    const id = await place.preview(bot, venue.order);
    const { app } = place.stand;
    const kept = app.get(KeptPreviews);
    const scope = { userId: venue.trader().user.id, botId: bot.id };
    const begin = async (): Promise<string> =>
      (await kept.beginPlacing(scope, id, performance.now() + 5_000))?.turn ?? 'none';
    const isBegun = async (): Promise<boolean> => {
      const [row] = await app.query('SELECT placing_until IS NOT NULL AS is_begun FROM order_previews WHERE id = $1', [
        id,
      ]);
      return row?.is_begun === true;
    };
    const frozen = await begin();
    await app.query(`UPDATE order_previews SET placing_until = now() - interval '1 second' WHERE id = $1`, [id]);
    const present = await begin();
    expect(new Set([frozen, present, 'none']).size).toBe(3);
    await kept.endPlacing(id, frozen);
    expect(await isBegun()).toBe(true);
    await kept.endPlacing(id, present);
    expect(await isBegun()).toBe(false);
  });

  it('warns of an order of the same terms that the bot sent within 10 minutes, whatever outcome it names, and of no other', async () => {
    const venue = place.venues.kalshi;
    const bot = await place.aBot(venue);
    const warned = async (change: object = {}): Promise<readonly object[]> => {
      const { answer } = await bot.agents[0].call('preview_order', { ...venue.order, outcome: 1, ...change });
      return (answer as unknown as Warned).warnings;
    };
    const preview_id = await place.preview(bot, { ...venue.order, outcome: 1 });
    expect(await warned()).toEqual([]);
    const order_id = orderIdOf(await bot.agents[0].call('place_order', { preview_id }));
    expect(await warned({ price: '0.020', size: '1.00' })).toMatchObject([
      { code: 'same_terms', preview_id, order_id },
    ]);
    for (const change of [{ price: '0.03' }, { size: '2' }, { side: 'sell' }, { outcome: 0 }])
      expect(await warned(change)).toEqual([]);
    await place.stand.app.query(`UPDATE placements SET created_at = now() - interval '601 seconds' WHERE bot_id = $1`, [
      bot.id,
    ]);
    expect(await warned()).toEqual([]);
  });

  it.each(['fok', 'ioc'])(
    'binds what a %s at polymarket spends, and for how much, whatever the book is by then',
    async (life) => {
      const venue = place.venues.polymarket;
      const bot = await place.aBot(venue);
      const { clob } = place.stand.gateways;
      const order = { ...venue.order, price: '0.99', size: '5', time_in_force: life };
      const { answer } = await bot.agents[0].call('preview_order', order);
      const { preview_id, order: previewed } = answer as unknown as {
        preview_id: string;
        order: { money: string; shares: string };
      };
      const [book] = clob.arrived.filter(({ path }) => path.endsWith('/book')).slice(-1);
      const asset_id = book?.query.get('token_id') ?? '';
      clob.misbehave('/book', json(200, { asset_id, bids: [], asks: [{ price: '0.98', size: '10000' }] }), 'GET');
      await bot.agents[1].call('place_order', { preview_id });
      const sent = clob.arrived.filter(({ method, path }) => method === 'POST' && path.endsWith('/order')).at(-1);
      const { makerAmount, takerAmount } = (JSON.parse(sent?.body ?? '') as { order: Record<string, string> }).order;
      expect([Number(makerAmount) / 1e6, Number(takerAmount) / 1e6]).toEqual([
        Number(previewed.money),
        Number(previewed.shares),
      ]);
    },
  );

  it('takes no order that does not say which outcome it buys, and answers the label of the one that it names', async () => {
    const venue = place.venues.kalshi;
    const bot = await place.aBot(venue);
    const { answer } = await bot.agents[0].call('preview_order', { ...venue.order, outcome: undefined });
    expect(answer).toMatchObject({ error: { code: 'bad_request', details: { fields: [{ field: 'outcome' }] } } });
    const named = await bot.agents[0].call('preview_order', { ...venue.order, outcome: 1 });
    expect(named.answer).toMatchObject({ order: { outcome_index: 1, outcome: { index: 1, untrusted_label: 'No' } } });
  });

  it('has nothing to place where the order cannot be prepared, and keeps nothing', async () => {
    const venue = place.venues.polymarket;
    const bot = await place.aBot(venue);
    const { answer } = await bot.agents[0].call('preview_order', {
      ...venue.order,
      size: '900000',
      time_in_force: 'fok',
    });
    expect(answer).toMatchObject({ preview_id: null, expires_at: null, would_be_refused: { reason: 'not_filled' } });
    expect(await rowsOf(bot)).toBe(0);
  });

  it('S-41 is in the activity, with the client that it claims to come from, also where it is not placed', async () => {
    const venue = place.venues.kalshi;
    const bot = await place.aBot(venue);
    const preview_id = await place.preview(bot, venue.order);
    const path = `/account/activity?bot_id=${bot.id}`;
    const entries = async (): Promise<{ type: string }[]> =>
      ((await get(place.stand.app, path, venue.trader().user.token)).body as { data: { type: string }[] }).data;
    expect((await entries()).filter(({ type }) => type === 'order_previewed')).toMatchObject([
      {
        exchange: 'kalshi',
        bot_id: bot.id,
        details: {
          claimed_client: 'test agent 1.0.0',
          preview_id,
          outcome_index: 0,
          side: 'buy',
          price: '0.02',
          size: '1',
          time_in_force: 'gtc',
        },
      },
    ]);
    await place.stand.app.query('UPDATE order_previews SET of_day = 1000 WHERE id = $1', [preview_id]);
    await place.preview(bot, venue.order);
    expect((await entries()).filter(({ type }) => type === 'order_previewed')).toHaveLength(1);
  });
});
