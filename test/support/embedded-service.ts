import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll } from '@jest/globals';
import pg from 'pg';
import type { TestDatabase } from './database.js';

/** The compiled `src/platform`. */
export const PLATFORM = join(process.env.TEST_BUILD ?? '', 'src', 'platform');

export interface Service {
  readonly process: ChildProcess;
  readonly connection: { host: string; port: number; username: string; database: string };
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export interface ServiceOptions {
  readonly platform?: string;
  readonly uid?: number;
  readonly node?: string;
}

const SERVICE = `
  import { EmbeddedPostgres } from './embedded-postgres/embedded-postgres.js';
  const server = await EmbeddedPostgres.start({ directory: process.argv[1] });
  process.stdin.once('data', async () => {
    await server.stop();
    process.exit(0);
  });
  console.log(JSON.stringify(server.connection));
`;

const services = new Set<ChildProcess>();

/** A directory of one test file's own, known once the tests run; it and the services that still run end with the file. */
export function useWorkspace(): { readonly path: string } {
  const workspace = { path: '' };
  beforeAll(async () => {
    workspace.path = await mkdtemp(join(tmpdir(), 'trading-proxy-spec-'));
    await chmod(workspace.path, 0o755);
  });
  afterAll(async () => {
    for (const child of services) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await rm(workspace.path, { recursive: true, force: true });
  });
  return workspace;
}

/** A process of its own that runs on the embedded server in `directory`. */
export async function startService(directory: string, options: ServiceOptions = {}): Promise<Service> {
  const { platform = PLATFORM, uid, node = process.execPath } = options;
  const child = spawn(node, ['--input-type=module', '-e', SERVICE, directory], {
    cwd: platform,
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  services.add(child);
  const ended = once(child, 'exit').then(() => services.delete(child));
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  const lines = createInterface(child.stdout);
  const answer = await Promise.race([once(lines, 'line'), ended.then(() => undefined)]);
  if (answer === undefined) throw new Error(`The service did not start: ${complaint}`);
  return {
    process: child,
    connection: JSON.parse(String(answer[0])) as Service['connection'],
    async stop() {
      child.stdin.write('stop\n');
      await ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export async function query(connection: Service['connection'], sql: string): Promise<Record<string, unknown>[]> {
  const { username, ...rest } = connection;
  const client = new pg.Client({ ...rest, user: username });
  // A server that is killed under the client.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const result = await client.query<Record<string, unknown>>(sql);
    return result.rows;
  } finally {
    await client.end();
  }
}

export async function serverPid(directory: string): Promise<number> {
  return Number.parseInt(await readFile(join(directory, 'data', 'postmaster.pid'), 'utf8'), 10);
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export async function eventually(isTrue: () => boolean | Promise<boolean>, limitMs = 25_000): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await isTrue())) {
    await delay(20);
    if (Date.now() > deadline) throw new Error('It did not happen in time.');
  }
}

export const answers = async (connection: Service['connection']): Promise<boolean> =>
  query(connection, 'SELECT 1').then(
    () => true,
    () => false,
  );

export function socketOf({ url }: TestDatabase): Service['connection'] {
  const { pathname, searchParams } = new URL(url);
  return {
    host: searchParams.get('host') ?? '',
    port: Number(searchParams.get('port')),
    username: searchParams.get('user') ?? '',
    database: pathname.slice(1),
  };
}
