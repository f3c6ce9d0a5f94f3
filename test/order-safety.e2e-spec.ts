import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { rounds } from './support/long.js';
import { OrderWorld } from './model/order-world.js';
import { type Breakage, GatedTransactions, TwoInstances } from './model/placing-service.js';
import type { Fate } from './model/fake-exchange.js';
import { PreparingClient } from './model/preparing-client.js';
import { TRANSFERS, type Venue, VENUES } from './model/venues.js';

const HISTORIES = rounds(100, 100_000);
const TRANSFER_HISTORIES = rounds(100, 20_000);
/** Histories that run beside each other, each with a user of its own. */
const LANES = 4;
const KINDS = ['order', 'transfer'] as const;
const KEYS = ['a', 'b'];
const FATES: readonly Fate[] = [
  'ok',
  'answer_lost',
  'never_arrives',
  'late',
  'not_sent',
  'rate_limited',
  'unreadable',
  'unavailable',
  'refused_but_taken',
  'limited_but_taken',
  'duplicate_but_taken',
  'duplicate_not_taken',
];
const BREAKAGES: readonly Breakage[] = ['before', 'after'];

/** One a lane. Those of orders and of transfers are others: where one history fails, the other lanes go on for a while. */
function usersOf(kind: (typeof KINDS)[number]): string[] {
  return Array.from({ length: LANES }, (_, lane) => `usr_${kind}_${lane}`);
}

/** One thing that happens. */
interface Command {
  run(world: OrderWorld): Promise<void> | void;
  /** How a failing history tells it. */
  toString(): string;
}

const command = (name: string, run: Command['run']): Command => ({ run, toString: () => name });

