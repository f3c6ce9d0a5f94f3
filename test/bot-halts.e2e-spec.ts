import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request, { type Response } from 'supertest';
import { exchangeCredentials } from '../sandbox/demo/environment.js';
import { BotsAdminService } from '../src/bots/bots-admin.service.js';
import { HaltRounds } from '../src/bots/halt-rounds.js';
import { Heartbeats } from '../src/bots/heartbeats.js';
import { startTestApp } from './support/app.js';
import { aBot, outcome } from './support/bots.js';
import { createTestDatabase } from './support/database.js';
import { EXCHANGE, EXCHANGES } from './support/exchanges.js';
import { FaultStand } from './support/fault-stand.js';
import { silent } from './support/error-world.js';
import { aTrader, storeCredentials } from './support/sandbox.js';

const UPSTREAM_TIMEOUT_MS = 1_500;

interface Report {
  readonly bot_id: string;
  readonly reason: string;
  readonly exchanges: readonly {
    readonly exchange: string;
    readonly cancelled: readonly string[];
    readonly not_cancelled: readonly object[];
    readonly unsettled: readonly { readonly client_order_id: string | null }[];
    readonly error: { readonly code: string } | null;
  }[];
  readonly complete: boolean;
  readonly removed: boolean;
}

interface Bot {
  readonly id: string;
  readonly key: string;
}

