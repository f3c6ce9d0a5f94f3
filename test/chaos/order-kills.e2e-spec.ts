import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { exchangeAddresses } from '../../sandbox/demo/environment.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { EXCHANGES, type ExchangeName } from '../support/exchanges.js';
import { type Instance, startInstance } from '../support/instance.js';
import { rounds } from '../support/long.js';
import { sql } from '../support/rows.js';
import { botTraders, type Moment, OrdersInFlight, type WayTrader, wayTraders } from './orders-in-flight.js';
import { PostgresServer } from './postgres-server.js';

const ROUNDS = rounds(2, 50);
/** Of each trader in a round: of each way to order one with a main key, and one with a bot's. */
const ORDERS = 4;
const FEWEST_IN_FLIGHT = 20;
/** So long after a kill every row agrees with the exchange. */
const AGREED_AFTER_MS = 60_000;
const READY_LIMIT_MS = 30_000;

type Victim = 'service' | 'PostgreSQL';

/** A kill that is to come, and the orders that it meets. */
interface Round {
  readonly round: number;
  readonly orders: OrdersInFlight;
}

/** A service on a server of its own, in front of a sandbox of its own. */
class World {
  private constructor(
    private readonly sandbox: Sandbox,
    private readonly server: PostgresServer,
    private readonly dataDir: string,
  ) {}

  #service: Instance | undefined;

  static async open(): Promise<World> {
    const [sandbox, server] = await Promise.all([startSandbox(), PostgresServer.make()]);
    await server.start();
    const world = new World(sandbox, server, await mkdtemp(join(tmpdir(), 'trading-proxy-chaos-')));
    await world.restart();
    return world;
  }

  get service(): Instance {
    if (this.#service === undefined) throw new Error('the service does not run');
    return this.#service;
  }

  /** Of new traders; none is sent yet. */
  async orders(): Promise<OrdersInFlight> {
    const made = await Promise.all([wayTraders(this.service, this.sandbox), botTraders(this.service, this.sandbox)]);
    const traders = made.flat();
    return OrdersInFlight.make(this.service, this.sandbox, new Map(traders.map((trader) => [trader, ORDERS])));
  }

  async restart(): Promise<void> {
    const { server, dataDir, sandbox } = this;
    await this.#service?.kill();
    this.#service = await startInstance(
      { database: server.database, dataDir },
      { ...exchangeAddresses(sandbox.addresses), UPSTREAM_TIMEOUT: '3s', DATABASE_POOL_MAX: '40' },
    );
  }

  async kill(victim: Victim): Promise<void> {
    await (victim === 'service' ? this.service.kill() : this.server.kill());
  }

  /** Whoever was killed runs again; the service finds its database by itself. */
  async recover(victim: Victim): Promise<void> {
    if (victim === 'service') return this.restart();
    await this.server.start();
    const deadline = Date.now() + READY_LIMIT_MS;
    while ((await fetch(`${this.service.url}/health/ready`)).status !== 200) {
      if (Date.now() > deadline) throw new Error('the service did not find its database again');
      await delay(20);
    }
  }

  /** Until no row of these traders is open any more, or that takes too long. */
  async settled(traders: readonly WayTrader[], deadline: number): Promise<void> {
    const open = `SELECT 1 FROM placements WHERE user_id = ANY($1) AND state IN ('begun', 'sending', 'unknown')`;
    const users = traders.map(({ user }) => user.id);
    while (Date.now() < deadline && (await sql(this.service, open, [users])).length > 0) await delay(250);
  }

  async close(): Promise<void> {
    await this.#service?.kill();
    await this.server.close();
    await this.sandbox.close();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

/** Which moment a kill meets: before the first byte of an order left, in two ways, or after it. */
function momentsOf(round: number, victim: Victim): Readonly<Record<ExchangeName, Moment>> {
  const shift = Math.floor(round / 2) + (victim === 'service' ? 0 : 1);
  const momentOf = (index: number): Moment => {
    if (round % 2 === 1) return 'sent';
    return (index + shift) % 2 === 0 ? 'prepared' : 'looked at';
  };
  const moments = EXCHANGES.map((exchange, index) => [exchange, momentOf(index)]);
  return Object.fromEntries(moments) as Record<ExchangeName, Moment>;
}

/** Kills while `orders` stand at their moments. */
async function killed(world: World, victim: Victim, { round, orders }: Round): Promise<number> {
  const moments = momentsOf(round, victim);
  // Only a process that has asked its exchanges nothing yet reads before it sends.
  if (Object.values(moments).includes('prepared')) await world.restart();
  await orders.send(world.service, moments);
  const { all, keyed } = orders.open;
  await world.kill(victim);
  const at = Date.now();
  expect([round, victim, all >= FEWEST_IN_FLIGHT, Math.abs(all - 2 * keyed) <= 2]).toEqual([round, victim, true, true]);
  await Promise.all([world.recover(victim), orders.release()]);
  return at;
}

/** A kill before the first byte and one after it, of which the orders come right together. */
async function twoKills(victim: Victim, round: number): Promise<number> {
  const world = await World.open();
  try {
    const both: Round[] = [];
    for (const each of [round, round + 1]) both.push({ round: each, orders: await world.orders() });
    const kills: (Round & { readonly at: number })[] = [];
    for (const each of both) kills.push({ ...each, at: await killed(world, victim, each) });
    for (const { orders } of kills) await orders.checkReserved(world.service, false);
    await Promise.all(kills.map(({ orders }) => orders.repeat(world.service, 0)));
    for (const { orders } of kills) await orders.checkOrders(world.service);
    for (const { at, orders } of kills) {
      await world.settled(orders.traders, at + AGREED_AFTER_MS);
      await orders.checkRows(world.service);
      await orders.checkReserved(world.service, true);
    }
    for (const { orders } of kills) {
      await orders.repeat(world.service, 1);
      await orders.checkOrders(world.service);
      await orders.checkRows(world.service);
      await orders.checkReserved(world.service, true);
    }
    return kills.length;
  } finally {
    await world.close();
  }
}

/** Ends when each has ended, also where one fails. */
async function all<T>(...work: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

describe('kill -9 between begin and answer of orders (R-6, R-14)', () => {
  it(
    `R-6, R-13, R-14 none is lost, none is there twice, and every row, and what is reserved for bots, agrees 60 s later: ${ROUNDS} kills each of service and PostgreSQL`,
    async () => {
      for (let round = 0; round < ROUNDS; round += 2) {
        expect(await all(twoKills('service', round), twoKills('PostgreSQL', round))).toEqual([2, 2]);
      }
    },
    120_000 + ROUNDS * 60_000,
  );
});
