import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request from 'supertest';
import { Retention } from '../../src/platform/retention/retention.js';
import { OrderSettler } from '../../src/proxy/orders/order-settler.js';
import { GENERATIONS } from '../support/agents.js';
import { BOTS, outcome } from '../support/bots.js';
import { get, post, remove } from '../support/calls.js';
import { EXCHANGE } from '../support/exchanges.js';
import { json } from '../support/gateway.js';
import { startInstance } from '../support/instance.js';
import { aTrader, storeCredentials } from '../support/sandbox.js';
import { activeKey } from '../support/session-keys.js';
import { aUser } from '../support/users.js';
import { fateOf, orderIdOf, type PreviewBot, PreviewStand, type Venue } from './preview-stand.js';

const VENUES = ['kalshi', 'polymarket'] as const;

describe('place_order (contract.md 5.21)', () => {
  let place: PreviewStand;

  beforeAll(async () => {
    place = await PreviewStand.start();
  }, 60_000);

  afterEach(() => {
    place.stand.heal();
  });

  afterAll(() => place.close());

  const placed = ({ agents }: PreviewBot, preview_id: string, at: 0 | 1 = 0) =>
    agents[at].call('place_order', { preview_id });
  const asked = ({ agents }: PreviewBot, preview_id: string) => agents[0].call('get_order', { preview_id });
  const wireOf = ({ exchange }: Venue): string => EXCHANGE[exchange].wire.order[1];
  /** The exchange makes the order, and its answer is lost; or nothing arrives. */
  const lose = (venue: Venue, isMade = true): void => {
    const gateway = place.stand.gatewayOf(venue.exchange);
    if (isMade) gateway.answerInstead(wireOf(venue), (response) => void response.destroy(), 'POST');
    else gateway.misbehave(wireOf(venue), (response) => void response.destroy(), 'POST');
  };

  it.each(GENERATIONS)('with the %s official client: preview, place, read, cancel', async (_, start) => {
    const venue = place.venues.kalshi;
    const { key } = await place.aBot(venue);
    const agent = await start(place.stand.app, key);
    try {
      const previewed = await agent.call('preview_order', venue.order);
      expect(previewed.structured).toEqual(previewed.answer);
      expect(previewed.answer).toMatchObject({
        preview_id: expect.stringMatching(/^prv_/),
        order: { outcome: { index: 0, untrusted_label: 'Yes' }, side: 'buy', price: '0.02', size: '1' },
        cost: '0.02',
        would_be_refused: null,
        warnings: [],
        mode: 'sandbox',
      });
      const { preview_id } = previewed.answer;
      const made = await agent.call('place_order', { preview_id });
      expect(made.answer).toMatchObject({ state: 'placed', preview_id, next: null, order: { status: 'open' } });
      const read = await agent.call('get_order', { preview_id });
      expect([fateOf(read), orderIdOf(read)]).toEqual([['placed', null], orderIdOf(made)]);
      const byId = await agent.call('get_order', { exchange: 'kalshi', order_id: orderIdOf(made) });
      expect(byId.answer).toMatchObject({ order: { id: orderIdOf(made), price: '0.02' } });
      await remove(place.stand.app, `/kalshi/orders/${String(orderIdOf(made))}`, key).expect(200);
      expect((await agent.call('get_order', { preview_id })).answer).toMatchObject({ order: { status: 'cancelled' } });
    } finally {
      await agent.close();
    }
  });

  it.each(VENUES)(
    'R-14 of 50 identical calls over two instances at %s, 5 of them after 61 s, the first answer lost, one order is made',
    async (name) => {
      const venue = place.venues[name];
      const bot = await place.aBot(venue);
      const id = await place.preview(bot, venue.order);
      const [before, sentBefore] = [place.held(venue), place.sent(venue)];
      lose(venue);
      const calls = Array.from({ length: 45 }, (_, index) => placed(bot, id, index % 2 === 0 ? 0 : 1));
      await place.stand.gatewayOf(venue.exchange).hasCome('POST', wireOf(venue), sentBefore + 1);
      place.stand.heal();
      const answers = await Promise.all(calls);
      expect(new Set(answers.map((answer) => String(fateOf(answer)[0])))).toEqual(new Set(['placed', 'unknown']));
      await place.age(id, 61);
      const late = await Promise.all(Array.from({ length: 5 }, (_, index) => placed(bot, id, index % 2 === 0 ? 0 : 1)));
      expect(late.map(fateOf)).toEqual(late.map(() => ['placed', null]));
      const ids = [...answers, ...late].map(orderIdOf).filter((one) => one !== undefined);
      expect(new Set(ids).size).toBe(1);
      expect([place.held(venue) - before, fateOf(await asked(bot, id))]).toEqual([1, ['placed', null]]);
    },
    60_000,
  );

  it.each(VENUES)(
    'answers as the order at %s for as long as its key is kept, and makes no other after that',
    async (name) => {
      const venue = place.venues[name];
      const bot = await place.aBot(venue);
      const id = await place.preview(bot, venue.order);
      const orderId = orderIdOf(await placed(bot, id));
      const before = place.held(venue);
      const ages = async (hours: number): Promise<void> => {
        await place.age(id, hours * 3_600);
        const column = (name: string): string => `${name} = ${name} - $2 * interval '1 hour'`;
        const shift = `${column('created_at')}, ${column('attempt_at')}`;
        await place.stand.app.query(`UPDATE placements SET ${shift} WHERE key = $1`, [id, hours]);
        await place.stand.app.query(`UPDATE idempotency_keys SET ${column('created_at')} WHERE key = $1`, [id, hours]);
      };
      for (const hours of [22.5, 1]) {
        await ages(hours);
        const answer = await placed(bot, id);
        expect([fateOf(answer), orderIdOf(answer)]).toEqual([['placed', null], orderId]);
      }
      await ages(1);
      expect(fateOf(await placed(bot, id))).toEqual(['placed', null]);
      // What an order of a bot has reserved keeps its key.
      await remove(place.stand.app, `/${name}/orders/${String(orderId)}`, bot.key).expect(200);
      await place.stand.app.query('DELETE FROM reservations WHERE bot_id = $1', [bot.id]);
      await place.stand.app.get(Retention).run();
      expect([fateOf(await placed(bot, id)), fateOf(await asked(bot, id))]).toEqual([
        ['not_found', undefined],
        ['not_found', undefined],
      ]);
      expect(place.held(venue)).toBe(before);
    },
  );

  it('is too late for a first placing after 60 s, by the clock of the database, and sends nothing', async () => {
    const venue = place.venues.kalshi;
    const bot = await place.aBot(venue);
    const [early, late] = [
      await place.preview(bot, venue.order),
      await place.preview(bot, { ...venue.order, price: '0.03' }),
    ];
    const before = place.sent(venue);
    await place.age(late, 61);
    expect(fateOf(await placed(bot, late))).toEqual(['preview_expired', undefined]);
    expect(fateOf(await asked(bot, late))).toEqual(['expired', 'preview_order']);
    expect(fateOf(await asked(bot, early))).toEqual(['not_placed', 'place_order']);
    expect(place.sent(venue)).toBe(before);
    await place.age(early, 55);
    expect(fateOf(await placed(bot, early))).toEqual(['placed', null]);
  });

  it('S-32 knows no preview of another bot, nor one that nobody made', async () => {
    const venue = place.venues.kalshi;
    const [bot, stranger] = [await place.aBot(venue), await place.aBot(venue)];
    const id = await place.preview(bot, venue.order);
    for (const one of [id, `prv_${'0'.repeat(26)}`]) {
      expect(fateOf(await placed(stranger, one))).toEqual(['not_found', undefined]);
      expect(fateOf(await asked(stranger, one))).toEqual(['not_found', undefined]);
    }
    expect(fateOf(await placed(stranger, '../orders'))).toEqual(['bad_request', undefined]);
  });

  it('is refused to a halted bot, and to one whose limits do not let it, as they are when it is placed', async () => {
    const venue = place.venues.kalshi;
    const bot = await place.aBot(venue);
    const { token } = venue.trader().user;
    const before = place.sent(venue);
    const id = await place.preview(bot, { ...venue.order, price: '0.04' });
    const limits = async (terms: object): Promise<void> => {
      await request(place.stand.app.url)
        .patch(`${BOTS}/${bot.id}`)
        .auth(token, { type: 'bearer' })
        .send(terms)
        .expect(200);
    };
    await limits({ limits: { max_order_risk: '0.01' } });
    expect(fateOf(await placed(bot, id))).toEqual(['limit_exceeded', undefined]);
    await limits({ limits: { max_order_risk: null, max_price_distance: '0.01' } });
    const dear = await place.preview(bot, { ...venue.order, price: '0.97' });
    const { answer } = await placed(bot, dear);
    expect(answer).toMatchObject({ error: { code: 'limit_exceeded', details: { limit: 'max_price_distance' } } });
    await limits({ exchanges: ['polymarket'], limits: { max_price_distance: null } });
    expect(fateOf(await placed(bot, id))).toEqual(['forbidden', 'exchange_not_allowed']);
    await limits({ exchanges: null });
    await post(place.stand.app, `${BOTS}/${bot.id}/halt`, {}, token).expect(200);
    expect(fateOf(await placed(bot, id, 1))).toEqual(['bot_halted', 'owner']);
    expect(fateOf(await asked(bot, id))).toEqual(['not_sent', 'place_order']);
    expect(place.sent(venue)).toBe(before);
    await place.age(id, 601);
    expect([fateOf(await placed(bot, id)), fateOf(await asked(bot, id))]).toEqual([
      ['preview_expired', undefined],
      ['not_sent', null],
    ]);
  });

  it('S-31 is refused to a bot that only reads, with all tools that trade', async () => {
    const venue = place.venues.kalshi;
    const { agents } = await place.aBot(venue, { scopes: ['read'] });
    const preview_id = `prv_${'0'.repeat(26)}`;
    const calls = { preview_order: venue.order, place_order: { preview_id }, get_order: { preview_id } };
    for (const [tool, args] of Object.entries(calls)) {
      const { isError, answer } = await agents[0].call(tool, args);
      expect([isError, answer]).toMatchObject([
        true,
        { error: { code: 'forbidden', details: { required_scope: 'trade' } } },
      ]);
    }
  });

  it.each(VENUES)('is a result where the outcome at %s is not known, and goes on under the same key', async (name) => {
    const venue = place.venues[name];
    const bot = await place.aBot(venue);
    const [id, next] = [
      await place.preview(bot, venue.order),
      await place.preview(bot, { ...venue.order, price: '0.03' }),
    ];
    const before = place.held(venue);
    lose(venue, false);
    const unknown = await placed(bot, id);
    expect([unknown.isError, fateOf(unknown), unknown.answer.preview_id]).toEqual([
      false,
      ['unknown', 'get_order'],
      id,
    ]);
    expect(fateOf(await asked(bot, id))).toEqual(['unknown', 'get_order']);
    const blocked = await placed(bot, next, 1);
    expect([blocked.isError, fateOf(blocked), blocked.answer.preview_id]).toEqual([
      false,
      ['unsettled', 'get_order'],
      id,
    ]);
    expect(fateOf(await asked(bot, next))).toEqual(['unsettled', 'get_order']);
    place.stand.heal();
    await place.age(id, 61);
    expect(fateOf(await placed(bot, id, 1))).toEqual(['placed', null]);
    expect(fateOf(await placed(bot, next))).toEqual(['placed', null]);
    expect(place.held(venue) - before).toBe(2);
  });

  it('is sent again after a refusal that may be cured, for 10 minutes, and then only looked at', async () => {
    const venue = place.venues.kalshi;
    const bot = await place.aBot(venue);
    const [id, old] = [await place.preview(bot, venue.order), await place.preview(bot, venue.order)];
    const body = { error: { code: 'insufficient_balance', message: 'insufficient balance' } };
    place.stand.gateways.kalshi.misbehave(wireOf(venue), json(400, body), 'POST');
    for (const one of [id, old])
      expect(fateOf(await placed(bot, one))).toEqual(['exchange_rejected', 'insufficient_funds']);
    place.stand.heal();
    await place.age(old, 601);
    const before = place.sent(venue);
    expect(fateOf(await asked(bot, id))).toEqual(['refused', 'place_order']);
    for (const call of [placed, asked]) {
      const { answer } = await call(bot, old);
      expect(answer).toMatchObject({ state: 'refused', next: null, error: { reason: 'insufficient_funds' } });
    }
    expect(place.sent(venue)).toBe(before);
    expect(fateOf(await placed(bot, id))).toEqual(['placed', null]);
  });

  it('is begun again where a process died before it sent anything, for 10 minutes, and then only looked at', async () => {
    const venue = place.venues.kalshi;
    const bot = await place.aBot(venue);
    const [id, old] = [await place.preview(bot, venue.order), await place.preview(bot, venue.order)];
    const body = { error: { code: 'insufficient_balance', message: 'insufficient balance' } };
    place.stand.gateways.kalshi.misbehave(wireOf(venue), json(400, body), 'POST');
    for (const one of [id, old]) await placed(bot, one);
    place.stand.heal();
    // As kill -9 leaves it between its record and its sending.
    await place.stand.app.query(
      `UPDATE placements SET state = 'begun', reference = NULL, reason = NULL, words = NULL, busy_until = now() - interval '1 second'
        WHERE key = ANY ($1)`,
      [[id, old]],
    );
    await place.age(id, 590);
    await place.age(old, 601);
    const before = place.sent(venue);
    expect(fateOf(await asked(bot, id))).toEqual(['not_sent', 'place_order']);
    for (const call of [placed, asked]) expect(fateOf(await call(bot, old))).toEqual(['not_sent', null]);
    expect(place.sent(venue)).toBe(before);
    expect(fateOf(await placed(bot, id))).toEqual(['placed', null]);
    expect(place.sent(venue)).toBe(before + 1);
  });

  it('is a result of an order that may exist, whatever keeps the call from going on, and says why it is not known', async () => {
    const { app, sandbox } = place.stand;
    const trader = await aTrader({ app, sandbox, close: () => Promise.resolve() });
    const venue = { ...place.venues.kalshi, trader: () => trader };
    const bot = await place.aBot(venue);
    const id = await place.preview(bot, venue.order);
    const before = place.held(venue);
    lose(venue);
    const lost = await placed(bot, id);
    expect(lost.answer).toMatchObject({
      state: 'unknown',
      error: { code: 'order_outcome_unknown', untrusted_message: expect.stringContaining('No answer proves') },
    });
    expect(lost.text).not.toMatch(/idempotency|the same body/i);
    place.stand.heal();
    await remove(app, '/account/credentials/kalshi', trader.user.token).expect(200);
    const without = await placed(bot, id);
    expect([without.isError, fateOf(without)]).toEqual([false, ['unknown', 'get_order']]);
    const { private_key, access_key } = sandbox.addresses.kalshi;
    await storeCredentials(app, trader.user, 'kalshi', { access_key: randomUUID(), private_key });
    const other = await placed(bot, id);
    expect([other.isError, other.answer]).toMatchObject([
      false,
      {
        state: 'unknown',
        next: 'get_order',
        error: { code: 'order_outcome_unknown', reason: 'credentials_changed' },
      },
    ]);
    await storeCredentials(app, trader.user, 'kalshi', { access_key, private_key });
    expect(fateOf(await placed(bot, id))).toEqual(['placed', null]);
    expect(place.held(venue) - before).toBe(1);
  });

  it('is a result of an order that may exist where the session key has ended meanwhile, and sends nothing more', async () => {
    const { app, sandbox } = place.stand;
    const user = await aUser(app);
    const end = Date.now() + 30_000;
    await activeKey(place.stand, user, {
      wallet: sandbox.addresses.polymarket.deposit_wallet.address,
      body: { valid_until: new Date(end).toISOString() },
    });
    const venue = { ...place.venues.polymarket, trader: () => ({ user, key: '' }) };
    const bot = await place.aBot(venue);
    const id = await place.preview(bot, venue.order);
    const before = place.held(venue);
    lose(venue);
    expect(fateOf(await placed(bot, id))).toEqual(['unknown', 'get_order']);
    place.stand.heal();
    await delay(end + 1_000 - Date.now());
    const sent = place.sent(venue);
    const later = await placed(bot, id);
    expect([later.isError, later.answer]).toMatchObject([false, { preview_id: id }]);
    expect(['unknown', 'placed']).toContain(later.answer.state);
    expect(place.sent(venue)).toBe(sent);
    expect(place.held(venue) - before).toBe(1);
  }, 90_000);

  it('is in progress, never refused, where as many calls of the bot wait as may and the preview was placed', async () => {
    const venue = place.venues.kalshi;
    const bot = await place.aBot(venue);
    const [id, unplaced] = [await place.preview(bot, venue.order), await place.preview(bot, venue.order)];
    lose(venue);
    expect(fateOf(await placed(bot, id))).toEqual(['unknown', 'get_order']);
    place.stand.heal();
    const answers = await place.whileLocked(bot, async () => {
      const calls = Array.from({ length: 68 }, () => placed(bot, id));
      expect(fateOf(await Promise.race(calls))).toEqual(['in_progress', 'get_order']);
      expect(fateOf(await placed(bot, unplaced))).toEqual(['unsettled', 'get_order']);
      return calls;
    });
    expect(answers.filter(({ isError }) => isError)).toEqual([]);
  }, 60_000);

  it('is a result while an order of the bot on the market that came from no preview is unsettled', async () => {
    const venue = place.venues.kalshi;
    const bot = await place.aBot(venue);
    const id = await place.preview(bot, venue.order);
    lose(venue);
    const sent = await request(place.stand.app.url)
      .post('/kalshi/orders')
      .auth(bot.key, { type: 'bearer' })
      .set('Idempotency-Key', randomUUID())
      .send({ market_id: venue.order.market_id, outcome: 'yes', side: 'buy', price: '0.03', size: '1' });
    expect(outcome(sent)).toEqual([504, 'order_outcome_unknown', undefined]);
    place.stand.heal();
    const blocked = await placed(bot, id);
    expect([fateOf(blocked), blocked.answer.preview_id]).toEqual([['unsettled', 'get_order'], id]);
    const elsewhere = await place.preview(bot, { ...venue.order, market_id: 'KXHIGHNY-TODAY-B53.5' });
    expect(fateOf(await placed(bot, elsewhere))).toEqual(['placed', null]);
    await place.stand.app.query(`UPDATE placements SET busy_until = now() WHERE bot_id = $1`, [bot.id]);
    await place.stand.app.query(
      `UPDATE placements SET checked_at = now() - interval '1 hour', attempt_at = now() - interval '1 minute' WHERE bot_id = $1`,
      [bot.id],
    );
    await expectSettled(bot);
    expect(fateOf(await placed(bot, id))).toEqual(['placed', null]);
  });

  /** Until our own look-up has settled the orders of a bot. */
  const expectSettled = async (bot: PreviewBot): Promise<void> => {
    await place.stand.app.get(OrderSettler).run();
    const { usage } = (await get(place.stand.app, '/bot', bot.key)).body as { usage: { unsettled_orders: number } };
    expect(usage.unsettled_orders).toBe(0);
  };

  it('waits 20 s for a call that places the same, then is in progress, never an error', async () => {
    const venue = place.venues.kalshi;
    const bot = await place.aBot(venue);
    const id = await place.preview(bot, venue.order);
    await place.stand.app.query(
      `UPDATE order_previews SET placed_at = now(), placing_until = now() + interval '1 hour' WHERE id = $1`,
      [id],
    );
    const before = performance.now();
    const busy = await placed(bot, id);
    expect([busy.isError, fateOf(busy), busy.answer.preview_id]).toEqual([false, ['in_progress', 'get_order'], id]);
    expect(performance.now() - before).toBeGreaterThan(18_000);
    expect(performance.now() - before).toBeLessThan(22_000);
    expect(fateOf(await asked(bot, id))).toEqual(['in_progress', 'get_order']);
  }, 40_000);

  it('R-14 goes on with the key of a placing that kill -9 cut off between its mark and its record, after 61 s too', async () => {
    const venue = place.venues.kalshi;
    const bot = await place.aBot(venue);
    const id = await place.preview(bot, venue.order);
    const before = place.held(venue);
    const { kalshi } = place.stand.gateways;
    const instance = await startInstance(place.stand.app, {
      MCP: 'true',
      KALSHI_API_URL: kalshi.url,
      UPSTREAM_TIMEOUT: '3s',
    });
    const holder = new pg.Client({ connectionString: place.stand.app.database.url });
    await holder.connect();
    // Rows can be read, and none be made.
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE placements IN SHARE ROW EXCLUSIVE MODE');
    const call = request(instance.url)
      .post('/mcp')
      .auth(bot.key, { type: 'bearer' })
      .set({ accept: 'application/json, text/event-stream' })
      .send({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'place_order', arguments: { preview_id: id } },
      })
      .then(
        () => 'answered',
        () => 'cut off',
      );
    const isMarked = async (): Promise<boolean> =>
      (await place.stand.app.query('SELECT FROM order_previews WHERE id = $1 AND placed_at IS NOT NULL', [id])).length >
      0;
    while (!(await isMarked()));
    await instance.kill();
    expect(await call).toBe('cut off');
    await holder.end();
    await place.age(id, 61);
    expect(place.held(venue)).toBe(before);
    expect(fateOf(await placed(bot, id))).toEqual(['placed', null]);
    expect(place.held(venue) - before).toBe(1);
  }, 60_000);
});
