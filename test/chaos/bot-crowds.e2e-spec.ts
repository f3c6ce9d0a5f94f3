import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request, { type Response } from 'supertest';
import { exchangeAddresses } from '../../sandbox/demo/environment.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { aBot } from '../support/bots.js';
import { codeOf, get, post } from '../support/calls.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { ORDER_WAYS } from '../support/exchanges.js';
import { type Instance, startInstance } from '../support/instance.js';
import { rounds } from '../support/long.js';
import { sql } from '../support/rows.js';
import { type WayTrader, wayTraders } from './orders-in-flight.js';
import { Taker } from './taker.js';

const ROUNDS = rounds(1, 20);
const AT_ONCE = rounds(40, 100);
const ROOM = 10;
const FILLED = 3;
const CANCELLED = 2;
/** Of the other end of a limit: so long it may take until what filled and what was cancelled is proved. */
const PROVED_MS = 20_000;
/** A reading of a bot's orders at an exchange serves all who ask within a second. */
const SHARED_MS = 1_050;
const HALTED = 50;
/** Reservations of one bot that run at once in an instance (contract.md 5.12). */
const BEGIN_AT_ONCE = 2;

/** A limit that leaves room for ten orders, of `lot` contracts at 0.02 each, and how many of these it has back of what fills and is cancelled. */
const LIMITS = [
  ['max_open_risk', (lot) => String((ROOM * lot * 2) / 100), FILLED + CANCELLED],
  ['max_position', (lot) => String(ROOM * lot), CANCELLED],
  ['max_daily_risk', (lot) => String((ROOM * lot * 2) / 100), CANCELLED],
  ['max_total_risk', (lot) => String((ROOM * lot * 2) / 100), CANCELLED],
  ['max_open_orders', () => ROOM, FILLED + CANCELLED],
] as const satisfies readonly (readonly [string, (lot: number) => string | number, number])[];

type Limit = (typeof LIMITS)[number];

interface Bot {
  readonly id: string;
  readonly key: string;
}

