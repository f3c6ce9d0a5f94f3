import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { post } from '../support/calls.js';
import { type Instance, startInstance } from '../support/instance.js';
import { rounds } from '../support/long.js';
import { sql } from '../support/rows.js';
import { aUser } from '../support/users.js';
import { AccountHistory, BROKEN_INVARIANTS } from './account-history.js';
import type { Place } from './outcome.js';
import { PostgresServer } from './postgres-server.js';
import { aChaosTrader, type ChaosTrader, TradingHistory } from './trading-history.js';

const ROUNDS = rounds(3, 50);
const PEOPLE = 3;
const TRADERS = 2;
/** Kills come so long after the writes have begun: spread, so that each meets another step. */
const EARLIEST_MS = 3;
const SPREAD_MS = 120;
const STRIDE_MS = 47;
const READY_LIMIT_MS = 30_000;

/** The writes of one round, of which some may have no end yet. */
type Histories = readonly (AccountHistory | TradingHistory)[];

describe('R-6, R-7 kill -9 in the middle of writes', () => {
  let sandbox: Sandbox;
  let server: PostgresServer;
  let dataDir: string;
  let service: Instance;
  let traders: readonly ChaosTrader[] = [];

  const start = (): Promise<Instance> =>
    startInstance(
      { database: server.database, dataDir },
      { KALSHI_API_URL: sandbox.addresses.kalshi.api_url, UPSTREAM_TIMEOUT: '3s' },
    );

  beforeAll(async () => {
    sandbox = await startSandbox();
    server = await PostgresServer.make();
    await server.start();
    dataDir = await mkdtemp(join(tmpdir(), 'trading-proxy-chaos-'));
    service = await start();
    traders = await Promise.all(Array.from({ length: TRADERS }, () => aChaosTrader(service, sandbox)));
  });

  afterAll(async () => {
    await service.kill();
    await server.close();
    await sandbox.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Writes of everybody at once, which `kill` cuts off. */
  async function writesCutOff(round: number, kill: () => Promise<void>): Promise<Histories> {
    const people = await Promise.all(Array.from({ length: PEOPLE }, () => aUser(service)));
    const begun: Promise<void>[] = [];
    const trading = traders.map((trader) => {
      let soon = (): void => undefined;
      begun.push(new Promise((resolve) => (soon = resolve)));
      return TradingHistory.write(service, sandbox, trader, soon);
    });
    await Promise.all(begun);
    const writing = people.map((person, index) => AccountHistory.write(service, person, index + 1));
    await delay(EARLIEST_MS + ((round * STRIDE_MS) % SPREAD_MS));
    await kill();
    return Promise.all([...trading, ...writing]);
  }

  async function check(app: Place, histories: Histories): Promise<void> {
    for (const history of histories) await history.check(app);
    for (const [name, statement] of Object.entries(BROKEN_INVARIANTS)) {
      expect([name, await sql(app, statement)]).toEqual([name, []]);
    }
  }

  /** However long the recovery takes, the grace window is not over. */
  async function keepGraceOpen(): Promise<void> {
    await sql({ database: server.database }, `UPDATE refresh_rotations SET rotated_at = now() + interval '1 hour'`);
  }

  async function untilReady(): Promise<void> {
    const deadline = Date.now() + READY_LIMIT_MS;
    while ((await fetch(`${service.url}/health/ready`)).status !== 200) {
      if (Date.now() > deadline) throw new Error('the service did not find its database again');
      await delay(20);
    }
  }

  it(
    `loses nothing that was acknowledged, makes nothing twice and leaves nothing by half: ${ROUNDS} kills of the service`,
    async () => {
      let open = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const histories = await writesCutOff(round, () => service.kill());
        await keepGraceOpen();
        service = await start();
        open += histories.reduce((sum, history) => sum + history.open, 0);
        await check(service, histories);
      }
      expect(open).toBeGreaterThan(0);
    },
    60_000 + ROUNDS * 20_000,
  );

  it(
    `the same of ${ROUNDS} kills of PostgreSQL, after which the service goes on by itself`,
    async () => {
      let open = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const histories = await writesCutOff(round, () => server.kill());
        await server.start();
        await keepGraceOpen();
        await untilReady();
        open += histories.reduce((sum, history) => sum + history.open, 0);
        await check(service, histories);
      }
      expect(open).toBeGreaterThan(0);
    },
    60_000 + ROUNDS * 20_000,
  );

  it('leaves nothing of changes that were cut off before their event was written (S-41)', async () => {
    const person = await aUser(service);
    const place = { database: server.database };
    const client = new pg.Client({ connectionString: server.database.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query('LOCK TABLE security_events IN SHARE MODE');
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    const asked = AccountHistory.write(service, person, 1);
    while ((await sql(place, waiting)).length < 3) await delay(2);
    await service.kill();
    const history = await asked;
    await client.query('COMMIT');
    await client.end();
    while ((await sql(place, waiting)).length > 0) await delay(2);
    await keepGraceOpen();
    service = await start();
    // The refresh writes no event.
    expect(history.open).toBeGreaterThanOrEqual(3);
    await check(service, [history]);
    expect(await history.written(service)).toEqual({ keys: 0, signUps: 0, credentials: 0 });
    expect((await post(service, '/account/api-keys', {}, person.token)).status).toBe(201);
  });
});
