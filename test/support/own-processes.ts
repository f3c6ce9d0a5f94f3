import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './loopback.js';

/** A slow machine makes a database, or is done with one, in this time; what goes wrong goes on for ever. */
const LIMIT_MS = 60_000;

/** A process of the project's own, with what it has written. */
export interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Its exit code, once all that it wrote has come. */
  readonly exited: Promise<number | null>;
}

/** A request that a client has begun and not ended. */
export interface BegunRequest {
  readonly socket: Socket;
  /** All that the server has answered, once the connection is closed. */
  readonly answer: Promise<string>;
}

/** Compiled processes as an operator starts them, in a data directory and on a port of their own. */
export class OwnProcesses {
  readonly #running: Started[] = [];

  private constructor(
    readonly dataDir: string,
    readonly port: number,
  ) {}

  static async open(): Promise<OwnProcesses> {
    const dataDir = await mkdtemp(join(tmpdir(), 'trading-proxy-start-'));
    // As root the database runs as another user, and would else be put where nobody removes it.
    await chmod(dataDir, 0o755);
    return new OwnProcesses(dataDir, await freePort());
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Kills what still runs, and removes what it has left. */
  async close(): Promise<void> {
    for (const { child, exited } of this.#running.splice(0)) {
      if (child.exitCode === null) child.kill('SIGKILL');
      await exited;
    }
    await rm(this.dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  /** Starts a script of the build, such as `src/main.js`; `words` stand behind it. */
  run(script: string, environment: Readonly<Record<string, string>> = {}, words: readonly string[] = []): Started {
    const child = spawn(process.execPath, [join(process.env.TEST_BUILD ?? '', script), ...words], {
      cwd: this.dataDir,
      env: {
        PATH: process.env.PATH,
        PORT: String(this.port),
        DATA_DIR: this.dataDir,
        BCRYPT_COST: '4',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
    // `exit` may come before the last of what was written.
    const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
    const started = { child, output: () => text, exited };
    this.#running.push(started);
    return started;
  }

  /** Starts the service and waits until it is ready. */
  async serve(environment: Readonly<Record<string, string>> = {}): Promise<Started> {
    const service = this.run('src/main.js', environment);
    await this.until(async () => (await this.status('/health/ready')) === 200, service);
    return service;
  }

  /** Waits until something is so; throws where the process ends before, with what it wrote. */
  async until(what: () => Promise<boolean> | boolean, started: Started): Promise<void> {
    const deadline = Date.now() + LIMIT_MS;
    while (Date.now() < deadline && started.child.exitCode === null) {
      if (await what()) return;
      await delay(50);
    }
    throw new Error(`it did not come to that; it wrote:\n${started.output()}`);
  }

  /** What a new connection is answered; null where there is none. */
  async status(path: string): Promise<number | null> {
    const answer = await fetch(`${this.url}${path}`, { headers: { connection: 'close' } }).catch(() => null);
    await answer?.body?.cancel();
    return answer?.status ?? null;
  }

  /** Sends all of a request but the last byte of its body, and waits until the service has begun to read it. */
  async begin(line: string, headers: Readonly<Record<string, string>> = {}): Promise<BegunRequest> {
    const socket = connect(this.port, '127.0.0.1');
    let text = '';
    const closed = new Promise<string>((resolve) => {
      socket.once('close', () => {
        resolve(text);
      });
    });
    const isRead = new Promise<void>((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text.startsWith('HTTP/1.1 100 ')) resolve();
      });
    });
    socket.on('error', () => undefined);
    const all = { Host: 'a', 'Content-Type': 'application/json', 'Content-Length': '2', ...headers };
    const lines = Object.entries({ ...all, Expect: '100-continue' }).map(([name, value]) => `${name}: ${value}`);
    socket.write([`${line} HTTP/1.1`, ...lines, '', '{'].join('\r\n'));
    await isRead;
    return { socket, answer: closed };
  }
}

/** What it has written but for what it reports as it goes. */
export function linesOf(started: Started): string[] {
  return started
    .output()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{"level":"info"'));
}

export function exitOf(started: Started): Promise<number | null | 'still running'> {
  return Promise.race([started.exited, delay(LIMIT_MS, 'still running' as const, { ref: false })]);
}
