import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commandOfProcess, hasCode, orphansIn, startOfProcess } from './operating-system.js';

/** How often the files of a server are looked at while waiting for it. */
export const POLL_MS = 15;

/** Fast shutdown, then immediate, then none at all: each gets its time before the next. */
const SHUTDOWN = [
  { signal: 'SIGINT', limitMs: 5_000 },
  { signal: 'SIGQUIT', limitMs: 3_000 },
  { signal: 'SIGKILL', limitMs: 5_000 },
] as const;

/** A running server as its own files describe it. */
export interface Postmaster {
  readonly pid: number;
  readonly ready: boolean;
  readonly port: number;
  /** Directory of its socket. */
  readonly socket: string;
  /** Written on its command line by who started it; undefined when it was started by hand. */
  readonly owner: Owner | undefined;
}

/** The process that a server belongs to, and which of its starts it was. */
export interface Owner {
  readonly pid: number;
  readonly start: string;
  readonly launch: string;
}

/** The argument of the server that names its owner, and that `findPostmaster` reads back. */
export function ownerArgument({ pid, start, launch }: Owner): string {
  return `trading_proxy.owner=${pid}.${start}.${launch}`;
}

/** The server that runs on `data` (a real path), if any. */
export async function findPostmaster(data: string): Promise<Postmaster | undefined> {
  const lines = (await readIfThere(join(data, 'postmaster.pid'))).split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0 || !(await isPostmaster(pid, data))) return undefined;
  return {
    pid,
    port: Number(lines[3]),
    socket: lines[4] ?? '',
    ready: lines[7]?.trim() === 'ready',
    owner: parseOwner(await readIfThere(join(data, 'postmaster.opts'))),
  };
}

/** Whether the owner of a server still runs; a server without an owner counts as owned, for it is not ours to stop. */
export async function hasLivingOwner({ owner }: Postmaster): Promise<boolean> {
  return owner === undefined || (await startOfProcess(owner.pid)) === owner.start;
}

/** Stops a server, clients or not, and returns when it is gone. */
export async function endPostmaster({ pid }: Pick<Postmaster, 'pid'>): Promise<void> {
  const start = await startOfProcess(pid);
  const isGone = async (): Promise<boolean> => start === undefined || (await startOfProcess(pid)) !== start;
  for (const { signal, limitMs } of SHUTDOWN) {
    if (await isGone()) return;
    kill(pid, signal);
    kill(pid, 'SIGCONT');
    for (const deadline = Date.now() + limitMs; Date.now() < deadline && !(await isGone());) await delay(POLL_MS);
  }
}

/**
 * Ends what is left of a server on `data` (a real path) that was killed: a backend that waits for a lock of a killed one never ends
 * by itself, and keeps the shared memory from the next server.
 */
export async function endOrphans(data: string): Promise<void> {
  for (const pid of await orphansIn(data)) {
    // A postmaster's parent is elsewhere too; it has its command line as it was started.
    if ((await commandOfProcess(pid)).startsWith('postgres: ')) kill(pid, 'SIGKILL');
  }
}

/**
 * Removes lock files whose process id now belongs to another program (common after a container restart): PostgreSQL
 * would take that program for a running server. Files of a dead process it clears itself, after checks of its own.
 */
export async function removeMisleadingLocks(data: string, socket: string): Promise<void> {
  for (const path of [join(data, 'postmaster.pid'), join(socket, '.s.PGSQL.5432.lock')]) {
    const pid = Number.parseInt(await readIfThere(path), 10);
    const alive = pid > 0 && (await startOfProcess(pid)) !== undefined;
    if (alive && !(await isPostmaster(pid, data))) await rm(path, { force: true });
  }
}

async function isPostmaster(pid: number, data: string): Promise<boolean> {
  return (await startOfProcess(pid)) !== undefined && (await commandOfProcess(pid)).includes(` -D ${data} `);
}

function parseOwner(options: string): Owner | undefined {
  const [, pid, start, launch] = /trading_proxy\.owner=(\d+)\.(\w+)\.(\w+)/.exec(options) ?? [];
  if (pid === undefined || start === undefined || launch === undefined) return undefined;
  return { pid: Number(pid), start, launch };
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

async function readIfThere(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return '';
    throw error;
  });
}
