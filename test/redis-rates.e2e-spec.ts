import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startTestApp, type TestApp } from './support/app.js';
import { type Instance, startInstance } from './support/instance.js';
import { freePort } from './support/loopback.js';
import { get, logIn, post } from './support/calls.js';
import { itWithRedis, TestRedis } from './support/redis.js';
import { seriesIn, sumOf } from './support/scrape.js';
import { anEmail, aUser } from './support/users.js';

const RATES = { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_AUTH: '6/10m', RATE_LIMIT_API: '4/10m', TRUST_PROXY: '1' };
/** A Redis that does not answer costs half a second now and then; who waits for it waits for ever. */
const IN_TIME_MS = 8_000;
/** After a failure a process asks Redis again a second later. */
const REST_MS = 1_000;

/** Log-ins in turn at these instances; statuses, and how long the slowest took. */
async function knock(ip: string, ...at: { url: string }[]): Promise<{ statuses: number[]; slowestMs: number }> {
  const statuses: number[] = [];
  let slowestMs = 0;
  for (const to of at) {
    const before = performance.now();
    statuses.push((await logIn(to, anEmail()).set('X-Forwarded-For', ip)).status);
    slowestMs = Math.max(slowestMs, performance.now() - before);
  }
  return { statuses, slowestMs };
}

const SIX_THEN_REFUSED = [401, 401, 401, 401, 401, 401, 429, 429];

describe('request rates in Redis (contract.md 2, S-26)', () => {
  const open: { close(): Promise<void> }[] = [];
  let redis: TestRedis | undefined;

  beforeEach(() => {
    redis = undefined;
  });

  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
    await redis?.stop();
  });

  async function startTwo(): Promise<{ redis: TestRedis; app: TestApp; other: Instance }> {
    const server = await TestRedis.start();
    redis = server;
    const settings = { ...RATES, REDIS_URL: server.url };
    const app = await startTestApp(settings);
    open.push(app);
    const other = await startInstance(app, settings);
    open.push(other);
    return { redis: server, app, other };
  }

  function inTurn(app: TestApp, other: Instance): { url: string }[] {
    return Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? app : other));
  }

  async function shareOneCount(): Promise<void> {
    const { app, other } = await startTwo();
    expect((await knock('203.0.113.1', ...inTurn(app, other))).statuses).toEqual(SIX_THEN_REFUSED);
    expect((await knock('203.0.113.2', other)).statuses).toEqual([401]);
    const person = await aUser(app);
    const { key } = (await post(app, '/account/api-keys', {}, person.token)).body as { key: string };
    const uses: number[] = [];
    for (const to of inTurn(app, other).slice(0, 6)) uses.push((await get(to, '/me', key)).status);
    expect(uses).toEqual([200, 200, 200, 200, 429, 429]);
  }

  itWithRedis('two instances share one count, per client network and per user', shareOneCount, 120_000);

  async function countAloneAndShareAgain(): Promise<void> {
    const { redis: server, app, other } = await startTwo();
    await knock('203.0.113.1', app, other);
    await server.stop();
    for (const [index, instance] of [app, other].entries()) {
      const alone = await knock('203.0.113.3', ...Array.from({ length: 8 }, () => instance));
      expect([index, alone.statuses]).toEqual([index, SIX_THEN_REFUSED]);
      expect(alone.slowestMs).toBeLessThan(IN_TIME_MS);
    }
    expect(app.logLines.join('')).toContain('Redis is away');
    await server.run();
    while ((await server.clients()) < 2) await delay(50);
    await delay(REST_MS);
    const shared = await knock('203.0.113.4', ...inTurn(app, other));
    expect(shared.statuses).toEqual(SIX_THEN_REFUSED);
  }

  itWithRedis(
    'while Redis is gone each counts for itself and answers in time, and they share again when it is back',
    countAloneAndShareAgain,
    120_000,
  );

  async function survivesAHang(): Promise<void> {
    const { redis: server, app } = await startTwo();
    await knock('203.0.113.1', app);
    server.hang();
    const alone = await knock('203.0.113.5', app, app, app, app, app, app, app, app);
    expect(alone.statuses).toEqual(SIX_THEN_REFUSED);
    expect(alone.slowestMs).toBeLessThan(IN_TIME_MS);
  }

  itWithRedis('a Redis that hangs holds nobody up', survivesAHang, 120_000);

  async function showsWhetherItCounts(): Promise<void> {
    const { redis: server, app } = await startTwo();
    const isUp = async (): Promise<number> => {
      const { text } = await request(app.url).get('/metrics').expect(200);
      return sumOf(seriesIn(text), 'trading_proxy_redis_up');
    };
    while ((await isUp()) === 0) await delay(50);
    server.hang();
    const before = performance.now();
    const whileHung: number[] = [];
    while (performance.now() - before < 3 * REST_MS) {
      if (whileHung.length === 2) await knock('203.0.113.7', app);
      whileHung.push(await isUp());
    }
    expect(whileHung.length).toBeGreaterThan(4);
    expect(new Set(whileHung)).toEqual(new Set([0]));
    server.resume();
    while ((await isUp()) === 0) await delay(50);
    await server.refuseWrites();
    expect(await isUp()).toBe(0);
  }

  itWithRedis(
    'R-24 a Redis that hangs, or refuses to write, is shown as away in every scrape, and as up once it counts again',
    showsWhetherItCounts,
    120_000,
  );

  it('a service starts and limits without the Redis that it is told of', async () => {
    const app = await startTestApp({ ...RATES, REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
    open.push(app);
    const alone = await knock('203.0.113.6', ...Array.from({ length: 8 }, () => app));
    expect(alone.statuses).toEqual(SIX_THEN_REFUSED);
    expect(alone.slowestMs).toBeLessThan(IN_TIME_MS);
  });
});