describe('crowds of orders of one bot on two processes (contract.md 5.11, 5.12)', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let dataDir: string;
  let instances: Instance[];
  let traders: WayTrader[];
  let taker: Taker;

  const instanceAt = (index: number): Instance => {
    const found = instances[index % instances.length];
    if (found === undefined) throw new RangeError('no instance');
    return found;
  };
  const first = (): Instance => instanceAt(0);

  beforeAll(async () => {
    [sandbox, database] = await Promise.all([startSandbox(), createTestDatabase()]);
    dataDir = await mkdtemp(join(tmpdir(), 'trading-proxy-crowds-'));
    const start = (): Promise<Instance> =>
      startInstance({ database, dataDir }, { ...exchangeAddresses(sandbox.addresses), API_KEY_CACHE_TTL: '1s' });
    instances = await Promise.all([start(), start()]);
    const [reader] = await wayTraders(first(), sandbox);
    taker = await Taker.make(first(), sandbox, reader?.key ?? '');
  }, 60_000);

  afterAll(async () => {
    await Promise.all(instances.map((instance) => instance.close()));
    await sandbox.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  // A token is good for 15 minutes, and a person makes so many bots a day.
  beforeEach(async () => {
    traders = await wayTraders(first(), sandbox);
  });

  const bodies = (trader: WayTrader, count: number): Promise<object[]> =>
    Promise.all(Array.from({ length: count }, () => trader.way.anOrder({ app: first(), sandbox, key: trader.key })));

  /** Half of them at each process, every other one under a key. */
  const sendAll = async ({ way }: WayTrader, bot: Bot, orders: readonly object[]): Promise<Response[]> =>
    Promise.all(
      orders.map(async (body, index) => {
        const at = instanceAt(index);
        const call = request(at.url).post(`/${way.id}/orders`).auth(bot.key, { type: 'bearer' });
        return (index % 4 < 2 ? call : call.set('Idempotency-Key', `${bot.id}-${index}-${Math.random()}`)).send(body);
      }),
    );

  /** Ids of those that were made; every other one was refused by that limit, and by nothing else. */
  const madeOf = (answers: readonly Response[], limit: string): string[] => {
    const refused = answers.filter(({ status }) => status !== 200);
    const reasons = refused.map((answer) => {
      const { error } = answer.body as { error: { details?: { limit?: string } } };
      return [codeOf(answer), error.details?.limit];
    });
    expect(reasons).toEqual(refused.map(() => ['limit_exceeded', limit]));
    return answers.filter(({ status }) => status === 200).map(({ body }) => (body as { id: string }).id);
  };

  /** What the exchange has of the bot's, by what the ledger says was sent. */
  const sentOf = async (bot: Bot): Promise<number> => {
    const rows = await sql(first(), 'SELECT 1 FROM placements WHERE bot_id = $1 AND first_sent_at IS NOT NULL', [
      bot.id,
    ]);
    return rows.length;
  };

  const heldOf = ({ way, wallet }: WayTrader): number => way.held(sandbox, wallet).length;

  /** Sends one after the other until that many were made, which is not before what became of the others is proved. */
  const sendMore = async (trader: WayTrader, bot: Bot, limit: string, wanted: number): Promise<number> => {
    const until = Date.now() + PROVED_MS;
    let made = 0;
    while (made < wanted && Date.now() < until) {
      const answers = await sendAll(trader, bot, await bodies(trader, wanted + 2));
      made += madeOf(answers, limit).length;
      if (made < wanted) await delay(SHARED_MS);
    }
    await delay(SHARED_MS);
    return made + madeOf(await sendAll(trader, bot, await bodies(trader, 2)), limit).length;
  };

  const crowd = async (trader: WayTrader, [limit, allowed, back]: Limit): Promise<void> => {
    const lot = Number(trader.way.lot);
    const bot = await aBot(first(), trader.user, { limits: { [limit]: allowed(lot) } });
    const orders = await bodies(trader, AT_ONCE);
    const before = heldOf(trader);
    const made = madeOf(await sendAll(trader, bot, orders), limit);
    expect([trader.way.id, limit, made.length, await sentOf(bot), heldOf(trader) - before]).toEqual([
      trader.way.id,
      limit,
      ...[ROOM, ROOM, ROOM],
    ]);
    await taker.sell(trader.way.id, String(FILLED * lot));
    const sold = heldOf(trader);
    const open = await get(first(), `/${trader.way.id}/orders`, bot.key);
    const resting = (open.body as { data: { id: string }[] }).data.map(({ id }) => id);
    expect(resting).toHaveLength(ROOM - FILLED);
    for (const id of resting.slice(0, CANCELLED))
      expect(
        (await request(first().url).delete(`/${trader.way.id}/orders/${id}`).auth(bot.key, { type: 'bearer' })).status,
      ).toBe(200);
    expect([trader.way.id, limit, await sendMore(trader, bot, limit, back)]).toEqual([trader.way.id, limit, back]);
    expect([await sentOf(bot), heldOf(trader) - sold]).toEqual([ROOM + back, back]);
    await removeBot(trader, bot);
  };

  /** A person may have 50. */
  const removeBot = (trader: WayTrader, { id }: Bot): Promise<unknown> =>
    request(first().url).delete(`/account/bots/${id}`).auth(trader.user.token, { type: 'bearer' }).expect(200);

  const cancelAll = ({ way, key }: WayTrader): Promise<unknown> =>
    request(first().url).delete(`/${way.id}/orders`).auth(key, { type: 'bearer' }).expect(200);

  afterEach(async () => {
    for (const trader of traders) await cancelAll(trader);
  });

  it.each(LIMITS)(
    `${AT_ONCE} at once against room for 10 within %s: 10 are sent, and then as many as what filled and was cancelled proves; ${ROUNDS} times, in each way to order`,
    async (...limit) => {
      expect(traders).toHaveLength(ORDER_WAYS.length);
      for (let round = 0; round < ROUNDS; round += 1)
        for (const trader of traders) {
          await crowd(trader, limit);
          await cancelAll(trader);
        }
    },
    ROUNDS * 120_000,
  );

  const waiting = async (): Promise<number> => {
    const rows = await sql(
      first(),
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`,
    );
    return rows.length;
  };

  const untilWaiting = async (count: number): Promise<void> => {
    const until = Date.now() + PROVED_MS;
    while ((await waiting()) !== count) {
      if (Date.now() > until) throw new Error(`${await waiting()} wait, not ${count}`);
      await delay(10);
    }
  };

  /** While the user's rights are held as a change of them would, orders wait where they begin, and so does the halt behind those. */
  const haltWhileTheyWait = async (trader: WayTrader): Promise<void> => {
    const bot = await aBot(first(), trader.user);
    const orders = await bodies(trader, HALTED);
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('SELECT pg_advisory_lock(hashtextextended($1, 2))', [trader.user.id]);
    const sent = sendAll(trader, bot, orders);
    const looking = BEGIN_AT_ONCE * instances.length;
    await untilWaiting(looking);
    const halting = post(first(), `/account/bots/${bot.id}/halt`, {}, trader.user.token).then((answer) => answer);
    await untilWaiting(looking + 1);
    const before = heldOf(trader);
    await holder.end();
    const [halted, answers] = await Promise.all([halting, sent]);
    const report = halted.body as { complete: boolean; exchanges: { exchange: string; cancelled: string[] }[] };
    const made = answers.filter(({ status }) => status === 200);
    const others = answers.filter(({ status }) => status !== 200).map(codeOf);
    expect([halted.status, report, made.length]).toMatchObject([200, { complete: true }, looking]);
    expect(others).toEqual(others.map(() => 'bot_halted'));
    expect([heldOf(trader) - before, await sentOf(bot)]).toEqual([looking, looking]);
    const cancelled = report.exchanges.flatMap((one) => (one.exchange === trader.way.id ? one.cancelled : []));
    expect(cancelled.sort()).toEqual(made.map(({ body }) => (body as { id: string }).id).sort());
    expect((await get(first(), `/${trader.way.id}/orders`, bot.key)).body).toMatchObject({ data: [] });
    await removeBot(trader, bot);
  };

  it(
    `of ${HALTED} that wait while a halt is committed those alone are sent that began before it; ${ROUNDS} times, in each way to order`,
    async () => {
      expect(traders).toHaveLength(ORDER_WAYS.length);
      for (let round = 0; round < ROUNDS; round += 1) for (const trader of traders) await haltWhileTheyWait(trader);
    },
    ROUNDS * 60_000,
  );
});
