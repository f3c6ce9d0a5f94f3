import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { it } from '@jest/globals';
import { createClient } from 'redis';
import { freePort } from './loopback.js';

const START_LIMIT_MS = 30_000;

/** Where a program of the system is; null where it is not installed. */
export function findBinary(name: string, path = process.env.PATH ?? ''): string | null {
  for (const directory of path.split(delimiter)) {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return join(directory, name);
    } catch {
      continue;
    }
  }
  return null;
}

const BINARY = findBinary('redis-server');

/** Names a test as not run, in the summary too, for want of a program. */
export function declareMissing(program: string, name: string): void {
  const { todo: declare } = it;
  const missing = `needs ${program}: ${name}`;
  process.stderr.write(`not run, ${missing}\n`);
  declare(missing);
}

/** A test that needs Debian's redis-server; where there is none, it is named as not run and the summary counts it so. */
export const itWithRedis: (name: string, run: () => Promise<void>, timeoutMs: number) => void =
  BINARY === null
    ? (name) => {
        declareMissing('redis-server', name);
      }
    : it;

/** A Redis of a test's own on loopback, which keeps nothing on disk. */
export class TestRedis {
  #child: ChildProcess | undefined;

  private constructor(private readonly port: number) {}

  static async start(): Promise<TestRedis> {
    const redis = new TestRedis(await freePort());
    await redis.run();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** On the same port as before, and empty. */
  async run(): Promise<void> {
    const options = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    this.#child = spawn(BINARY ?? '', options, { stdio: 'ignore' });
    const deadline = Date.now() + START_LIMIT_MS;
    while ((await this.clients().catch(() => -1)) < 0) {
      if (Date.now() > deadline) throw new Error('redis-server did not start');
      await delay(50);
    }
  }

  /** How many others are connected. */
  async clients(): Promise<number> {
    const list = await this.#ask('CLIENT', 'LIST', 'TYPE', 'normal');
    return typeof list === 'string' ? list.trim().split('\n').length - 1 : 0;
  }

  /** It answers reads and refuses writes, as one without memory left. */
  async refuseWrites(): Promise<void> {
    await this.#ask('CONFIG', 'SET', 'maxmemory', '1');
  }

  async #ask(...command: string[]): Promise<unknown> {
    const client = createClient({ url: this.url, socket: { reconnectStrategy: false } });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await client.sendCommand<unknown>(command);
    } finally {
      client.destroy();
    }
  }

  /** It takes connections and answers nothing. */
  hang(): void {
    this.#child?.kill('SIGSTOP');
  }

  /** Goes on after `hang`. */
  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }
}
