import { spawn } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { exitOf, linesOf, OwnProcesses } from './support/own-processes.js';

describe('starting (contract.md 2, R-1, R-2)', () => {
  let own: OwnProcesses;
  let database: TestDatabase;

  beforeEach(async () => {
    own = await OwnProcesses.open();
  });

  afterEach(() => own.close());

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(() => database.drop());

  it('starts with an embedded database, makes its secrets once with mode 0600, ends with 0 on SIGTERM, and starts again', async () => {
    for (let round = 0; round < 2; round += 1) {
      const service = await own.serve();
      service.child.kill('SIGTERM');
      expect(await exitOf(service)).toBe(0);
    }
    expect((await stat(join(own.dataDir, 'secrets.env'))).mode & 0o777).toBe(0o600);
  });

  it('is found alive by the health check of the container, on whatever PORT', async () => {
    const [, words = '[]'] = /^HEALTHCHECK [^]*?CMD (\[.*\])$/m.exec(await readFile('Dockerfile', 'utf8')) ?? [];
    const [, ...check] = JSON.parse(words) as string[];
    const isHealthy = async (): Promise<boolean> => {
      const child = spawn(process.execPath, check, { env: { PORT: String(own.port) }, stdio: 'ignore' });
      return new Promise((resolve) => {
        child.once('exit', (code) => {
          resolve(code === 0);
        });
      });
    };
    expect(await isHealthy()).toBe(false);
    await own.serve({ DATABASE_URL: database.url });
    expect(await isHealthy()).toBe(true);
  });

  it('starts at once after kill -9', async () => {
    const first = await own.serve();
    first.child.kill('SIGKILL');
    await first.exited;
    const second = await own.serve();
    second.child.kill('SIGTERM');
    expect(await exitOf(second)).toBe(0);
  });

  it('a taken port is a clear error with exit 1', async () => {
    await own.serve({ DATABASE_URL: database.url });
    const second = own.run('src/main.js', { DATABASE_URL: database.url, DATA_DIR: join(own.dataDir, 'second') });
    expect(await exitOf(second)).toBe(1);
    expect(linesOf(second)).toEqual([
      'Trading Proxy cannot start:',
      'PORT is taken by another program: stop that one, or set another PORT',
    ]);
  });

  it('an address of another machine is a clear error with exit 1', async () => {
    const service = own.run('src/main.js', { DATABASE_URL: database.url, HOST: '192.0.2.1' });
    expect(await exitOf(service)).toBe(1);
    expect(linesOf(service)).toEqual(['Trading Proxy cannot start:', expect.stringMatching(/^HOST /)]);
  });

  it.each([
    ['is a file', 'file'],
    ['would lie below a file', 'file/data'],
  ])('a DATA_DIR that %s is an error by name with exit 1, nothing else', async (_, path) => {
    await writeFile(join(own.dataDir, 'file'), '');
    const service = own.run('src/main.js', { DATA_DIR: join(own.dataDir, path) });
    expect(await exitOf(service)).toBe(1);
    expect(linesOf(service)).toEqual(['Trading Proxy cannot start:', expect.stringMatching(/^DATA_DIR must be /)]);
  });

  it('a DATA_DIR whose database cannot be made is an error by name with exit 1, nothing else', async () => {
    await writeFile(join(own.dataDir, 'postgres'), '');
    const service = own.run('src/main.js');
    expect(await exitOf(service)).toBe(1);
    expect(linesOf(service)).toEqual(['Trading Proxy cannot start:', expect.stringMatching(/set DATA_DIR to /)]);
  });

  it('R-1 reports all faults together by name, never a value, and exits 1', async () => {
    const service = own.run('src/main.js', {
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
});
