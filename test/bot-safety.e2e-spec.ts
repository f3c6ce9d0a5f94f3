import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { rounds } from './support/long.js';
import type { BotVenue } from './model/bot-exchange.js';
import { BotInstances } from './model/bot-service.js';
import { type Terms, TERMS } from './model/bot-terms.js';
import { BotWorld, type Limits } from './model/bot-world.js';
import type { Fate } from './model/fake-exchange.js';
import { type Breakage, GatedTransactions } from './model/placing-service.js';
import { PreparingClient } from './model/preparing-client.js';

const HISTORIES = rounds(300, 10_000);
const LONGEST = rounds(20, 40);
/** Histories that run beside each other, each with a user of its own. */
const LANES = 4;
const USERS = Array.from({ length: LANES }, (_, lane) => `usr_bots_${lane}`);
const BOTS = 2;

const FATES: readonly Fate[] = [
  ...(['ok', 'ok', 'ok', 'answer_lost', 'never_arrives', 'late', 'not_sent', 'rate_limited', 'unreadable'] as const),
  ...(['refused_but_taken', 'limited_but_taken', 'duplicate_but_taken'] as const),
];
const BREAKAGES: readonly Breakage[] = ['before', 'after'];

/** One thing that happens. */
interface Command {
  run(world: BotWorld): Promise<void> | void;
  /** How a failing history tells it. */
  toString(): string;
}

const command = (name: string, run: Command['run']): Command => ({ run, toString: () => name });
const choice = fc.nat({ max: 5 });
const instance = fc.nat({ max: 1 });
/** The last one is the main key. */
const sender = fc.nat({ max: BOTS });
const bot = fc.nat({ max: BOTS - 1 });

/** A few orders meet each. */
const VALUES = {
  max_open_risk: ['8', '5.4'],
  max_daily_risk: ['5.4', '8.05'],
  max_total_risk: ['5.4', '6.5'],
  max_position: ['12.5', '10'],
  max_open_orders: [1, 2],
} as const;
const NAMES = Object.keys(VALUES) as (keyof typeof VALUES)[];

/** One alone, since the first that is broken hides those behind it; or any of them together. */
const limits: fc.Arbitrary<Limits> = fc.oneof(
  fc.constantFrom(...NAMES).chain((name) => fc.constantFrom(...VALUES[name]).map((value) => ({ [name]: value }))),
  fc.record({
    max_open_risk: fc.constantFrom(null, null, ...VALUES.max_open_risk),
    max_daily_risk: fc.constantFrom(null, ...VALUES.max_daily_risk),
    max_total_risk: fc.constantFrom(null, ...VALUES.max_total_risk),
    max_position: fc.constantFrom(null, null, ...VALUES.max_position),
    max_open_orders: fc.constantFrom(null, null, ...VALUES.max_open_orders),
  }),
);

const order = fc.record({
  at: instance,
  who: sender,
  what: fc.nat({ max: TERMS.length - 1 }),
  isKeyed: fc.boolean(),
});
type Order = typeof order extends fc.Arbitrary<infer T> ? T : never;

function ordered(world: BotWorld, { at, who, what, isKeyed }: Order): ReturnType<BotWorld['order']> {
  const terms = TERMS[what];
  if (terms === undefined) throw new RangeError('no such terms');
  return world.order({ sender: world.botAt(who), instance: at }, terms, isKeyed ? `key-${what}` : undefined);
}

const told = ({ at, who, what, isKeyed }: Order): string =>
  `${who === BOTS ? 'the main key' : `bot ${who}`} orders ${what}${isKeyed ? ' under a key' : ''} at ${at}`;

