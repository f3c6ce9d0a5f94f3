import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rm, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Periodic } from '../time/periodic.js';
import { within } from '../time/within.js';
import { prepareFiles, type ServerFiles, SUPERUSER } from './data-directory.js';
import { CLEAN_ENVIRONMENT, identityOf, startOfProcess } from './operating-system.js';
import {
  endOrphans,
  endPostmaster,
  findPostmaster,
  hasLivingOwner,
  type Owner,
  ownerArgument,
  POLL_MS,
  type Postmaster,
  removeMisleadingLocks,
} from './postmaster.js';

/** Crash recovery included. */
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 8_000;
const RETRY_MS = 200;
const WATCH_MS = 500;
const MAX_LOG_BYTES = 1_000_000;
const LOG_TAIL_CHARACTERS = 1_500;
/** PostgreSQL's own words for: another server, or what is left of one, still uses the data. */
const STILL_IN_USE = /lock file|shared memory block|is another postmaster/i;

/**
 * Ties the server to our end of a pipe: when that closes, for whatever reason, the server shuts down. The pipe is file
 * descriptor 3, for dash connects programs in the background to /dev/null as standard input.
 */
const TIED_TO_PIPE = [
  'exec 3<&0; "$0" "$@" </dev/null 3<&- & p=$!',
  '(while read -r _; do :; done; kill -INT $p) <&3 & r=$!; exec 3<&- 0</dev/null',
  'wait $p; c=$?; kill $r 2>/dev/null; exit $c',
].join('\n');

const NO_TCP = ['listen_addresses=', 'unix_socket_permissions=0700', 'port=5432', 'max_connections=200'];
/** Statements and their values stay out of the log: they hold addresses and ciphertext. */
const QUIET = [
  'log_min_messages=log',
  'log_min_error_statement=panic',
  'log_error_verbosity=terse',
  'log_checkpoints=off',
];
const FAST = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/** How to reach the server: over a socket in `host`, without a password. */
export interface EmbeddedConnection {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly database: string;
}

export interface EmbeddedPostgresOptions {
  /** Absolute; holds data, socket and log. */
  readonly directory: string;
  /** Gives up durability for speed: for tests. */
  readonly fast?: boolean;
}

/** A server that this process started, and the wrapper it hangs on. */
interface Launched {
  readonly wrapper: ChildProcess;
  readonly exited: Promise<unknown>;
}

/**
 * PostgreSQL from node_modules, for a service that has no DATABASE_URL (contract.md 2). It ends with the process that started
 * it, kill -9 included, and is started anew when it dies earlier. A process that finds it running joins it, and takes
 * over when its owner ends.
 */