const choice = fc.nat({ max: 5 });
/** One market of two. */
const place = fc.nat({ max: 1 });
const commands = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.constantFrom(...KEYS), fc.nat({ max: 1 })).map(([key, at]) =>
      command(`call ${key} at ${at}`, async (world) => {
        await world.call(key, at);
      }),
    ),
  },
  {
    weight: 12,
    arbitrary: fc
      .tuple(fc.constantFrom(...KEYS), fc.nat({ max: 1 }), fc.constantFrom(...FATES))
      .map(([key, at, fate]) =>
        command(`place ${key} at ${at}, ${fate}`, async (world) => {
          world.exchange.fates = [fate];
          await (await world.call(key, at)).runToEnd();
        }),
      ),
  },
  {
    weight: 5,
    arbitrary: fc.tuple(fc.nat({ max: 1 }), fc.boolean()).map(([at, isWhole]) =>
      command(`${isWhole ? 'look up' : 'begin to look up'} what is left at ${at}`, async (world) => {
        const task = await world.settleOpen(at);
        if (isWhole) await task.runToEnd();
      }),
    ),
  },
  { weight: 10, arbitrary: choice.map((n) => command(`step ${n}`, (world) => world.step(n))) },
  { weight: 8, arbitrary: choice.map((n) => command(`finish ${n}`, (world) => world.finish(n))) },
  {
    weight: 6,
    arbitrary: fc
      .constantFrom(...FATES)
      .map((fate) => command(`fate ${fate}`, (world) => void world.exchange.fates.push(fate))),
  },
  {
    weight: 6,
    arbitrary: fc
      .constantFrom(100, 2_000, 6_000, 16_000, 41_000, 25 * 3_600_000)
      .map((ms) => command(`${ms} ms pass`, (world) => world.advance(ms))),
  },
  {
    weight: 2,
    arbitrary: fc.nat({ max: 1 }).map((instance) =>
      command(`kill ${instance}`, (world) => {
        world.kill(instance);
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.nat({ max: 1 }).map((account) =>
      command(`credentials ${account}`, (world) => {
        world.swapCredentials(account);
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(place, fc.constantFrom(0, 1, 2)).map(([at, money]) =>
      command(`money ${money} at ${at}`, (world) => {
        world.change(at, { money });
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(place, fc.boolean()).map(([at, isClosed]) =>
      command(`closed ${isClosed} at ${at}`, (world) => {
        world.change(at, { isClosed });
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(place, fc.constantFrom(0, 3_000, 15_000, 15_000, 120_000)).map(([at, lagMs]) =>
      command(`lists lag ${lagMs} ms at ${at}`, (world) => {
        world.change(at, { lagMs });
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(place, fc.constantFrom(0, 3_000, 15_000)).map(([at, stateLagMs]) =>
      command(`states lag ${stateLagMs} ms at ${at}`, (world) => {
        world.change(at, { stateLagMs });
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...KEYS).map((key) =>
      command(`${key} is amended`, ({ exchange }) => {
        exchange.amend(key);
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...KEYS).map((key) => command(`${key} is cancelled`, (world) => world.cancel(key))),
  },
  { weight: 1, arbitrary: fc.constant(command('a look-up fails', ({ exchange }) => void (exchange.failingFinds = 1))) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...BREAKAGES).map((how) =>
      command(`statement breaks ${how}`, (world) => {
        world.breakStatement(how);
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(-8_000, 8_000).map((ms) => command(`clock jumps ${ms} ms`, (world) => world.jump(ms))),
  },
  { weight: 1, arbitrary: fc.constant(command('clean-up', (world) => world.cleanUp())) },
);

describe('order safety as a model (R-28)', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await createTestDatabase();
    dataSource = new DataSource({
      type: 'postgres',
      url: database.url,
      poolSize: LANES + 1,
      extra: { Client: PreparingClient },
    });
    await dataSource.initialize();
    // Nothing is ever taken out of the activity, and each history reads its own.
    await dataSource.query('CREATE INDEX ON security_events (exchange)');
    for (const user of KINDS.flatMap(usersOf)) {
      await dataSource.query(`INSERT INTO users (id, email, name) VALUES ($1, $1 || '@example.com', 'Model')`, [user]);
      await dataSource.query(
        `INSERT INTO api_keys (hash, prefix, user_id, name, scopes, created_at)
         VALUES (sha256($1::text::bytea), 'svc_sk_test', $1, 'bot', '{admin}', now())`,
        [user],
      );
    }
  });

  afterAll(async () => {
    Logger.overrideLogger(true);
    await dataSource.destroy();
    await database.drop();
  });

  async function histories(kind: (typeof KINDS)[number], count: number, venues: readonly Venue[]): Promise<number> {
    const lane = (user: string, seed: number) => {
      const database = new GatedTransactions(dataSource);
      return fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...venues),
          fc.boolean(),
          fc.array(commands, { minLength: 4, maxLength: 30, size: 'max' }),
          async (venue, checksFundsFirst, happening) => {
            for (const table of ['idempotency_keys', 'placements'])
              await dataSource.query(`DELETE FROM ${table} WHERE user_id = $1`, [user]);
            const world = new OrderWorld(venue, checksFundsFirst, new TwoInstances(dataSource, database, user, kind));
            for (const happens of happening) await happens.run(world);
            await world.settle(KEYS);
          },
        ),
        { numRuns: Math.ceil(count / LANES), seed, includeErrorInReport: true },
      );
    };
    const lanes = usersOf(kind).map((user, n) => lane(user, 20_261_122 + n));
    return (await Promise.all(lanes)).length;
  }

  it(
    `R-28 ${HISTORIES} histories: one order a key, the right one, no false refusal, an end for every key`,
    async () => {
      expect(await histories('order', HISTORIES, VENUES)).toBe(LANES);
    },
    120_000 + HISTORIES * 150,
  );

  it(
    `R-28 ${TRANSFER_HISTORIES} histories: one transfer a key, the right one, no false refusal, an end for every key`,
    async () => {
      expect(await histories('transfer', TRANSFER_HISTORIES, [TRANSFERS])).toBe(LANES);
    },
    // Each takes several times as long as one of orders: what is looked up is kept within a transaction.
    TRANSFER_HISTORIES * 600,
  );
});
