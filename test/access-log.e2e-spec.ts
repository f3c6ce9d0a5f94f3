import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { AccessLog } from '../src/platform/logging/access-log.js';
import { createLog } from '../src/platform/logging/log.js';
import { TraceContext } from '../src/platform/logging/trace-context.js';
import { startTestApp, testEnvironment, type TestApp } from './support/app.js';
import type { FakeServer } from './support/fake-server.js';
import { BOOK, countOrdinary, laneEnvironment, read, startUpstream } from './support/lane-stand.js';
import { measureAgain } from './support/measured.js';
import { OwnProcesses } from './support/own-processes.js';
import { anApiKey, aUser, type TestUser } from './support/users.js';

measureAgain();

type Line = Record<string, unknown>;

const IDS = {
  request_id: expect.stringMatching(/^req_/),
  trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
  span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
};

function accessLines(lines: readonly string[]): Line[] {
  return lines.filter((line) => line.includes('"msg":"access"')).map((line) => JSON.parse(line) as Line);
}

describe('the access log (contract.md 8.2)', () => {
  let upstream: FakeServer;
  let app: TestApp;
  let user: TestUser;
  let key: string;

  /** The line of the request with this id, which comes right after its answer. */
  const lineOf = async (requestId: unknown): Promise<Line> => {
    for (let i = 0; i < 200; i += 1) {
      const line = accessLines(app.logLines).find(({ request_id }) => request_id === requestId);
      if (line !== undefined) return line;
      await delay(10);
    }
    throw new Error(`no line of ${String(requestId)}`);
  };

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startTestApp({ ...laneEnvironment(upstream), ACCESS_LOG: 'true', LOG_LEVEL: 'error' });
    user = await aUser(app);
    key = await anApiKey(app, user, ['read']);
  });

  afterAll(async () => {
    await app.close();
    await upstream.close();
  });

  it('has a line for a request, by whom it was and what became of it, at every LOG_LEVEL', async () => {
    const answer = await request(app.url).get('/account/profile?x=SECRET').auth(user.token, { type: 'bearer' });
    expect(await lineOf(answer.headers['x-request-id'])).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      ...IDS,
      method: 'GET',
      route: '/account/profile',
      status: 400,
      bytes: Buffer.byteLength(answer.text),
      duration_ms: expect.any(Number),
      user_id: user.id,
      ip: '127.0.0.1',
      msg: 'access',
    });
  });

  it('has the same members for answers of the lane as for those of the ordinary way', async () => {
    const ordinary = countOrdinary(app);
    const ids: unknown[] = [];
    for (let i = 0; i < 2; i += 1) ids.push((await read(app, BOOK, key)).headers['x-request-id']);
    expect(ordinary.count).toBe(1);
    const [first, second] = [await lineOf(ids[0]), await lineOf(ids[1])];
    expect(Object.keys(second)).toEqual(Object.keys(first));
    const shared = { method: 'GET', route: '/{exchange}/orderbooks', status: 200, user_id: user.id };
    for (const line of [first, second]) expect(line).toMatchObject({ ...shared, key_prefix: key.slice(0, 16) });
    expect(second.bytes).toBe(first.bytes);
    expect(Number(first.bytes)).toBeGreaterThan(100);
  });

  it('S-40 names nobody who was refused, and nothing that the client chose (S-31)', async () => {
    const refused = await request(app.url).delete('/kalshi/orders/CHOSEN').auth(key, { type: 'bearer' });
    expect(refused.status).toBe(403);
    const ofRefused = await lineOf(refused.headers['x-request-id']);
    expect(ofRefused).toMatchObject({ route: '/{exchange}/orders/{order_id}', status: 403 });
    expect(ofRefused).not.toHaveProperty('user_id');
    const unknown = await request(app.url).get('/CHOSEN?a=CHOSEN').set('User-Agent', 'CHOSEN').set('Referer', 'CHOSEN');
    const line = await lineOf(unknown.headers['x-request-id']);
    expect(line).toMatchObject({ route: 'other', status: 404 });
    expect(line).not.toHaveProperty('user_id');
    const head = await request(app.url).head('/health/live');
    expect(await lineOf(head.headers['x-request-id'])).toMatchObject({ method: 'HEAD', status: 200, bytes: 0 });
    expect(JSON.stringify(accessLines(app.logLines))).not.toContain('CHOSEN');
  });

  it('costs little: a line takes less than 20 µs of CPU, on a busy machine too', () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const access = new AccessLog(createLog({ level: 'info', readable: false, destination }));
    const facts = { method: 'GET', route: '/{exchange}/orderbooks', status: 200, bytes: 1_000, duration_ms: 0.4 };
    const caller = { user_id: user.id, key_prefix: key.slice(0, 16), ip: '127.0.0.1' };
    const ids = { id: 'req_01', trace: new TraceContext({}) };
    const times: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const before = process.cpuUsage();
      for (let i = 0; i < 2_000; i += 1) access.write(ids, { ...facts, ...caller });
      const { user: own, system } = process.cpuUsage(before);
      times.push((own + system) / 2_000);
    }
    expect(lines).toHaveLength(20_000);
    expect(Math.min(...times)).toBeLessThan(20);
  });

  it('is written by a process in batches, and whole when it stops', async () => {
    const own = await OwnProcesses.open();
    try {
      const place = { port: own.port, dataDir: own.dataDir, database: app.database };
      const service = await own.serve({ ...testEnvironment(place), ACCESS_LOG: 'true', LOG_LEVEL: 'warn' });
      await Promise.all(Array.from({ length: 50 }, () => own.status('/health/live')));
      service.child.kill('SIGTERM');
      expect(await service.exited).toBe(0);
      const lines = service.output().trim().split('\n');
      const live = accessLines(lines).filter(({ route }) => route === '/health/live');
      expect(live).toHaveLength(50);
      for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
    } finally {
      await own.close();
    }
  });
});