export class EmbeddedPostgres {
  readonly connection: EmbeddedConnection;
  readonly #files: ServerFiles;
  readonly #settings: readonly string[];
  /** Looks after the server again and again; a recovery that fails is tried again at the next look. */
  readonly #watch = new Periodic(
    WATCH_MS,
    () => this.#recover(),
    () => undefined,
  );
  #launched: Launched | undefined;

  private constructor(files: ServerFiles, settings: readonly string[], running: Started) {
    this.#files = files;
    this.#settings = settings;
    const { socket, port } = running.postmaster;
    this.connection = { host: socket, port, username: SUPERUSER, database: SUPERUSER };
    this.#launched = running.launched;
    this.#watch.start();
  }

  /** Throws an Error that says what to do when the server cannot be started within a minute. */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const files = await prepareFiles(options.directory);
    const settings = [...NO_TCP, ...QUIET, ...(options.fast === true ? FAST : [])];
    return new EmbeddedPostgres(files, settings, await startOrJoin(files, settings));
  }

  /** Stops the server if this process started it; clients are disconnected, finished work is kept. */
  async stop(): Promise<void> {
    await this.#watch.stop();
    if (this.#launched !== undefined) await end(this.#launched, this.#files);
  }

  /** Starts a server, or joins another's, where this process has none that runs. */
  async #recover(): Promise<void> {
    if (this.#launched !== undefined && !hasEnded(this.#launched)) return;
    const { launched } = await startOrJoin(this.#files, this.#settings, () => this.#watch.hasStopped);
    this.#launched = launched;
  }
}

interface Started {
  readonly postmaster: Postmaster;
  /** Undefined when the server belongs to somebody else. */
  readonly launched: Launched | undefined;
}

async function startOrJoin(
  files: ServerFiles,
  settings: readonly string[],
  isCancelled = (): boolean => false,
): Promise<Started> {
  const deadline = Date.now() + START_LIMIT_MS;
  while (Date.now() < deadline && !isCancelled()) {
    const postmaster = await findPostmaster(files.data);
    if (postmaster === undefined) {
      const started = await launch(files, settings, deadline);
      if (started !== undefined) return started;
    } else if (postmaster.ready) {
      if (await hasLivingOwner(postmaster)) return { postmaster, launched: undefined };
      await endPostmaster(postmaster);
    }
    await delay(POLL_MS);
  }
  throw new Error(`PostgreSQL in ${files.data} did not get ready within a minute: see ${files.log}.`);
}

/** Undefined when another process was faster, or when the remains of a killed server are still in the way. */
async function launch(files: ServerFiles, settings: readonly string[], deadline: number): Promise<Started | undefined> {
  await removeMisleadingLocks(files.data, files.socket);
  const owner = await describeSelf();
  const logStart = await shortenLog(files.log);
  const launched = await spawnTied(files, [...settings, ownerArgument(owner)]);
  while (Date.now() < deadline) {
    const postmaster = await findPostmaster(files.data);
    if (postmaster?.ready === true && postmaster.owner?.launch === owner.launch) return { postmaster, launched };
    if (hasEnded(launched)) {
      const tail = await readTail(files.log, logStart);
      if (!STILL_IN_USE.test(tail)) throw new Error(`PostgreSQL did not start: ${tail || 'it said nothing'}`);
      await endOrphans(files.data);
      await delay(RETRY_MS);
      return undefined;
    }
    await delay(POLL_MS);
  }
  await end(launched, files);
  return undefined;
}

async function describeSelf(): Promise<Owner> {
  const start = (await startOfProcess(process.pid)) ?? 'unknown';
  return { pid: process.pid, start, launch: Math.random().toString(36).slice(2) };
}

async function spawnTied(files: ServerFiles, settings: readonly string[]): Promise<Launched> {
  const sockets = `unix_socket_directories="${files.socket.replaceAll('"', '""')}"`;
  const options = [sockets, ...settings].flatMap((setting) => ['-c', setting]);
  const log = await open(files.log, 'a', 0o600);
  try {
    const wrapper = spawn('/bin/sh', ['-c', TIED_TO_PIPE, files.binaries.postgres, '-D', files.data, ...options], {
      cwd: '/',
      env: CLEAN_ENVIRONMENT,
      stdio: ['pipe', log.fd, log.fd],
      // A process group of its own: Ctrl-C ends the service first, and the server when the service is done with it.
      detached: true,
      ...identityOf(files.systemUser),
    });
    const exited = once(wrapper, 'exit').catch(() => undefined);
    wrapper.stdin?.on('error', () => undefined);
    letProcessExit(wrapper);
    return { wrapper, exited };
  } finally {
    await log.close();
  }
}

/** The server must not keep the service's process alive. */
function letProcessExit(wrapper: ChildProcess): void {
  wrapper.unref();
  if (wrapper.stdin instanceof Socket) wrapper.stdin.unref();
}

function hasEnded({ wrapper }: Launched): boolean {
  return wrapper.exitCode !== null || wrapper.signalCode !== null;
}

async function end(launched: Launched, files: ServerFiles): Promise<void> {
  launched.wrapper.ref();
  launched.wrapper.stdin?.end();
  await within(STOP_LIMIT_MS, launched.exited, () => undefined);
  const postmaster = hasEnded(launched) ? undefined : await findPostmaster(files.data);
  if (postmaster?.owner?.pid === process.pid) await endPostmaster(postmaster);
}

/** Its size; emptied first when it has grown. */
async function shortenLog(path: string): Promise<number> {
  const size = await stat(path).then(
    (file) => file.size,
    () => 0,
  );
  if (size < MAX_LOG_BYTES) return size;
  await rm(path, { force: true });
  return 0;
}

async function readTail(path: string, from: number): Promise<string> {
  const log = await readFile(path);
  return log.subarray(from).toString('utf8').trim().slice(-LOG_TAIL_CHARACTERS);
}
