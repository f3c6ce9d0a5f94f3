import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  symlink,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isNativeError } from 'node:util/types';
import { type SystemUser, hasCode, run, startOfProcess } from './operating-system.js';
import { canEnter, serverUser } from './system-user.js';
import { findBinaries, type PostgresBinaries } from './postgres-binaries.js';
import { makeStateDirectory } from './state-directory.js';

/** Name of the database superuser, and of the database that initdb makes. */
export const SUPERUSER = 'postgres';

/** The operating system allows 103 to 107 bytes, the name of the socket file included. */
const SOCKET_PATH_BYTES = 100;
const SOCKET_FILE = '/.s.PGSQL.5432.lock';
/** Where several first starts meet, one makes the link, and the others follow it on their next attempt. */
const RELOCATION_ATTEMPTS = 5;
const OTHERS_MAY = 0o077;
const UNFINISHED = /^data\.new-(\d+)-/;

/** Where one embedded server keeps everything, and how it is run. */
export interface ServerFiles {
  /** PGDATA; its real path. */
  readonly data: string;
  /** Directory of the socket: entered by the server's user and root alone. */
  readonly socket: string;
  readonly log: string;
  readonly systemUser: SystemUser | undefined;
  readonly binaries: PostgresBinaries;
}

/**
 * Makes `directory` and a database cluster in it, whatever of it is missing. As root, in a directory that others cannot
 * reach, the files go under the system's state directory and `directory` becomes a link to them.
 */
export async function prepareFiles(directory: string): Promise<ServerFiles> {
  const requested = resolve(directory);
  try {
    const systemUser = await serverUser(join(requested, 'data'));
    const base = await makeBase(requested, systemUser);
    const binaries = await findBinaries(systemUser, base);
    const data = join(base, 'data');
    await initialise(data, binaries, systemUser);
    await checkVersion(data, binaries.major);
    const socket = await makeSocketDirectory(base, systemUser);
    return { data, socket, log: join(base, 'server.log'), systemUser, binaries };
  } catch (error) {
    if (!hasCode(error, 'EACCES', 'EPERM', 'EROFS', 'EEXIST', 'ENOTDIR')) throw error;
    const reason = isNativeError(error) ? error.message : '';
    throw new Error(`${requested} cannot be written: set DATA_DIR to a directory this user may write to (${reason}).`, {
      cause: error,
    });
  }
}

async function makeBase(requested: string, systemUser: SystemUser | undefined): Promise<string> {
  await mkdir(dirname(requested), { recursive: true });
  for (let attempt = 1; attempt <= RELOCATION_ATTEMPTS; attempt += 1) {
    await restoreLinkTarget(requested);
    const base = await makeDirectory(requested, systemUser);
    if (base !== undefined) return base;
    await relocate(requested);
  }
  throw new Error(`${requested} is changed by several starts at once: start again.`);
}

/** The link outlives its target when only the state directory was emptied. */
async function restoreLinkTarget(path: string): Promise<void> {
  const target = await readlink(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'EINVAL')) return undefined;
    throw error;
  });
  if (target !== undefined) await mkdir(resolve(dirname(path), target), { recursive: true });
}

/** Its real path; undefined when the server's user cannot get in and there is nothing in it yet. */
async function makeDirectory(path: string, systemUser: SystemUser | undefined): Promise<string | undefined> {
  await mkdir(path, { recursive: true, ...(systemUser === undefined && { mode: 0o700 }) });
  const base = await realpath(path);
  if (systemUser === undefined) return base;
  await chmod(base, 0o755);
  if (await canEnter(base, systemUser)) return base;
  const entries = await readdir(base);
  if (entries.length === 0) return undefined;
  throw new Error(
    `PostgreSQL runs as ${systemUser.name}, which cannot enter ${base}: let others enter the directories above it ` +
      '(chmod o+x), or set DATA_DIR elsewhere.',
  );
}

async function relocate(requested: string): Promise<void> {
  const fresh = await mkdtemp(join(await makeStateDirectory(), 'data-'));
  await chmod(fresh, 0o755);
  try {
    await rmdir(requested);
    await symlink(fresh, requested);
  } catch (error) {
    await rmdir(fresh);
    if (!hasCode(error, 'EEXIST', 'ENOTDIR', 'ENOENT')) throw error;
  }
}

/** Makes the cluster beside its place and renames it, so that `data` is whole or absent, however many start at once. */
async function initialise(data: string, binaries: PostgresBinaries, systemUser: SystemUser | undefined): Promise<void> {
  const base = dirname(data);
  await removeUnfinished(base);
  if (await isDirectory(data)) return;
  const fresh = await mkdtemp(join(base, `data.new-${process.pid}-`));
  try {
    if (systemUser !== undefined) await chown(fresh, systemUser.uid, systemUser.gid);
    const encoding = ['-E', 'UTF8', '--locale=C'];
    // The server accepts every process that can open the socket, and nobody by TCP, whoever starts it.
    const access = ['--auth-local=trust', '--auth-host=reject'];
    await run(binaries.initdb, ['-D', fresh, '-U', SUPERUSER, ...access, ...encoding], systemUser);
    await rename(fresh, data);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  }
}

async function removeUnfinished(base: string): Promise<void> {
  for (const name of await readdir(base)) {
    const [, maker] = UNFINISHED.exec(name) ?? [];
    if (maker !== undefined && (await startOfProcess(Number(maker))) === undefined) {
      await rm(join(base, name), { recursive: true, force: true });
    }
  }
}

async function checkVersion(data: string, major: string): Promise<void> {
  const written = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => 'an unknown version');
  if (written.trim() === major) return;
  throw new Error(
    `${data} was written by PostgreSQL ${written.trim()}, but version ${major} is installed: ` +
      'move the data over with pg_dump of the old version, or remove that directory to start empty.',
  );
}

/**
 * Makes the directory of the socket: below `base`, or in the temporary directory, named after `base`, where the path would be
 * too long.
 */
async function makeSocketDirectory(base: string, systemUser: SystemUser | undefined): Promise<string> {
  const inside = join(base, 'socket');
  if (Buffer.byteLength(inside + SOCKET_FILE) < SOCKET_PATH_BYTES) return makePrivate(inside, systemUser);
  const { dev, ino } = await lstat(base);
  const name = `trading-proxy-${dev.toString(36)}-${ino.toString(36)}`;
  return makePrivate(join(tmpdir(), name), systemUser);
}

async function makePrivate(path: string, systemUser: SystemUser | undefined): Promise<string> {
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
  const self = selfId();
  const owner = systemUser?.uid ?? self;
  const found = await lstat(path);
  if (found.isDirectory() && found.uid === self && systemUser !== undefined)
    await chown(path, systemUser.uid, systemUser.gid);
  const { uid, mode } = await lstat(path);
  const isPrivate = found.isDirectory() && uid === owner && (mode & OTHERS_MAY) === 0;
  if (isPrivate && (await canEnter(path, systemUser))) return path;
  throw new Error(`${path} is not a private directory of the database's: remove it, or use a shorter DATA_DIR.`);
}

function selfId(): number {
  return process.getuid?.() ?? 0;
}

async function isDirectory(path: string): Promise<boolean> {
  return lstat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}
