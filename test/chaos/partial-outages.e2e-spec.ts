import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { exchangeAddresses, exchangeCredentials } from '../../sandbox/demo/environment.js';
import type { FaultKind } from '../../sandbox/wire/faults.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { get, logIn, post } from '../support/calls.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { EXCHANGE, EXCHANGES, type ExchangeName, otherThan } from '../support/exchanges.js';
import { itWithRedis, TestRedis } from '../support/redis.js';
import { anApiKey, anEmail, aUser } from '../support/users.js';
import { startWatched, statusOf, type WatchedService, within } from './watched-service.js';

const UPSTREAM_TIMEOUT_MS = 1_500;
const ALWAYS = 1_000_000;

describe('when one thing of many is away (R-5, R-11)', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let app: WatchedService;
  let redis: TestRedis | undefined;
  let key: string;

  beforeAll(async () => {
    sandbox = await startSandbox();
    database = await createTestDatabase();
  });

  afterEach(async () => {
    sandbox.faults.clear();
    await app.close();
    await redis?.stop();
    redis = undefined;
  });

  afterAll(async () => {
    await sandbox.close();
    await database.drop();
  });

  async function start(overrides: Readonly<Record<string, string>> = {}): Promise<void> {
    app = await startWatched(database, {
      ...exchangeAddresses(sandbox.addresses),
      MARKET_DATA_CACHE_TTL: '0',
      UPSTREAM_TIMEOUT: `${UPSTREAM_TIMEOUT_MS}ms`,
      ...overrides,
    });
    const user = await aUser(app);
    for (const [exchange, body] of Object.entries(exchangeCredentials(sandbox.addresses))) {
      const put = request(app.url).put(`/account/credentials/${exchange}`).auth(user.token, { type: 'bearer' });
      expect((await put.send(body)).status).toBe(200);
    }
    key = await anApiKey(app, user);
  }

  const read = (path: string): Promise<Response> => get(app, path, key).then((answer) => answer);

  async function order(exchange: ExchangeName): Promise<Response> {
    const body = await EXCHANGE[exchange].anOrder({ app, sandbox, key });
    return post(app, `/${exchange}/orders`, body, key);
  }

  /** Everything that the route which is away has no part in. */
  async function expectOthersWell(exchange: ExchangeName): Promise<void> {
    const { book, market } = EXCHANGE[exchange];
    const other = EXCHANGE[otherThan(exchange)];
    const reads = [book, `/${exchange}/markets/${market}`, `/${exchange}/balance`, other.signedRead, other.book];
    const answers = await within(UPSTREAM_TIMEOUT_MS, () => Promise.all([...reads.map(read), order(exchange)]));
    expect(answers.map(({ status }, at) => [reads[at] ?? 'an order', status])).toEqual(
      [...reads, 'an order'].map((path) => [path, 200]),
    );
  }

  it.each(EXCHANGES)(
    'R-11 where %s is away for one route, its other routes and the other exchange go on',
    async (exchange) => {
      await start();
      const { signedRead, wire } = EXCHANGE[exchange];
      const [method, path] = wire.signed;
      for (const fault of ['hang', 'reset_before', 'status'] satisfies FaultKind[]) {
        const status = fault === 'status' ? { status: 503 } : {};
        sandbox.faults.add({ exchange, method, path, fault, times: ALWAYS, ...status });
        const away = read(signedRead);
        await expectOthersWell(exchange);
        const { status: told } = await away;
        expect([fault, [502, 503, 504].includes(told)]).toEqual([fault, true]);
        sandbox.faults.clear();
        expect([fault, (await read(signedRead)).status]).toEqual([fault, 200]);
      }
    },
  );

  async function tradesWithoutRedis(): Promise<void> {
    redis = await TestRedis.start();
    await start({ RATE_LIMIT_ENABLED: 'true', REDIS_URL: redis.url });
    expect((await order('kalshi')).status).toBe(200);
    await redis.stop();
    for (const exchange of EXCHANGES) expect((await within(3_000, () => order(exchange))).status).toBe(200);
    expect(app.log()).toContain('each process counts for itself meanwhile');
    expect((await logIn(app, anEmail())).status).toBe(401);
    await redis.run();
    await within(10_000, async () => {
      while ((await redis?.clients()) === 0) await delay(50);
    });
    redis.hang();
    expect((await within(3_000, () => order('kalshi'))).status).toBe(200);
    expect(await statusOf(app, '/health/ready')).toBe(200);
  }

  itWithRedis(
    'contract.md 2 trading goes on while Redis is gone or hangs, and the log says so',
    tradesWithoutRedis,
    60_000,
  );
});
