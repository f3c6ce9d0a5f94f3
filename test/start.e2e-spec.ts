import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request from 'supertest';
import { createTestDatabase } from './support/database.js';

const BUILD = process.env.TEST_BUILD ?? '';
const STOP_LIMIT_MS = 10_000;
const START_LIMIT_MS = 30_000;

/** A process of the project's own, with what it has written. */
interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exited: Promise<number | null>;
}

/** Does what `curl -s 'URL' -H 'name: value' … -d 'body'` does. */
function paste(line: string): Promise<Response> {
  const [url = '', ...rest] = [...line.matchAll(/'([^']*)'/g)].map(([, quoted]) => quoted ?? '');
  const headers = rest.filter((text) => /^[\w-]+: /.test(text)).map((text) => text.split(': ', 2));
  const body = rest.find((text) => text.startsWith('{'));
  return fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: Object.fromEntries(headers) as Record<string, string>,
    ...(body === undefined ? {} : { body }),
  });
}

/** Speaks as much of Redis as a rate limit needs, and tells how often one was asked for. */
async function startRateStore(): Promise<{ close: () => Server; url: string; asked: () => number }> {
  let asked = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      for (const [, command] of chunk.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
        if (command === 'EVAL') asked += 1;
        socket.write(command === 'EVAL' ? '*2\r\n:1\r\n:60000\r\n' : '+OK\r\n');
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { close: () => server.close(), url: `redis://127.0.0.1:${port}`, asked: () => asked };
}

describe('starting and stopping (DESIGN 2, R-1, R-2, R-4)', () => {
  let dataDir: string;
  let port: number;
  const running: Started[] = [];
  const cleanUps: (() => unknown)[] = [];

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'trading-proxy-start-'));
    // As root the database runs as another user, and would else be put where nobody removes it.
    await chmod(dataDir, 0o755);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
    await new Promise((resolve) => server.close(resolve));
  });

  afterEach(async () => {
    for (const { child, exited } of running.splice(0)) {
      if (child.exitCode === null) child.kill('SIGKILL');
      await exited;
    }
    for (const cleanUp of cleanUps.splice(0)) await cleanUp();
    await delay(300);
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });

  const run = (script: string, environment: Record<string, string> = {}): Started => {
    const child = spawn(process.execPath, [join(BUILD, script)], {
      cwd: dataDir,
      env: { PATH: process.env.PATH, PORT: String(port), DATA_DIR: dataDir, BCRYPT_COST: '4', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const started = { child, output: () => text, exited };
    running.push(started);
    return started;
  };

  const until = async (what: () => Promise<boolean> | boolean, process_: Started): Promise<void> => {
    const deadline = Date.now() + START_LIMIT_MS;
    while (Date.now() < deadline && process_.child.exitCode === null) {
      if (await what()) return;
      await delay(50);
    }
    throw new Error(`it did not come to that; it wrote:\n${process_.output()}`);
  };

  const isReady = async (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );

  /** What it has written but for what it reports as it goes. */
  const linesOf = (process_: Started): string[] =>
    process_
      .output()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('{"level":"info"'));

  const exitOf = (process_: Started): Promise<number | null | 'still running'> =>
    Promise.race([process_.exited, delay(STOP_LIMIT_MS, 'still running' as const, { ref: false })]);

  it('starts with an embedded database, makes its secrets once with mode 0600, ends with 0 on SIGTERM, and starts again', async () => {
    for (let round = 0; round < 2; round += 1) {
      const service = run('src/main.js');
      await until(isReady, service);
      service.child.kill('SIGTERM');
      expect(await exitOf(service)).toBe(0);
    }
    expect((await stat(join(dataDir, 'secrets.env'))).mode & 0o777).toBe(0o600);
  });

  it('is found alive by the health check of the container, on whatever PORT', async () => {
    const [, words = '[]'] = /^HEALTHCHECK [^]*?CMD (\[.*\])$/m.exec(await readFile('Dockerfile', 'utf8')) ?? [];
    const [, ...check] = JSON.parse(words) as string[];
    const isHealthy = async (): Promise<boolean> => {
      const child = spawn(process.execPath, check, { env: { PORT: String(port) }, stdio: 'ignore' });
      return new Promise((resolve) => {
        child.once('exit', (code) => {
          resolve(code === 0);
        });
      });
    };
    expect(await isHealthy()).toBe(false);
    const service = run('src/main.js');
    await until(isReady, service);
    expect(await isHealthy()).toBe(true);
  });

  it('starts at once after kill -9', async () => {
    const first = run('src/main.js');
    await until(isReady, first);
    first.child.kill('SIGKILL');
    await first.exited;
    const second = run('src/main.js');
    await until(isReady, second);
    second.child.kill('SIGTERM');
    expect(await exitOf(second)).toBe(0);
  });

  it('R-4 says draining while a running request finishes, then exits 0', async () => {
    const service = run('src/main.js');
    await until(isReady, service);
    service.child.kill('SIGTERM');
    await delay(100);
    const ready = await fetch(`http://127.0.0.1:${port}/health/ready`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({ status: 'draining' });
    expect(await exitOf(service)).toBe(0);
  });

  it('R-4 a request that ends while the service drains is counted, and the use of its key is kept', async () => {
    const database = await createTestDatabase();
    const rates = await startRateStore();
    cleanUps.push(() => database.drop(), rates.close);
    const email = 'drain@example.com';
    const approved = { ACCESS_MODE: 'whitelist', WHITELIST_EMAILS: email };
    const service = run('src/main.js', { DATABASE_URL: database.url, REDIS_URL: rates.url, ...approved });
    await until(isReady, service);
    const url = `http://127.0.0.1:${port}`;
    const signUp = { email, password: 'plum carousel nine harbour', name: 'Drain' };
    const { access_token: token } = (await request(url).post('/auth/signup').send(signUp)).body as Record<
      string,
      string
    >;
    const created = await request(url)
      .post('/account/api-keys')
      .auth(token ?? '', { type: 'bearer' });
    const { key } = created.body as { key: string };

    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const type = 'Content-Type: application/json\r\nContent-Length: 2';
    socket.write(`GET /me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${type}\r\n\r\n{`);
    await delay(100);
    service.child.kill('SIGTERM');
    await until(async () => {
      const refused = await fetch(`${url}/health/live`).then(
        () => false,
        () => true,
      );
      return refused;
    }, service);
    const before = rates.asked();
    socket.write('}');
    await closed;
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(await exitOf(service)).toBe(0);
    expect(rates.asked() - before).toBe(1);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query('SELECT last_used_at FROM api_keys');
    await client.end();
    expect(rows).toEqual([{ last_used_at: expect.any(Date) }]);
  });

  it('a taken port is a clear error with exit 1', async () => {
    const first = run('src/main.js');
    await until(isReady, first);
    const second = run('src/main.js', { DATA_DIR: join(dataDir, 'second') });
    expect(await exitOf(second)).toBe(1);
    expect(linesOf(second)).toEqual([
      'Trading Proxy cannot start:',
      'PORT is taken by another program: stop that one, or set another PORT',
    ]);
  });

  it('an address of another machine is a clear error with exit 1', async () => {
    const service = run('src/main.js', { HOST: '192.0.2.1' });
    expect(await exitOf(service)).toBe(1);
    expect(linesOf(service)).toEqual(['Trading Proxy cannot start:', expect.stringMatching(/^HOST /)]);
  });

  it.each([
    ['is a file', 'file'],
    ['would lie below a file', 'file/data'],
  ])('a DATA_DIR that %s is an error by name with exit 1, nothing else', async (_, path) => {
    await writeFile(join(dataDir, 'file'), '');
    const service = run('src/main.js', { DATA_DIR: join(dataDir, path) });
    expect(await exitOf(service)).toBe(1);
    expect(linesOf(service)).toEqual(['Trading Proxy cannot start:', expect.stringMatching(/^DATA_DIR must be /)]);
  });

  it('a DATA_DIR whose database cannot be made is an error by name with exit 1, nothing else', async () => {
    await writeFile(join(dataDir, 'postgres'), '');
    const service = run('src/main.js');
    expect(await exitOf(service)).toBe(1);
    expect(linesOf(service)).toEqual(['Trading Proxy cannot start:', expect.stringMatching(/set DATA_DIR to /)]);
  });

  it('R-1 reports all faults together by name, never a value, and exits 1', async () => {
    const service = run('src/main.js', {
      NODE_ENV: 'production',
      PUBLIC_URL: 'http://canary.example.com',
      JWT_SECRET: 'canary-short',
      KALSHI_API_URL: 'http://canary.example.com/trade-api/v2',
      PORT: 'canary',
    });
    expect(await exitOf(service)).toBe(1);
    for (const name of [
      'PUBLIC_URL',
      'JWT_SECRET',
      'KALSHI_API_URL',
      'PORT',
      'DATABASE_URL',
      'ENCRYPTION_KEYS',
      'PASSWORD_PEPPER',
      'SMTP_URL',
    ]) {
      expect(service.output()).toContain(name);
    }
    expect(service.output()).not.toContain('canary');
  });

  it('the demo prints curl lines that work when pasted, leaves nothing running, and runs twice', async () => {
    const accounts = new Set<string>();
    for (let round = 0; round < 2; round += 1) {
      const demo = run('sandbox/demo.js');
      await until(() => demo.output().includes('/polymarket/balance'), demo);
      const lines = demo
        .output()
        .split('\n')
        .filter((line) => line.startsWith('curl '));
      expect(lines).toHaveLength(6);
      for (const line of lines) {
        const answer = await paste(line);
        expect([line, answer.status]).toEqual([line, 200]);
        expect(await answer.json()).toMatchObject({ exchange: expect.stringMatching(/^(kalshi|polymarket)$/) });
      }
      const sandbox = JSON.parse(await readFile(join(dataDir, 'sandbox.json'), 'utf8')) as { control_url: string };
      expect((await stat(join(dataDir, 'sandbox.json'))).mode & 0o777).toBe(0o600);
      accounts.add(await readFile(join(dataDir, 'demo.json'), 'utf8'));
      demo.child.kill('SIGINT');
      expect(await exitOf(demo)).toBe(0);
      await expect(fetch(sandbox.control_url)).rejects.toThrow('fetch failed');
      await expect(stat(join(dataDir, 'postgres', 'data', 'postmaster.pid'))).rejects.toMatchObject({ code: 'ENOENT' });
    }
    expect(accounts.size).toBe(1);
  });
});
