import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll } from '@jest/globals';
import type { Environment } from '../../src/platform/config/environment.js';
import { type TestApp, testEnvironment } from './app.js';
import { freePort } from './loopback.js';

const START_LIMIT_MS = 60_000;
const POLL_MS = 25;

/** The compiled service in a process of its own: shares database, secrets and outbox with an app, and nothing else. */
export interface Instance extends Pick<TestApp, 'url' | 'database' | 'dataDir'> {
  /** Of its process. */
  readonly pid: number;
  /** As `kill -9` does; ends when the process is gone. */
  kill(): Promise<void>;
  /** Stops it where it stands (SIGSTOP): what others do for it goes on. */
  freeze(): void;
  /** As a deployment does: SIGTERM. */
  close(): Promise<void>;
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/health/ready`).catch(() => null);
  return answer?.ok === true;
}

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => {
      resolve();
    });
    child.kill(signal);
  });
}

const running = new Set<ChildProcess>();

// Of a test that failed before it ended them.
afterAll(async () => {
  for (const child of running) await end(child, 'SIGKILL');
});

/** Starts one more instance beside an app; `overrides` are not those of the app. `build` holds what is started. */
export async function startInstance(
  { database, dataDir }: Pick<TestApp, 'database' | 'dataDir'>,
  overrides: Environment = {},
  build = process.env.TEST_BUILD ?? '',
): Promise<Instance> {
  const port = Number(overrides.PORT ?? (await freePort()));
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [join(build, 'src', 'main.js')], {
    cwd: dataDir,
    env: { PATH: process.env.PATH, ...testEnvironment({ port, dataDir, database }), LOG_LEVEL: 'silent', ...overrides },
    stdio: 'ignore',
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const deadline = Date.now() + START_LIMIT_MS;
  while (!(await isReady(url))) {
    if (Date.now() > deadline || child.exitCode !== null) {
      await end(child, 'SIGKILL');
      throw new Error('the second instance did not start');
    }
    await delay(POLL_MS);
  }
  return {
    url,
    database,
    dataDir,
    pid: child.pid ?? 0,
    kill: () => end(child, 'SIGKILL'),
    freeze: () => void child.kill('SIGSTOP'),
    close: () => end(child, 'SIGTERM'),
  };
}