const commands = fc.oneof(
  {
    weight: 10,
    arbitrary: order.map((one) =>
      command(`${told(one)}, begun`, async (world) => {
        await ordered(world, one);
      }),
    ),
  },
  {
    weight: 26,
    arbitrary: fc.tuple(order, fc.constantFrom(...FATES), fc.constantFrom(0, 0, 1, 3, 4)).map(([one, fate, quarters]) =>
      command(`${told(one)}, ${fate}, ${quarters}/4 fill`, async (world) => {
        world.exchange.fates = [fate];
        world.exchange.fillsAtOnce = [quarters];
        await world.run(await ordered(world, one));
      }),
    ),
  },
  { weight: 10, arbitrary: choice.map((n) => command(`step ${n}`, (world) => world.step(n))) },
  { weight: 6, arbitrary: choice.map((n) => command(`finish ${n}`, (world) => world.finish(n))) },
  {
    weight: 8,
    arbitrary: fc
      .tuple(choice, fc.constantFrom(1, 2, 4))
      .map(([n, quarters]) => command(`${quarters}/4 of ${n} fill`, (world) => world.fill(n, quarters))),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(choice, fc.constantFrom(false, false, true))
      .map(([n, fails]) =>
        command(`a trade of ${n} ${fails ? 'fails' : 'is confirmed'}`, (world) => world.settleTrade(n, fails)),
      ),
  },
  {
    weight: 5,
    arbitrary: fc
      .tuple(choice, fc.constantFrom('there', 'here', 'here with its size'))
      .map(([n, how]) => command(`${n} is cancelled ${how}`, (world) => world.cancel(n, how))),
  },
  {
    weight: 5,
    arbitrary: fc.tuple(instance, fc.boolean()).map(([at, isWhole]) =>
      command(`what is left is looked up at ${at}${isWhole ? '' : ', begun'}`, async (world) => {
        const task = await world.settleLeft(at);
        if (isWhole) await world.run(task);
      }),
    ),
  },
  {
    weight: 8,
    arbitrary: fc.tuple(instance, fc.boolean()).map(([at, isWhole]) =>
      command(`orders are proved at ${at}${isWhole ? '' : ', begun'}`, async (world) => {
        const task = await world.prove(at);
        if (isWhole) await world.run(task);
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(bot, instance, fc.boolean()).map(([n, at, isWhole]) =>
      command(`bot ${n} is halted at ${at}${isWhole ? '' : ', begun'}`, async (world) => {
        const task = await world.halt(n, at);
        if (isWhole) await world.run(task);
      }),
    ),
  },
  { weight: 3, arbitrary: bot.map((n) => command(`bot ${n} is resumed`, (world) => world.resume(n))) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(bot, limits)
      .map(([n, of]) => command(`bot ${n} has the limits ${JSON.stringify(of)}`, (world) => world.limit(n, of))),
  },
  {
    weight: 5,
    arbitrary: fc
      .constantFrom(100, 2_000, 6_000, 16_000, 31_000, 41_000)
      .map((ms) => command(`${ms} ms pass`, (world) => world.advance(ms))),
  },
  { weight: 1, arbitrary: fc.constant(command('a day passes', (world) => world.nextDay())) },
  {
    weight: 2,
    arbitrary: instance.map((at) =>
      command(`kill ${at}`, (world) => {
        world.kill(at);
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(0, 3_000, 15_000).map((ms) =>
      command(`reads lag ${ms} ms`, ({ exchange }) => {
        exchange.lagMs = ms;
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('a', 'b'), fc.boolean()).map(([market, isClosed]) =>
      command(`${market} is ${isClosed ? 'closed' : 'open'}`, ({ exchange }) => {
        if (isClosed) exchange.closed.add(market);
        else exchange.closed.delete(market);
      }),
    ),
  },
  { weight: 1, arbitrary: fc.constant(command('a read fails', ({ exchange }) => void (exchange.failingReads = 1))) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...BREAKAGES).map((how) =>
      command(`statement breaks ${how}`, (world) => {
        world.breakStatement(how);
      }),
    ),
  },
);

const venues: fc.Arbitrary<BotVenue> = fc.record({
  isSigned: fc.boolean(),
  isSettledLater: fc.boolean(),
  restsAgain: fc.boolean(),
});

describe('limits and halts of bots as a model (contract.md 5.11, 5.12)', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await createTestDatabase();
    const extra = { Client: PreparingClient };
    dataSource = new DataSource({ type: 'postgres', url: database.url, poolSize: LANES * 2, extra });
    await dataSource.initialize();
    for (const user of USERS) {
      await dataSource.query(`INSERT INTO users (id, email, name) VALUES ($1, $1 || '@example.com', 'Model')`, [user]);
      await dataSource.query(
        `INSERT INTO api_keys (hash, prefix, user_id, name, scopes, created_at)
         VALUES (sha256($1::text::bytea), 'svc_sk_test', $1, 'main', '{admin}', now())`,
        [user],
      );
    }
  });

  afterAll(async () => {
    Logger.overrideLogger(true);
    await dataSource.destroy();
    await database.drop();
  });

  it(
    `${HISTORIES} histories: what could be executed is reserved, within the limits, to the last unit, and not for ever; none begins after a halt`,
    async () => {
      const lane = (userId: string, seed: number) => {
        const transactions = new GatedTransactions(dataSource);
        return fc.assert(
          fc.asyncProperty(
            venues,
            fc.tuple(limits, limits),
            fc.array(commands, { minLength: 4, maxLength: LONGEST, size: 'max' }),
            async (venue, first, happening) => {
              const bounds = first.map((of) =>
                Object.fromEntries(Object.entries(of).filter(([, value]) => value !== null)),
              );
              const service = await BotInstances.make(dataSource, transactions, { userId, limits: bounds });
              const world = new BotWorld(venue, service, [...first]);
              await world.begin();
              for (const happens of happening) await happens.run(world);
              await world.settle();
            },
          ),
          { numRuns: Math.ceil(HISTORIES / LANES), seed, includeErrorInReport: true },
        );
      };
      const { seed = 0 } = fc.readConfigureGlobal();
      const lanes = USERS.map((user, n) => lane(user, seed + n));
      expect(await Promise.all(lanes)).toHaveLength(LANES);
    },
    HISTORIES * 1_500,
  );

  it.each([
    [1, '-1.875'],
    [8, '3.75'],
  ])(
    'a signed order (%i) that is sent twice, and whose first answer is lost, counts once, also where a trade of it fails',
    async (what, held) => {
      const [userId = ''] = USERS;
      const service = await BotInstances.make(dataSource, new GatedTransactions(dataSource), { userId, limits: [{}] });
      const world = new BotWorld({ isSigned: true, isSettledLater: true, restsAgain: false }, service, [{}]);
      await world.begin();
      const send = async (terms: Terms | undefined, fate: Fate, quarters: number): Promise<void> => {
        if (terms === undefined) throw new RangeError('no such terms');
        world.exchange.fates = [fate];
        world.exchange.fillsAtOnce = [quarters];
        await world.run(await world.order({ sender: world.botAt(0), instance: 0 }, terms, undefined));
      };
      const terms = TERMS[what];
      await send(terms, 'late', 0);
      await send(terms, 'ok', 1);
      await world.fill(0, 1);
      await world.settleTrade(0, true);
      await world.cancel(0, 'there');
      // The end of the second is proved before the first is found.
      await world.run(await world.prove(0));
      await world.settle();
      const [reserved] = await service.reserved();
      expect(reserved?.markets).toMatchObject([{ held }]);
    },
  );

  it('a read from before the end of an order, made after it was known, takes nothing of its fill back', async () => {
    const [userId = ''] = USERS;
    const service = await BotInstances.make(dataSource, new GatedTransactions(dataSource), { userId, limits: [{}] });
    const world = new BotWorld({ isSigned: false, isSettledLater: false, restsAgain: false }, service, [{}]);
    await world.begin();
    const [terms] = TERMS;
    if (terms === undefined) throw new RangeError('no such terms');
    world.exchange.fates = ['unreadable'];
    await world.run(await world.order({ sender: world.botAt(0), instance: 0 }, terms, undefined));
    await world.advance(16_000);
    await world.fill(0, 1);
    await world.cancel(0, 'there');
    await world.run(await world.settleLeft(0));
    world.exchange.lagMs = 3_000;
    await world.run(await world.prove(0));
    expect((await service.reserved())[0]?.markets).toMatchObject([{ worstLong: '2.5' }]);
    await world.settle();
    expect((await service.reserved())[0]?.markets).toMatchObject([{ held: '2.5', worstLong: '2.5' }]);
  });

  it('what the exchange only calls a duplicate, and two lists lack, is neither reserved nor quoted, and goes with time', async () => {
    const [userId = ''] = USERS;
    const service = await BotInstances.make(dataSource, new GatedTransactions(dataSource), { userId, limits: [{}] });
    const world = new BotWorld({ isSigned: true, isSettledLater: false, restsAgain: false }, service, [{}]);
    await world.begin();
    const terms = TERMS.find(({ timeInForce }) => timeInForce === 'ioc');
    if (terms === undefined) throw new RangeError('no such terms');
    // The late one arrives, finds nothing, and is forgotten: a signed order that is over shows in its trades alone.
    for (const fate of ['late', 'ok'] as const) {
      world.exchange.fates = [fate];
      await world.run(await world.order({ sender: world.botAt(0), instance: 0 }, terms, 'key'));
      await world.advance(31_000);
    }
    await world.settle();
    const ofUnknownFate = [expect.objectContaining({ state: 'unknown', rest: '0', isReserved: false })];
    expect(await service.reserved()).toEqual([expect.objectContaining({ rows: ofUnknownFate })]);
    await service.forget();
    expect(await service.reserved()).toEqual([expect.objectContaining({ rows: [] })]);
  });
});
