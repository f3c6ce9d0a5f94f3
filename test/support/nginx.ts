import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { it } from '@jest/globals';
import { freePort } from './loopback.js';
import { declareMissing, findBinary } from './redis.js';

const START_LIMIT_MS = 30_000;
const UPSTREAM_LINE = /^( *)server service:3000 resolve (.*);$/m;
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** Debian keeps it where an ordinary user does not look. */
const BINARY = findBinary('nginx') ?? findBinary('nginx', '/usr/sbin');
const MISSING = [
  ...(BINARY === null ? ['nginx'] : []),
  ...(findBinary('redis-server') === null ? ['redis-server'] : []),
].join(' and ');

/** A test of instances behind a balancer, which needs Debian's nginx and redis-server; where one is missing, it is named as not run. */
export const itBehindNginx: (name: string, run: () => Promise<void>, timeoutMs: number) => void =
  MISSING === ''
    ? it
    : (name) => {
        declareMissing(MISSING, name);
      };

/** The text of deploy/nginx.conf with other addresses; throws where it has not the lines to put them in. */
function render(text: string, directory: string, port: number, upstreams: readonly number[]): string {
  const paths = TEMPORARY.map((name) => `  ${name}_temp_path ${join(directory, name)};`).join('\n');
  const replaced: readonly [from: string | RegExp, to: string][] = [
    [/^pid .*;$/m, `pid ${join(directory, 'nginx.pid')};`],
    [/^http \{$/m, `http {\n${paths}`],
    [/^ *listen 8080;$/m, `listen 127.0.0.1:${port};`],
    [UPSTREAM_LINE, upstreams.map((one) => `$1server 127.0.0.1:${one} $2;`).join('\n')],
  ];
  return replaced.reduce((rest, [from, to]) => {
    if (rest.search(from) === -1) throw new Error(`deploy/nginx.conf has no line like ${String(from)}`);
    return rest.replace(from, to);
  }, text);
}

/** nginx with deploy/nginx.conf on a port of loopback, in front of instances on these ports. */
export class TestNginx {
  private constructor(
    private readonly port: number,
    private readonly directory: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(upstreams: readonly number[]): Promise<TestNginx> {
    const port = await freePort();
    const directory = await mkdtemp(join(tmpdir(), 'trading-proxy-nginx-'));
    const file = join(directory, 'nginx.conf');
    await writeFile(file, render(await readFile('deploy/nginx.conf', 'utf8'), directory, port, upstreams));
    const user = process.getuid?.() === 0 ? 'user root; ' : '';
    const options = ['-p', directory, '-e', 'error.log', '-c', file, '-g', `${user}daemon off;`];
    const child = spawn(BINARY ?? '', options, { stdio: 'ignore' });
    const nginx = new TestNginx(port, directory, child);
    const deadline = Date.now() + START_LIMIT_MS;
    while (!(await nginx.#answers())) {
      if (Date.now() > deadline || child.exitCode !== null) {
        throw new Error(`nginx did not start: ${await nginx.log()}`);
      }
      await delay(25);
    }
    return nginx;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** What it has complained of so far. */
  async log(): Promise<string> {
    return readFile(join(this.directory, 'error.log'), 'utf8').catch(() => '');
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const gone = new Promise((resolve) => this.child.once('exit', resolve));
      this.child.kill('SIGTERM');
      await gone;
    }
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Asks no instance: what nginx has seen of one decides where it sends the next. */
  #answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1')
        .once('connect', () => {
          socket.destroy();
          resolve(true);
        })
        .once('error', () => {
          resolve(false);
        });
    });
  }
}
