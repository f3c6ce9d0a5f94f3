import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request from 'supertest';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { type Hit, Gun } from './support/load.js';
import { Loopback } from './support/loopback.js';
import { exitOf, OwnProcesses, type Started } from './support/own-processes.js';

/** Far from both: at once, and after the 25 s in which running requests may finish. */
const BEFORE_DRAINED_MS = 15_000;

/** Speaks as much of Redis as a rate limit needs, and tells how often one was asked for. */
async function startRateStore(): Promise<{ close: () => Promise<void>; url: string; asked: () => number }> {
  let asked = 0;
  const server = createServer((socket) => {
    socket.on('data', (chunk) => {
      for (const [, command] of chunk.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
        if (command === 'EVAL') asked += 1;
        socket.write(command === 'EVAL' ? '*2\r\n:1\r\n:60000\r\n' : '+OK\r\n');
      }
    });
  });
  const loopback = await Loopback.start(server);
  return { close: () => loopback.close(), url: `redis://127.0.0.1:${loopback.port}`, asked: () => asked };
}

/** The service with a fault in it that a signal sets free: outside of every request. */
const FAULTS = {
  'exception that nobody catches': "throw new Error('planned fault')",
  'rejection that nobody handles': "Promise.reject(new Error('planned fault'))",
};
const withFault = (fault: string): Record<string, string> => ({
  NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2', () => { ${fault}; });`)}"`,
});

describe('stopping (contract.md 2, R-4, R-21)', () => {
  let own: OwnProcesses;
  let database: TestDatabase;

  beforeEach(async () => {
    own = await OwnProcesses.open();
    database = await createTestDatabase();
  });

  afterEach(async () => {
    await own.close();
    await database.drop();
  });

  const serve = (environment: Readonly<Record<string, string>> = {}): Promise<Started> =>
    own.serve({ DATABASE_URL: database.url, ...environment });

  const untilRefused = (service: Started): Promise<void> =>
    own.until(async () => (await own.status('/health/live')) === null, service);

  it('R-3, R-4 says draining before it takes no new connection, while a running request finishes, then exits 0', async () => {
    const service = await serve();
    const running = await own.begin('POST /auth/login');
    service.child.kill('SIGTERM');
    const answers: (number | null)[] = [];
    await own.until(async () => {
      answers.push(await own.status('/health/ready'));
      return answers.at(-1) === null;
    }, service);
    // One may have come before the signal did.
    expect(answers.filter((status) => status !== 200 && status !== null)).not.toEqual([]);
    expect([...new Set(answers.filter((status) => status !== 200))]).toEqual([503, null]);
    running.socket.write('}');
    expect(await running.answer).toMatch(/\r\n\r\nHTTP\/1\.1 400 .*"bad_request"/s);
    expect(await exitOf(service)).toBe(0);
  });

  it('R-4 what had come before it takes no new connection is answered, however late it is read', async () => {
    const service = await serve();
    const [kept, fresh] = [new Gun(own.url), new Gun(own.url)];
    const shoot = (gun: Gun): Promise<Hit[]> =>
      Promise.all(
        Array.from({ length: 10 }, () => gun.shoot({ name: 'login', method: 'POST', path: '/auth/login', body: '{}' })),
      );
    await shoot(kept);
    service.child.kill('SIGTERM');
    await own.until(async () => (await own.status('/health/ready')) === 503, service);
    service.child.kill('SIGSTOP');
    const hits = Promise.all([shoot(kept), shoot(fresh)]);
    // By then it is overdue that it closes.
    await delay(1_000);
    service.child.kill('SIGCONT');
    expect((await hits).flat().map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 400));
    expect(await exitOf(service)).toBe(0);
    await Promise.all([kept.close(), fresh.close()]);
  });

  it('R-4 a second signal ends it at once, whatever still runs', async () => {
    const service = await serve();
    const running = await own.begin('POST /auth/login');
    service.child.kill('SIGTERM');
    await untilRefused(service);
    const before = performance.now();
    service.child.kill('SIGTERM');
    expect(await exitOf(service)).toBe(1);
    expect(performance.now() - before).toBeLessThan(BEFORE_DRAINED_MS);
    expect(await running.answer).not.toContain('HTTP/1.1 4');
  });

  it.each(Object.entries(FAULTS))(
    'R-21 an %s is logged, lets running requests finish, and ends the process with 1',
    async (_, fault) => {
      const service = await serve(withFault(fault));
      const running = await own.begin('POST /auth/login');
      service.child.kill('SIGUSR2');
      await own.until(() => service.output().includes('unexpected fault'), service);
      expect(service.child.exitCode).toBe(null);
      running.socket.write('}');
      expect(await running.answer).toMatch(/\r\n\r\nHTTP\/1\.1 400 /);
      expect(await exitOf(service)).toBe(1);
      const [line = ''] = service.output().match(/^\{"level":"fatal".*$/gm) ?? [];
      expect(JSON.parse(line)).toMatchObject({ level: 'fatal', err: { message: 'planned fault' } });
    },
  );

  it('R-21 after a fault, what still runs is cut after 5 s', async () => {
    const service = await serve(withFault(FAULTS['exception that nobody catches']));
    const running = await own.begin('POST /auth/login');
    const before = performance.now();
    service.child.kill('SIGUSR2');
    expect(await exitOf(service)).toBe(1);
    expect(performance.now() - before).toBeGreaterThan(4_900);
    expect(performance.now() - before).toBeLessThan(BEFORE_DRAINED_MS);
    expect(await running.answer).not.toContain('HTTP/1.1 4');
  });

  it('R-4, R-20 a request that ends while the service drains is counted, and the use of its key is kept', async () => {
    const rates = await startRateStore();
    const email = 'drain@example.com';
    const approved = { ACCESS_MODE: 'whitelist', WHITELIST_EMAILS: email };
    const service = await serve({ REDIS_URL: rates.url, ...approved });
    const { url } = own;
    const signUp = { email, password: 'plum carousel nine harbour', name: 'Drain' };
    const { access_token: token } = (await request(url).post('/auth/signup').send(signUp)).body as Record<
      string,
      string
    >;
    const created = await request(url)
      .post('/account/api-keys')
      .auth(token ?? '', { type: 'bearer' });
    const { key } = created.body as { key: string };

    const running = await own.begin('GET /me', { Authorization: `Bearer ${key}` });
    service.child.kill('SIGTERM');
    await untilRefused(service);
    const before = rates.asked();
    running.socket.write('}');
    expect(await running.answer).toMatch(/\r\n\r\nHTTP\/1\.1 200 /);
    expect(await exitOf(service)).toBe(0);
    expect(rates.asked() - before).toBe(1);
    await rates.close();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query('SELECT last_used_at FROM api_keys');
    await client.end();
    expect(rows).toEqual([{ last_used_at: expect.any(Date) }]);
  });
});
