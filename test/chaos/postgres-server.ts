import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { prepareFiles, type ServerFiles, SUPERUSER } from '../../src/platform/embedded-postgres/data-directory.js';
import { CLEAN_ENVIRONMENT, identityOf } from '../../src/platform/embedded-postgres/operating-system.js';
import type { TestDatabase } from '../support/database.js';

const START_LIMIT_MS = 60_000;
const POLL_MS = 20;
const PORT = 5432;

const execute = promisify(execFile);

/** The processes whose parent is `pid`: the backends of a postmaster. */
async function childrenOf(pid: number): Promise<number[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(processes.map((name) => readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')));
  return stats.flatMap((stat) => {
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(parent) === pid ? [Number.parseInt(stat, 10)] : [];
  });
}

/** Sends a signal to a process that may be gone. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone, which is what most signals are for.
  }
}

/**
 * A PostgreSQL server as an operator runs one, outside the service and durable, which a test stops, kills and freezes. Nothing
 * starts it again but the test.
 */
export class PostgresServer {
  #child: ChildProcess | undefined;

  private constructor(
    private readonly directory: string,
    private readonly files: ServerFiles,
  ) {}

  /** A new cluster in a directory of its own, or a copy of that of a stopped server; not started. */
  static async make(copyOf?: PostgresServer): Promise<PostgresServer> {
    const directory = await mkdtemp(join(tmpdir(), 'trading-proxy-chaos-'));
    // As root the server runs as another user, who must get in.
    await chmod(directory, 0o755);
    if (copyOf !== undefined) await execute('cp', ['-a', copyOf.files.data, join(directory, 'data')]);
    return new PostgresServer(directory, await prepareFiles(directory));
  }

  /** Directory of its socket. */
  get socket(): string {
    return this.files.socket;
  }

  get database(): TestDatabase {
    const parameters = new URLSearchParams({ host: this.files.socket, port: String(PORT), user: SUPERUSER });
    return { url: `postgresql:///${SUPERUSER}?${parameters.toString()}`, drop: () => Promise.resolve() };
  }

  /** Makes it follow another server from its next start on, until it is promoted. */
  async follow(primary: PostgresServer): Promise<readonly string[]> {
    const mark = join(this.files.data, 'standby.signal');
    await writeFile(mark, '');
    const { systemUser } = this.files;
    if (systemUser !== undefined) await chown(mark, systemUser.uid, systemUser.gid);
    return [`primary_conninfo=host=${primary.socket} port=${PORT} user=${SUPERUSER}`];
  }

  /**
   * Starts it with these settings, such as `fsync=off`, and waits until it answers. A backend that began while its server was killed
   * holds the shared memory for a moment, which a new server refuses: it is started again.
   */
  async start(settings: readonly string[] = []): Promise<void> {
    const deadline = Date.now() + START_LIMIT_MS;
    this.#spawn(settings);
    while (!(await this.#answers())) {
      if (Date.now() > deadline) throw new Error('PostgreSQL did not start');
      await delay(POLL_MS);
      if (!this.#isRunning()) this.#spawn(settings);
    }
  }

  /** Waits for nobody: clients are disconnected, finished work is kept. */
  async stop(): Promise<void> {
    await this.#end('SIGINT');
  }

  /** As `kill -9` does, of all its processes. */
  async kill(): Promise<void> {
    const pid = this.#child?.pid;
    if (pid === undefined || !this.#isRunning()) return;
    // Stopped first, so that no backend is born between the list and the kill: it could wait for ever for a lock of a killed one, and
    // keep the shared memory from the next server.
    signal(pid, 'SIGSTOP');
    const backends = await childrenOf(pid);
    const ended = this.#end('SIGKILL');
    for (const backend of backends) signal(backend, 'SIGKILL');
    await ended;
  }

  /** Stops all its processes where they stand: connections stay, and nobody answers. */
  async freeze(): Promise<void> {
    await this.#signalAll('SIGSTOP');
  }

  async thaw(): Promise<void> {
    await this.#signalAll('SIGCONT');
  }

  /** Rows of one statement. */
  async query(sql: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: this.database.url, connectionTimeoutMillis: 2_000 });
    // A server that is killed under the client.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Ends it, and removes all that it has written. */
  async close(): Promise<void> {
    await this.kill();
    await rm(dirname(await realpath(this.files.data)), { recursive: true, force: true });
    await rm(this.directory, { recursive: true, force: true });
  }

  #spawn(settings: readonly string[]): void {
    const options = ['listen_addresses=', `unix_socket_directories=${this.files.socket}`, `port=${PORT}`, ...settings];
    this.#child = spawn(
      this.files.binaries.postgres,
      ['-D', this.files.data, ...options.flatMap((option) => ['-c', option])],
      { cwd: '/', env: CLEAN_ENVIRONMENT, stdio: 'ignore', ...identityOf(this.files.systemUser) },
    );
  }

  #isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  async #answers(): Promise<boolean> {
    return this.query('SELECT 1').then(
      () => true,
      () => false,
    );
  }

  async #end(name: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.#isRunning()) return;
    const gone = once(child, 'exit');
    child.kill(name);
    await gone;
  }

  async #signalAll(name: NodeJS.Signals): Promise<void> {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    // The postmaster first when it stops, so that it makes no more of them.
    if (name === 'SIGSTOP') signal(pid, name);
    for (const backend of await childrenOf(pid)) signal(backend, name);
    signal(pid, name);
  }
}
