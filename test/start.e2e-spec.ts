import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

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

describe('starting and stopping (DESIGN 2, R-1, R-2, R-4)', () => {
  let dataDir: string;
  let port: number;
  const running: Started[] = [];

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'trading-proxy-start-'));
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

  it('a taken port is a clear error with exit 1', async () => {
    const first = run('src/main.js');
    await until(isReady, first);
    const second = run('src/main.js', { DATA_DIR: join(dataDir, 'second') });
    expect(await exitOf(second)).toBe(1);
    expect(second.output()).toContain('PORT');
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