describe('halts and heartbeats of bots (contract.md 5.13)', () => {
  let stand: FaultStand;

  beforeAll(async () => {
    stand = await FaultStand.start(UPSTREAM_TIMEOUT_MS);
  });

  afterEach(() => {
    stand.heal();
  });

  afterAll(() => stand.close());

  const as = (
    bearer: string,
    method: 'get' | 'post' | 'put' | 'delete',
    path: string,
    body?: object,
  ): Promise<Response> => {
    const call = request(stand.app.url)[method](path).auth(bearer, { type: 'bearer' });
    return call.send(body).then((answer) => answer);
  };
  const owner = (): string => stand.trader.user.token;
  const make = (terms: object = {}): Promise<Bot> => aBot(stand.app, stand.trader.user, terms);
  const place = async (bearer: string, exchange: (typeof EXCHANGES)[number] = 'kalshi'): Promise<Response> => {
    const { app, sandbox } = stand;
    return as(
      bearer,
      'post',
      `/${exchange}/orders`,
      await EXCHANGE[exchange].anOrder({ app, sandbox, key: stand.trader.key }),
    );
  };
  const idOf = ({ status, body }: Response): string => {
    expect([status, body]).toMatchObject([200, { id: expect.any(String) }]);
    return (body as { id: string }).id;
  };
  const halt = async (bot: Bot): Promise<Report> => {
    const answer = await as(owner(), 'post', `/account/bots/${bot.id}/halt`);
    expect(answer.status).toBe(200);
    return answer.body as Report;
  };
  const openAt = async (exchange: string, bearer = stand.trader.key): Promise<string[]> =>
    ((await as(bearer, 'get', `/${exchange}/orders`)).body as { data: { id: string }[] }).data.map(({ id }) => id);
  const stateOf = async (bot: Bot): Promise<Readonly<Record<string, unknown>>> =>
    (await as(owner(), 'get', `/account/bots/${bot.id}`)).body as Readonly<Record<string, unknown>>;
  const set = (bot: Bot, change: string): Promise<unknown> =>
    stand.app.query(`UPDATE bots SET ${change} WHERE id = $1`, [bot.id]);
  const lapse = async (bot: Bot): Promise<void> => {
    await set(bot, `beat_lapses_at = now() - interval '1 millisecond', beat_ttl = 1`);
  };
  /** What the service does by itself, each second. */
  const rounds = async (): Promise<void> => {
    await stand.app.get(Heartbeats).run();
    await stand.app.query(`UPDATE bots SET halt_tried_at = halt_tried_at - interval '10 minutes'`);
    await stand.app.get(HaltRounds).run();
  };

  const untilComplete = async (bot: Bot, goOn: () => Promise<unknown>): Promise<void> => {
    const isComplete = async (): Promise<boolean> =>
      ((await stateOf(bot)) as { halted: { complete: boolean } }).halted.complete;
    for (let waited = 0; waited < 50 && !(await isComplete()); waited += 1) {
      await goOn();
      await delay(200);
    }
    expect(await stateOf(bot)).toMatchObject({ halted: { complete: true } });
  };
  /** What the activity says of each halt of a bot: whether it was that of an end. */
  const endsNoted = async (bot: Bot): Promise<unknown[]> => {
    const events = await stand.app.query(
      `SELECT details FROM security_events WHERE bot_id = $1 AND type = 'bot_halted' ORDER BY created_at, id`,
      [bot.id],
    );
    return events.map(({ details }) => (details as { complete?: boolean }).complete);
  };

  describe('a halt', () => {
    it('cancels what rests at both exchanges, names it, and leaves the orders of others alone', async () => {
      const [bot, other] = [await make(), await make()];
      const resting: Record<string, string> = {};
      for (const exchange of EXCHANGES) resting[exchange] = idOf(await place(bot.key, exchange));
      const others = [idOf(await place(other.key)), idOf(await place(stand.trader.key))];
      const report = await halt(bot);
      expect(report).toMatchObject({ bot_id: bot.id, reason: 'owner', complete: true, removed: false });
      expect(report.exchanges).toEqual(
        EXCHANGES.map((exchange) => ({
          exchange,
          cancelled: [resting[exchange]],
          not_cancelled: [],
          unsettled: [],
          error: null,
        })),
      );
      expect(await openAt('kalshi')).toEqual(expect.arrayContaining(others));
      expect(await openAt('kalshi', bot.key)).toEqual([]);
      expect(outcome(await place(bot.key))).toEqual([403, 'bot_halted', 'owner']);
      expect(await halt(bot)).toEqual(report);
    });

    it('is of all bots at once, by the owner or by the main key', async () => {
      const bots = [await make(), await make()];
      const resting = [idOf(await place(bots[0]?.key ?? '')), idOf(await place(bots[1]?.key ?? ''))];
      const answer = await as(owner(), 'post', '/account/bots/halt');
      const reports = (answer.body as { bots: Report[] }).bots.filter(({ bot_id: id }) =>
        bots.some((bot) => bot.id === id),
      );
      expect(reports.map(({ reason, complete }) => [reason, complete])).toEqual([
        ['all_bots', true],
        ['all_bots', true],
      ]);
      const cancelled = reports.flatMap(({ exchanges }) => exchanges.flatMap((one) => one.cancelled));
      expect(cancelled.toSorted()).toEqual(resting.toSorted());
    });

    it('says what an exchange that is away keeps it from, goes on by itself, and notes the end', async () => {
      const bot = await make();
      const ids = [idOf(await place(bot.key, 'kalshi')), idOf(await place(bot.key, 'polymarket'))];
      stand.gateways.kalshi.misbehave('/portfolio/orders', silent);
      const report = await halt(bot);
      expect(report).toMatchObject({ complete: false });
      expect(report.exchanges.map(({ exchange, cancelled, error }) => [exchange, cancelled, error?.code])).toEqual(
        [
          ['polymarket', [ids[1]], undefined],
          ['kalshi', [], 'exchange_timeout'],
        ].toSorted((a, b) => EXCHANGES.indexOf(a[0] as never) - EXCHANGES.indexOf(b[0] as never)),
      );
      expect(outcome(await place(bot.key))).toEqual([403, 'bot_halted', 'owner']);
      expect(await stateOf(bot)).toMatchObject({ halted: { complete: false } });
      stand.heal();
      await untilComplete(bot, rounds);
      expect(await openAt('kalshi', bot.key)).toEqual([]);
      const done = await halt(bot);
      expect(done.exchanges.flatMap(({ cancelled }) => cancelled).toSorted()).toEqual(ids.toSorted());
      expect(await endsNoted(bot)).toEqual([undefined, true]);
    });

    it('that its owner repeats goes on where it ended, and notes the end once', async () => {
      const bot = await make();
      const id = idOf(await place(bot.key));
      stand.gateways.kalshi.misbehave('/portfolio/orders', silent);
      expect(await halt(bot)).toMatchObject({ complete: false });
      stand.heal();
      await untilComplete(bot, () => halt(bot));
      expect((await halt(bot)).exchanges.flatMap(({ cancelled }) => cancelled)).toEqual([id]);
      expect(await endsNoted(bot)).toEqual([undefined, true]);
    });

    it('by the operator marks the bots of all users before an order of any is cancelled', async () => {
      const { app, sandbox } = stand;
      const other = await aTrader({ app, sandbox, close: () => Promise.resolve() });
      const ids = [(await make()).id, (await aBot(app, other.user)).id];
      const reports = await app.get(BotsAdminService).halt({ userId: null, exchange: 'kalshi' });
      expect(reports.filter(({ bot_id: id }) => ids.includes(id))).toHaveLength(2);
      const [order] = await app.query(
        `SELECT max(halted_at) < min(halt_tried_at) AS marked_first FROM bots WHERE id = ANY($1)`,
        [ids],
      );
      expect(order).toEqual({ marked_first: true });
    });

    it('by the credentials of another account proves nothing: what it cannot see is named, and is no end', async () => {
      const { app, sandbox } = stand;
      const { user, key } = await aTrader({ app, sandbox, close: () => Promise.resolve() });
      const own = exchangeCredentials(sandbox.addresses).kalshi;
      const { access_key, private_key } = await sandbox.kalshi.addAccount({ keyType: 'ed25519' });
      const bot = await aBot(app, user);
      const order = await EXCHANGE.kalshi.anOrder({ app, sandbox, key });
      const id = idOf(await as(bot.key, 'post', '/kalshi/orders', order));
      await storeCredentials(app, user, 'kalshi', { access_key, private_key });
      // As by a list a minute ago.
      const lacking = `shown_at = now() - interval '2 minutes', missing_at = now() - interval '1 minute', read_at = 'infinity'`;
      await app.query(`UPDATE reservations SET ${lacking} WHERE bot_id = $1`, [bot.id]);
      const halted = (await as(user.token, 'post', `/account/bots/${bot.id}/halt`)).body as Report;
      expect([halted.complete, halted.exchanges.find(({ exchange }) => exchange === 'kalshi')]).toMatchObject([
        false,
        { cancelled: [], unsettled: [{ order_id: id }], error: { code: 'order_outcome_unknown' } },
      ]);
      await storeCredentials(app, user, 'kalshi', own);
      const again = (await as(user.token, 'post', `/account/bots/${bot.id}/halt`)).body as Report;
      expect([again.complete, again.exchanges.flatMap(({ cancelled }) => cancelled)]).toEqual([true, [id]]);
    });

    it('waits for what is on its way, and cancels that', async () => {
      const bot = await make();
      const [gateway, path] = [stand.gateways.kalshi, EXCHANGE.kalshi.wire.order[1]];
      const before = gateway.count('POST', path);
      const held = gateway.hold('POST', path);
      const placing = place(bot.key);
      await gateway.hasCome('POST', path, before + 1);
      const halting = halt(bot);
      await delay(300);
      held.release();
      const id = idOf(await placing);
      const report = await halting;
      expect(report.complete).toBe(true);
      expect(report.exchanges.flatMap(({ cancelled }) => cancelled)).toEqual([id]);
      expect(await openAt('kalshi', bot.key)).toEqual([]);
    });

    it('names an order whose fate nobody can tell, and keeps its bot from being resumed', async () => {
      const bot = await make();
      stand.gateways.kalshi.misbehave(EXCHANGE.kalshi.wire.order[1], (response) => void response.destroy(), 'POST');
      expect((await place(bot.key)).status).toBe(504);
      stand.heal();
      const report = await halt(bot);
      expect(report.complete).toBe(false);
      const [unsettled] = report.exchanges.flatMap((one) => one.unsettled);
      expect(unsettled).toEqual({ order_id: null, client_order_id: expect.any(String) });
      expect(outcome(await as(owner(), 'post', `/account/bots/${bot.id}/resume`))).toEqual([
        409,
        'orders_unsettled',
        undefined,
      ]);
      await stand.app.query(
        `UPDATE placements SET refusal_holds_at = now(), first_sent_at = now() - interval '5 minutes' WHERE bot_id = $1`,
        [bot.id],
      );
      await rounds();
      for (
        let waited = 0;
        waited < 50 && (await as(owner(), 'post', `/account/bots/${bot.id}/resume`)).status === 409;
        waited += 1
      )
        await delay(100);
      expect(await stateOf(bot)).toMatchObject({ state: 'active' });
      idOf(await place(bot.key));
    });

    it('lets the bot read, cancel and beat', async () => {
      const bot = await make();
      await as(bot.key, 'post', '/bot/halt');
      expect((await as(bot.key, 'get', '/kalshi/balance')).status).toBe(200);
      expect((await as(bot.key, 'delete', '/kalshi/orders')).status).toBe(200);
      expect((await as(bot.key, 'put', '/bot/heartbeat', { ttl_seconds: 10 })).status).toBe(200);
      expect(await stateOf(bot)).toMatchObject({ state: 'halted', halted: { reason: 'bot' } });
    });

    it('of a bot that is removed cancels what rests', async () => {
      const bot = await make();
      const id = idOf(await place(bot.key));
      const answer = await as(owner(), 'delete', `/account/bots/${bot.id}`);
      expect(answer.body).toMatchObject({ removed: true, complete: true });
      expect((answer.body as Report).exchanges.flatMap(({ cancelled }) => cancelled)).toEqual([id]);
      expect(outcome(await as(bot.key, 'get', '/me'))).toEqual([401, 'unauthorized', 'key_revoked']);
      expect(await openAt('kalshi')).not.toContain(id);
    });
  });

  it('names missing credentials as the error of their exchange, and cancels at the other', async () => {
    const { app, sandbox } = stand;
    const { user } = await aTrader({ app, sandbox, close: () => Promise.resolve() });
    const bot = await aBot(app, user);
    const ids = { kalshi: idOf(await place(bot.key, 'kalshi')), polymarket: idOf(await place(bot.key, 'polymarket')) };
    expect((await as(user.token, 'delete', '/account/credentials/kalshi')).status).toBe(200);
    const report = (await as(user.token, 'post', `/account/bots/${bot.id}/halt`)).body as Report;
    expect(report.complete).toBe(false);
    expect(
      Object.fromEntries(
        report.exchanges.map(({ exchange, cancelled, error }) => [exchange, [cancelled, error?.code]]),
      ),
    ).toEqual({ kalshi: [[], 'credentials_not_configured'], polymarket: [[ids.polymarket], undefined] });
    expect(report.exchanges.flatMap(({ unsettled }) => unsettled)).toMatchObject([{ order_id: ids.kalshi }]);
  });

  it('that is not complete when its instance goes is gone on with by the next, which halts no bot that beats', async () => {
    const { sandbox, gateways } = stand;
    const database = await createTestDatabase();
    const settings = {
      ...{ KALSHI_API_URL: gateways.kalshi.url, POLYMARKET_CLOB_URL: gateways.clob.url },
      ...{ POLYMARKET_GAMMA_URL: gateways.gamma.url, POLYMARKET_DATA_URL: gateways.data.url },
      ...{ MARKET_DATA_CACHE_TTL: '0', UPSTREAM_TIMEOUT: `${UPSTREAM_TIMEOUT_MS}ms` },
    };
    const first = await startTestApp(settings, database);
    const { user, key } = await aTrader({ app: first, sandbox, close: () => Promise.resolve() });
    const [bot, beating] = [await aBot(first, user), await aBot(first, user)];
    const order = await EXCHANGE.kalshi.anOrder({ app: first, sandbox, key });
    const id = idOf(await request(first.url).post('/kalshi/orders').auth(bot.key, { type: 'bearer' }).send(order));
    const beat = request(first.url).put('/bot/heartbeat').auth(beating.key, { type: 'bearer' });
    expect((await beat.send({ ttl_seconds: 3_600 })).status).toBe(200);
    gateways.kalshi.misbehave('/portfolio/orders', silent);
    const halted = await request(first.url).post(`/account/bots/${bot.id}/halt`).auth(user.token, { type: 'bearer' });
    expect(halted.body).toMatchObject({ complete: false });
    await first.close();
    stand.heal();
    const second = await startTestApp(settings, database);
    await second.query(`UPDATE bots SET halt_tried_at = halt_tried_at - interval '10 minutes'`);
    const shown = async (of: string): Promise<unknown> =>
      (await request(second.url).get(`/account/bots/${of}`).auth(user.token, { type: 'bearer' })).body;
    const isComplete = async (): Promise<boolean> =>
      ((await shown(bot.id)) as { halted: { complete: boolean } }).halted.complete;
    for (let waited = 0; waited < 150 && !(await isComplete()); waited += 1) await delay(100);
    expect(await isComplete()).toBe(true);
    const [row] = await second.query('SELECT halt_report FROM bots WHERE id = $1', [bot.id]);
    expect((row?.halt_report as Report['exchanges']).flatMap(({ cancelled }) => cancelled)).toEqual([id]);
    await second.get(Heartbeats).run();
    expect(await shown(beating.id)).toMatchObject({ state: 'active', heartbeat: { missed_since: null } });
    await second.close();
    await database.drop();
  });

  it('of a bot that a restore halts names the orders that no record knows, cancels none, and is resumed when they are gone', async () => {
    const bot = await make();
    // All traders here have one account at the exchange; others' orders there would be unknown too.
    for (const exchange of EXCHANGES)
      expect((await as(stand.trader.key, 'delete', `/${exchange}/orders`)).status).toBe(200);
    const [known, lost] = [idOf(await place(bot.key)), idOf(await place(bot.key))];
    await stand.app.query('DELETE FROM placements WHERE exchange_id = $1', [lost]);
    await set(bot, `halted_at = now(), halt_reason = 'restored', halted_by = 'operator'`);
    const report = await halt(bot);
    expect(report).toMatchObject({ reason: 'restored', complete: false });
    expect(report.exchanges.flatMap((one) => one.not_cancelled)).toEqual([{ id: lost, reason: 'unknown_owner' }]);
    expect(report.exchanges.flatMap(({ cancelled }) => cancelled)).toEqual([known]);
    const resume = (): Promise<Response> => as(owner(), 'post', `/account/bots/${bot.id}/resume`);
    expect(outcome(await resume())).toEqual([409, 'orders_unsettled', undefined]);
    expect(await openAt('kalshi')).toContain(lost);
    expect((await as(stand.trader.key, 'delete', `/kalshi/orders/${lost}`)).status).toBe(200);
    expect(outcome(await resume())).toEqual([200]);
  });

  describe('a heartbeat', () => {
    const beat = (bot: Bot, on_miss?: string): Promise<Response> =>
      as(bot.key, 'put', '/bot/heartbeat', { ttl_seconds: 60, ...(on_miss !== undefined && { on_miss }) });

    it('says when the switch fires, and is taken off', async () => {
      const bot = await make();
      const answer = await beat(bot);
      expect([answer.status, answer.body]).toMatchObject([200, { ttl_seconds: 60, on_miss: 'halt' }]);
      const inMs = Date.parse((answer.body as { expires_at: string }).expires_at) - Date.now();
      expect(Math.abs(inMs - 60_000)).toBeLessThan(2_000);
      expect(await stateOf(bot)).toMatchObject({ heartbeat: { ttl_seconds: 60, missed_since: null } });
      expect((await as(bot.key, 'get', '/me')).body).toMatchObject({ bot: { heartbeat: { ttl_seconds: 60 } } });
      expect((await as(bot.key, 'delete', '/bot/heartbeat')).body).toEqual({ expires_at: null });
      expect(await stateOf(bot)).toMatchObject({ heartbeat: null });
    });

    it.each([
      [{}],
      [{ ttl_seconds: 9 }],
      [{ ttl_seconds: 3_601 }],
      [{ ttl_seconds: '60' }],
      [{ ttl_seconds: 60.5 }],
      [{ ttl_seconds: 60, on_miss: 'sleep' }],
      [{ ttl_seconds: 60, more: 1 }],
    ])('%j is 400', async (body) => {
      const bot = await make();
      expect((await as(bot.key, 'put', '/bot/heartbeat', body)).status).toBe(400);
      expect(await stateOf(bot)).toMatchObject({ heartbeat: null });
    });

    it('that could not be taken while the database was away counts from its return', async () => {
      const bot = await make();
      await beat(bot);
      // Shorter than the database has been there: its start counts as a beat.
      await set(bot, `beat_lapses_at = now() + interval '100 milliseconds', beat_ttl = 5`);
      await stand.app.query('ALTER TABLE bots RENAME TO bots_away');
      const heartbeats = stand.app.get(Heartbeats);
      await expect(heartbeats.run()).rejects.toThrow();
      // Longer than what a bot that repeats its beat does not notice.
      await delay(2_500);
      await stand.app.query('ALTER TABLE bots_away RENAME TO bots');
      expect((await beat(bot)).status).toBe(200);
      await rounds();
      expect(await stateOf(bot)).toMatchObject({ state: 'active', halted: null });
    });

    it('that is missed halts the bot once, cancels its orders, and only the owner resumes it', async () => {
      const bot = await make();
      const id = idOf(await place(bot.key));
      await beat(bot);
      await lapse(bot);
      expect(outcome(await place(bot.key))).toEqual([403, 'bot_halted', 'heartbeat_missed']);
      await rounds();
      for (let waited = 0; waited < 50 && (await openAt('kalshi')).includes(id); waited += 1) await delay(100);
      expect(await openAt('kalshi')).not.toContain(id);
      expect(await stateOf(bot)).toMatchObject({
        state: 'halted',
        halted: { reason: 'heartbeat_missed', by: 'service' },
      });
      expect((await beat(bot)).status).toBe(200);
      // Nobody may believe that it is armed.
      expect(await stateOf(bot)).toMatchObject({ heartbeat: { last_beat_at: expect.any(String), expires_at: null } });
      expect(outcome(await place(bot.key))).toEqual([403, 'bot_halted', 'heartbeat_missed']);
      expect((await as(owner(), 'post', `/account/bots/${bot.id}/resume`)).status).toBe(200);
      idOf(await place(bot.key));
      const events = await stand.app.query(`SELECT 1 FROM security_events WHERE bot_id = $1 AND type = 'bot_halted'`, [
        bot.id,
      ]);
      expect(events.length).toBeLessThanOrEqual(2);
    });

    it('with on_miss cancel: orders are cancelled and refused until the bot beats again', async () => {
      const bot = await make();
      const id = idOf(await place(bot.key));
      await beat(bot, 'cancel');
      await lapse(bot);
      await rounds();
      for (let waited = 0; waited < 50 && (await openAt('kalshi')).includes(id); waited += 1) await delay(100);
      expect(await openAt('kalshi')).not.toContain(id);
      expect(await stateOf(bot)).toMatchObject({
        state: 'active',
        halted: null,
        heartbeat: { missed_since: expect.any(String) },
      });
      expect(outcome(await place(bot.key))).toEqual([403, 'bot_halted', 'heartbeat_missed']);
      await beat(bot, 'cancel');
      expect(await stateOf(bot)).toMatchObject({ heartbeat: { missed_since: null } });
      idOf(await place(bot.key));
    });

    it('with on_miss cancel: the cancelling ends with what was sent before, and a bot that trades on keeps its orders', async () => {
      const bot = await make();
      const before = idOf(await place(bot.key));
      await beat(bot, 'cancel');
      await lapse(bot);
      await beat(bot, 'cancel');
      const after = idOf(await place(bot.key));
      const isWanted = async (): Promise<boolean> =>
        (await stand.app.query('SELECT 1 FROM bots WHERE id = $1 AND cancel_wanted_at IS NOT NULL', [bot.id])).length >
        0;
      for (let waited = 0; waited < 50 && (await isWanted()); waited += 1) {
        await rounds();
        await delay(100);
      }
      expect(await isWanted()).toBe(false);
      expect(await openAt('kalshi', bot.key)).toEqual([after]);
      expect(before).not.toBe(after);
    });

    it('that is missed halts a bot in time, though switches of another user wait for what that one has under way', async () => {
      const { app, sandbox } = stand;
      const slow = [await make(), await make()];
      const { user } = await aTrader({ app, sandbox, close: () => Promise.resolve() });
      const other = await aBot(app, user);
      const holder = new pg.Client(app.database.url);
      await holder.connect();
      // As an order of the user that is being sent does; each switch of this user waits 3 s for it.
      await holder.query('SELECT pg_advisory_lock_shared(hashtextextended($1, 2))', [stand.trader.user.id]);
      const arm = `UPDATE bots SET beat_ttl = 1, beat_on_miss = 'halt', beat_lapses_at = clock_timestamp() - $2::interval WHERE id = $1`;
      for (const { id } of slow) await holder.query(arm, [id, '2 seconds']);
      await holder.query(arm, [other.id, '1 millisecond']);
      const lateness = async (): Promise<Record<string, unknown> | undefined> =>
        (
          await app.query(
            `SELECT EXTRACT(EPOCH FROM halted_at - beat_lapses_at)::float8 AS seconds FROM bots WHERE id = $1 AND halted_at IS NOT NULL`,
            [other.id],
          )
        )[0];
      const round = app.get(Heartbeats).run();
      for (let waited = 0; waited < 400 && (await lateness()) === undefined; waited += 1) await delay(25);
      const late = await lateness();
      const states = await app.query('SELECT halted_at FROM bots WHERE id = ANY($1)', [slow.map(({ id }) => id)]);
      await holder.end();
      expect(states).toEqual([{ halted_at: null }, { halted_at: null }]);
      expect(late?.seconds).toBeLessThan(5);
      await round;
    });

    it.each(['halt', 'cancel'])(
      'that comes too late is taken, and the switch has fired all the same: %s',
      async (on_miss) => {
        const bot = await make();
        const id = idOf(await place(bot.key));
        await beat(bot, on_miss);
        await lapse(bot);
        expect((await beat(bot, on_miss)).status).toBe(200);
        expect(await stateOf(bot)).toMatchObject({ state: on_miss === 'halt' ? 'halted' : 'active' });
        await rounds();
        for (let waited = 0; waited < 50 && (await openAt('kalshi')).includes(id); waited += 1) await delay(100);
        expect(await openAt('kalshi')).not.toContain(id);
      },
    );
  });
});
